"""Exchanges arrays of Zarr v2 with other programs in both directions, bit for bit: v2.py EXCHANGE FOLDER [ENVIRONMENT]

As run.py, and part of its report; FOLDER is emptied first."""
import itertools
import json
import os
import re
import shutil
import sys
import zlib
from dataclasses import dataclass, field
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
import tensorstore
import zarr

import filters
from run import Record, attempt, conclude, differs, exceptions, exchange, run_exchange, table

# (peer, direction, cases, the observation): why
OF_NUMCODECS = "/(lz4|lzma|crc32|adler32|fletcher32)"
KNOWN = {
    ("zarrs", "writes", f"{OF_NUMCODECS}|^filters/|^rank0/F", "UnsupportedMetadata"): "has no such codec or filter in Python",
    ("zarrs", "reads tessera", f"{OF_NUMCODECS}|^filters/", "UnsupportedMetadata"): "has no such codec or filter in Python",
    ("zarrs", "writes", "^V3", "UnsupportedDataType"): "has no raw bits in Python",
    ("zarrs", "reads tessera", "^V3", "UnsupportedDataType"): "has no raw bits in Python",
    ("zarrs", "reads tessera", "-F$|/F-", "C contiguous"): "reads no order F in Python",
    ("zarrs", "reads tessera", "", "Non-native byte order"): "reads no foreign byte order in Python",
    ("TensorStore", "writes", OF_NUMCODECS, "compressor"): "has no such compressor",
    ("TensorStore", "reads tessera", OF_NUMCODECS, "compressor"): "has no such compressor",
    ("TensorStore", "writes", "^filters/", "filters are not supported"): "has no filters",
    ("TensorStore", "reads tessera", "^filters/", "filters are not supported"): "has no filters",
    ("TensorStore", "writes", "^V3", "mismatch"): "takes raw bits as bytes of one dimension more",
    ("TensorStore", "reads tessera", "^V3", "0 bytes"): "takes raw bits as bytes of one dimension more",
    ("TensorStore", "writes", "^rank[01]/F", "Expected \"order\""): "writes \"C\" where the order means nothing",
    ("zarr-python", "same document", "blosc-.*--1", "shuffle"): "tessera writes what the shuffle -1 comes to",
    ("zarr-python", "same document", "^rank[01]/F", "order"): "tessera writes \"C\" where the order means nothing",
    ("zarr-python", "same document", "two-compressors", "checksum"): "it says of zstd among the filters that there is no checksum",
}
TYPES = ["|b1", "|i1", "|u1", *(order + kind for kind in ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
                                for order in "<>"), "|V3"]


