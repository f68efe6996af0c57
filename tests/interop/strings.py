"""Exchanges arrays of strings and bytes with other programs in both directions: strings.py EXCHANGE FOLDER
[ENVIRONMENT]

As run.py and v2.py, in both formats; FOLDER is emptied first."""
import base64
import itertools
import json
import os
import shutil
import struct
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

if len(sys.argv) > 3 and (python := Path(sys.argv[3], "bin", "python")).exists():
    os.execv(python, [str(python), *sys.argv[:3]])
try:
    import peers
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test")
    sys.exit(77)
import numcodecs
import numpy as np
import zarr

from run import Record, conclude, differs, exceptions, exchange, table

# (peer, direction, cases, the observation): why
KNOWN = {
    ("zarrs", "writes", "", "UnsupportedDataType"): "has no strings and bytes in Python",
    ("zarrs", "reads tessera", "", "UnsupportedDataType"): "has no strings and bytes in Python",
    ("zarr-python", "is read by tessera", "^v3/.*-F$", "^differs"):
        "loses the order of strings behind a transpose, and does not read back what it wrote",
    ("zarr-python", "same chunks", "^v3/.*-F$", "^chunk"):
        "loses the order of strings behind a transpose, and does not read back what it wrote",
    ("zarr-python", "same document", "^v3/bytes/", "data_type"):
        "writes the data type `bytes` by a name of its own, `variable_length_bytes`",
}
GZIP, ZSTD = {"level": 5}, {"level": 0, "checksum": False}
BLOSC = {"typesize": 1, "cname": "lz4", "clevel": 5, "shuffle": "noshuffle", "blocksize": 0}


@dataclass
class Case:
    name: str
    data_type: str
    codecs: list  # of v3, after the one of the strings; of v2, the compressor
    shape: tuple = (7, 11)
    chunks: tuple = (3, 4)
    fill: object = ""  # text, or bytes
    order: str = "C"
    shards: tuple = None

    @property
    def is_v2(self):
        return self.name.startswith("v2")

    def serializer(self):
        return "vlen-utf8" if self.data_type == "string" else "vlen-bytes"

    def document(self):
        fill = self.fill if self.data_type == "string" else base64.b64encode(self.fill).decode()
        if self.is_v2:
            return {"shape": list(self.shape), "chunks": list(self.chunks), "dtype": "|O", "fill_value": fill,
                    "order": self.order, "filters": [{"id": self.serializer()}], "dimension_separator": ".",
                    "compressor": self.codecs, "zarr_format": 2}
        codecs = [{"name": self.serializer(), "configuration": {}}, *self.codecs]
        if self.order == "F":
            codecs.insert(0, {"name": "transpose", "configuration": {"order": [1, 0]}})
        if self.shards:
            index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
            codecs = [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": list(self.chunks), "codecs": codecs, "index_codecs": index, "index_location": "end"}}]
        return {"shape": list(self.shape), "data_type": self.data_type,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(self.shards or self.chunks)}},
                "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": fill,
                "codecs": codecs, "attributes": {}, "zarr_format": 3, "node_type": "array", "storage_transformers": []}

    def documents(self):
        if self.is_v2:
            return {".zarray": json.dumps(self.document(), indent=2), ".zattrs": "{}"}
        return {"zarr.json": json.dumps(self.document(), indent=2)}

    def array(self):
        """Short, long, empty, in many alphabets; the first chunk has only the fill value."""
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        elements = np.empty(self.shape, object)
        for place in itertools.product(*map(range, self.shape)):
            length = int(random.choice([0, 1, 5, 16, 200]))
            if self.data_type == "string":
                elements[place] = "".join(map(chr, random.choice([0, 65, 0x7F, 0xE9, 0x20AC, 0x1F600], length)))
            else:
                elements[place] = random.integers(0, 256, length, dtype="u1").tobytes()
            if all(i < n for i, n in zip(place, self.chunks)):
                elements[place] = self.fill
        return elements

    def elements(self):
        return packed(self.array())


def packed(array):
    elements = (one.encode() if isinstance(one, str) else bytes(one) for one in array.reshape(-1).tolist())
    return b"".join(struct.pack("<I", len(one)) + one for one in elements)