@dataclass
class Case:
    name: str
    dtype: str = "<i4"
    compressor: dict = None
    filters: list = None
    shape: tuple = (9, 20, 34)
    chunks: tuple = (5, 20, 20)
    order: str = "C"
    separator: str = "."
    fill: object = 0  # as JSON
    attributes: dict = field(default_factory=dict)

    def document(self):
        """As zarr-python writes it."""
        return {"shape": list(self.shape), "chunks": list(self.chunks), "dtype": self.dtype, "fill_value": self.fill,
                "order": self.order, "filters": self.filters, "dimension_separator": self.separator,
                "compressor": self.compressor, "zarr_format": 2}

    def documents(self):
        return {".zarray": json.dumps(self.document(), indent=2), ".zattrs": json.dumps(self.attributes, indent=2)}

    def fill_element(self):
        """None: null."""
        if self.fill is None:
            return np.zeros((), self.dtype)[()]
        if self.dtype.startswith("|V"):
            return np.void(bytes(np.dtype(self.dtype).itemsize))
        number = complex(*map(float, self.fill)) if isinstance(self.fill, list) else self.fill
        return np.array(float(number) if isinstance(number, str) else number).astype(self.dtype)[()]

    def array(self):
        """Half of them any bits, half of few values; the first chunk has only the fill value, so it is not stored."""
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        size, count = np.dtype(self.dtype).itemsize, int(np.prod(self.shape))
        elements = random.integers(0, 256, (count, size), dtype="u1")
        elements[: count // 2] = random.integers(0, 256, (8, size), dtype="u1")[random.integers(0, 8, count // 2)]
        if self.dtype == "|b1":
            elements &= 1
        if self.filters and "f" in self.dtype:  # differences of any bits are not exact
            elements = random.integers(-9, 9, count).astype(self.dtype)
        array = np.frombuffer(elements.tobytes(), self.dtype).reshape(self.shape).copy()
        array[tuple(slice(0, n) for n in self.chunks)] = self.fill_element()
        return array

    def elements(self):
        return native(self.array())


def native(array):
    return array.astype(array.dtype.newbyteorder("=")).tobytes()


def cases():
    blosc = lambda cname, shuffle: dict(id="blosc", cname=cname, clevel=5, shuffle=shuffle, blocksize=0)
    compressors = {
        "none": None, "zlib1": dict(id="zlib", level=1), "zlib9": dict(id="zlib", level=9), "gzip5": dict(id="gzip", level=5),
        "zstd0": dict(id="zstd", level=0), "lz4": dict(id="lz4", acceleration=1), "bz2": dict(id="bz2", level=1),
        "lzma": dict(id="lzma", format=1, check=-1, preset=None, filters=None),
        "lzma-alone": dict(id="lzma", format=2, check=-1, preset=None, filters=None),
        "crc32": dict(id="crc32"), "adler32": dict(id="adler32"), "fletcher32": dict(id="fletcher32"),
        **{f"blosc-{cname}-{shuffle}": blosc(cname, shuffle)
           for cname, shuffle in itertools.product(["lz4", "zstd", "blosclz"], [-1, 0, 1, 2])}}
    for dtype in TYPES:
        for (name, compressor), order in itertools.product(compressors.items(), "CF"):
            fill = [0.0, 0.0] if "c" in dtype else False if dtype == "|b1" else 0.0 if "f" in dtype else None if "V" in dtype else 0
            yield Case(f"{dtype[1:]}-{'big' if dtype[0] == '>' else 'little'}/{name}-{order}", dtype, compressor, order=order, fill=fill)
    zlib1, shuffle = compressors["zlib1"], lambda n: dict(id="shuffle", elementsize=n)
    delta = lambda dtype, astype=None: dict(id="delta", dtype=dtype, astype=astype or dtype)
    for name, dtype, filters, compressor in [
            ("shuffle", "<i4", [shuffle(4)], zlib1), ("shuffle-alone", ">f8", [shuffle(8)], None), ("delta", "<i4", [delta("<i4")], zlib1),
            ("delta-big", ">u2", [delta(">u2")], zlib1), ("delta-float", "<f4", [delta("<f4")], None), ("delta-byte", "|u1", [delta("|u1")], None),
            ("delta-double", "<f8", [delta("<f8")], zlib1), ("delta-wider", "<i2", [delta("<i2", "<i8")], None),
            ("delta-shuffle", "<u4", [delta("<u4"), shuffle(4)], blosc("lz4", 0)), ("checksum", "<i2", [dict(id="crc32")], zlib1),
            ("two-compressors", "<i2", [dict(id="zstd", level=1)], dict(id="gzip", level=1))]:
        for order in "CF":
            yield Case(f"filters/{name}-{order}", dtype, compressor, filters, order=order, fill=0.0 if "f" in dtype else 0)
    shapes = {0: ((), ()), 1: ((23,), (5,)), 2: ((7, 11), (7, 4)), 4: ((3, 4, 5, 6), (2, 4, 3, 1))}
    for rank, (shape, chunks) in shapes.items():
        for order, separator in itertools.product("CF", "./"):
            yield Case(f"rank{rank}/{order}-{'dot' if separator == '.' else 'slash'}", "<u2", zlib1, None, shape, chunks, order, separator)
    for name, dtype, fill in [
            ("null", "<f4", None), ("nan", "<f4", "NaN"), ("infinity", ">f8", "Infinity"), ("minus-infinity", "<f2", "-Infinity"),
            ("minus-zero", "<f8", -0.0), ("tenth", "<f8", 0.1), ("true", "|b1", True), ("max", "<u8", 2**64 - 1), ("min", ">i8", -(2**63)),
            ("complex", "<c8", ["NaN", 1.0]), ("complex-big", ">c16", [0.5, "-Infinity"])]:
        yield Case(f"fill/{name}", dtype, None, None, (7, 5), (4, 5), fill=fill)
    yield Case("attributes", attributes={"a": [1, 2.5, {"b": None}], "Grüße": "世界"})


class ZarrPython(peers.ZarrPython):
    def write(self, case, folder):
        codec = lambda given: numcodecs.get_codec(dict(given)) if given else None
        fill = None if case.fill is None else case.fill_element()
        with zarr.config.set(self.pipeline):
            array = zarr.create_array(
                folder, zarr_format=2, shape=case.shape, chunks=case.chunks, dtype=np.dtype(case.dtype), fill_value=fill,
                filters=[codec(f) for f in case.filters] if case.filters else None, compressors=codec(case.compressor), order=case.order,
                chunk_key_encoding={"name": "v2", "separator": case.separator}, attributes=case.attributes)
            array[...] = case.array()

    def read(self, case, folder):
        with zarr.config.set(self.pipeline):
            return native(np.asarray(zarr.open_array(folder, mode="r", zarr_format=2)[...]))


class Zarrs(ZarrPython):
    name, versions, pipeline = peers.Zarrs.name, peers.Zarrs.versions, peers.Zarrs.pipeline


class TensorStore(peers.TensorStore):
    def open(self, folder, **more):
        spec = {"driver": "zarr", "kvstore": {"driver": "file", "path": folder}} | more
        return tensorstore.open(spec, context=self.context).result()

    def write(self, case, folder):
        self.open(folder, metadata=case.document(), create=True).write(case.array()).result()

    def read(self, case, folder):
        return native(np.asarray(self.open(folder).read().result()))


PEERS = [ZarrPython(), Zarrs(), TensorStore()]


def document_differs(found, expected):
    for name in (".zarray", ".zattrs"):
        if found.get(name) != expected.get(name):
            ours, theirs = (json.loads(each.get(name, b"null")) for each in (found, expected))
            members = [m for m in theirs if str((ours or {}).get(m)) != str(theirs.get(m))] if isinstance(theirs, dict) else []
            return f"{name}: " + (", ".join(f"member {m}: {ours.get(m)}, zarr-python {theirs.get(m)}" for m in members)
                                  or "the same as JSON, not byte for byte")
    return ""


def numcodecs_in_v3(program, folder):
    """The same codecs in arrays of Zarr v3, between tessera and zarr-python: returns the differences."""
    import zarr.codecs.numcodecs as of
    chains = {
        "zlib": ([], [of.Zlib(level=3)]), "lz4": ([], [of.LZ4(acceleration=2)]), "bz2": ([], [of.BZ2(level=2)]),
        "lzma": ([], [of.LZMA(preset=1)]), "shuffle": ([], [of.Shuffle(elementsize=4), of.Zlib(level=1)]),
        "crc32": ([], [of.CRC32()]), "adler32": ([], [of.Adler32()]), "fletcher32": ([], [of.Fletcher32()]),
        "delta": ([of.Delta(dtype="<i4")], [of.Zlib(level=1)])}
    theirs, values, ours = folder / "theirs", folder / "values", folder / "ours"
    elements = np.arange(600, dtype="<i4").reshape(20, 30) * 7 % 1000
    for name, (filters, compressors) in chains.items():
        array = zarr.create_array(str(theirs / name), shape=elements.shape, chunks=(7, 11), dtype=elements.dtype,
                                  filters=filters, compressors=compressors, fill_value=0)
        array[...] = elements
    values.mkdir()
    refused = run_exchange(program, "read", theirs, values)
    for name in chains:
        if problem := refused.get(name) or differs((values / name).read_bytes(), elements.tobytes()):
            yield f"zarr-python, is read by tessera, {name} of Zarr v3: {problem}"
    refused = run_exchange(program, "write", theirs, values, ours)
    for name in chains:
        found, problem = attempt(lambda: np.asarray(zarr.open_array(str(ours / name))[...]).tobytes())
        if problem := refused.get(name) or problem or differs(found, elements.tobytes()):
            yield f"zarr-python, reads tessera, {name} of Zarr v3: {problem}"


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    record, everything = Record(KNOWN), list(cases())
    for case, found, expected in exchange(record, program, folder, everything, PEERS):
        record.note("zarr-python", "same document", case, document_differs(found, expected))
        record.note("zarr-python", "same chunks", case,
                    "" if found.keys() == expected.keys() else f"stored: {sorted(found)}, zarr-python {sorted(expected)}")
    record.unexpected += numcodecs_in_v3(program, folder / "v3")
    record.unexpected += filters.unlike(program, folder / "filters")
    return conclude(report(record, len(everything)), folder, record)


def report(record, count):
    """For interop.md, beside this."""
    text = table(record, f"{count} arrays of Zarr v2", PEERS, "its documents are tessera's, byte for byte",
                 versions=False)
    return f"\n## Zarr v2\n\n{text}\n{exceptions(record)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