def cases():
    chains = {"alone": [], "gzip": [{"name": "gzip", "configuration": GZIP}], "zstd": [{"name": "zstd", "configuration": ZSTD}],
              "blosc": [{"name": "blosc", "configuration": BLOSC}], "crc32c": [{"name": "crc32c"}]}
    for data_type, (name, codecs), order in itertools.product(["string", "bytes"], chains.items(), "CF"):
        fill = "" if data_type == "string" else b""
        yield Case(f"v3/{data_type}/{name}-{order}", data_type, codecs, fill=fill, order=order)
    for data_type, fill in [("string", "no\u00e9l \U0001f600 0x7"), ("bytes", b"\x00\xff")]:
        yield Case(f"v3/{data_type}/fill", data_type, [], fill=fill)
        yield Case(f"v3/{data_type}/shards", data_type, chains["zstd"], fill=fill, shards=(6, 8))
        yield Case(f"v3/{data_type}/line", data_type, chains["zstd"], (23,), (5,), fill)
    compressors = {"alone": None, "zlib": dict(id="zlib", level=1), "zstd": dict(id="zstd", level=0),
                   "blosc": dict(id="blosc", cname="lz4", clevel=5, shuffle=0, blocksize=0)}
    for data_type, (name, compressor), order in itertools.product(["string", "bytes"], compressors.items(), "CF"):
        fill = "0x7 \u00e9" if data_type == "string" else b"ab"
        yield Case(f"v2/{data_type}/{name}-{order}", data_type, compressor, fill=fill, order=order)


class ZarrPython(peers.ZarrPython):
    def write(self, case, folder):
        dtype = "string" if case.data_type == "string" else "variable_length_bytes"
        if case.is_v2:
            dtype = zarr.dtype.VariableLengthUTF8() if dtype == "string" else zarr.dtype.VariableLengthBytes()
            codecs = dict(filters=[numcodecs.get_codec({"id": case.serializer()})], order=case.order,
                          compressors=numcodecs.get_codec(dict(case.codecs)) if case.codecs else None,
                          chunk_key_encoding={"name": "v2", "separator": "."})
        else:
            transpose = [{"name": "transpose", "configuration": {"order": [1, 0]}}] if case.order == "F" else []
            codecs = dict(filters=transpose, serializer={"name": case.serializer()}, compressors=case.codecs,
                          shards=case.shards)
        with zarr.config.set(self.pipeline):
            array = zarr.create_array(folder, zarr_format=2 if case.is_v2 else 3, shape=case.shape, chunks=case.chunks,
                                      dtype=dtype, fill_value=case.fill, attributes={}, **codecs)
            array[...] = case.array()

    def read(self, case, folder):
        with zarr.config.set(self.pipeline):
            return packed(np.asarray(zarr.open_array(folder, mode="r")[...]))


class Zarrs(ZarrPython):
    name, versions, pipeline = peers.Zarrs.name, peers.Zarrs.versions, peers.Zarrs.pipeline


PEERS = [ZarrPython(), Zarrs()]  # TensorStore has no such types


def document_differs(found, expected):
    for name in ("zarr.json", ".zarray", ".zattrs"):
        if found.get(name) != expected.get(name):
            ours, theirs = (json.loads(each.get(name, b"null")) for each in (found, expected))
            members = [m for m in theirs if ours.get(m) != theirs[m]] if ours and theirs else []
            return f"{name}: " + (", ".join(f"member {m}: {ours.get(m)}, zarr-python {theirs[m]}" for m in members)
                                  or "the same as JSON, not byte for byte")
    return ""


def chunks_differ(case, found, expected):
    if found.keys() != expected.keys():
        return f"stored: {sorted(found)}, zarr-python {sorted(expected)}"
    if case.codecs in ([], None, [{"name": "crc32c"}]):
        for key in found:
            if not Path(key).name.startswith((".z", "zarr")) and found[key] != expected[key]:
                return f"chunk {key} {differs(found[key], expected[key])}"
    return ""


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    record, everything = Record(KNOWN), list(cases())
    for case, found, expected in exchange(record, program, folder, everything, PEERS):
        record.note("zarr-python", "same document", case, document_differs(found, expected))
        record.note("zarr-python", "same chunks", case, chunks_differ(case, found, expected))
    return conclude(report(record, len(everything)), folder, record)


def report(record, count):
    """For interop.md, beside this."""
    text = table(record, f"{count} arrays of strings and bytes", PEERS, "its documents are tessera's, byte for byte",
                 versions=False)
    return f"\n## Strings and bytes\n\nOf Zarr v3 and v2; TensorStore has no such types.\n\n{text}\n{exceptions(record)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
