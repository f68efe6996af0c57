"""Exchanges arrays of times, small numbers, fixed text and structs with other programs in both directions, bit for bit,
in both formats: element_types.py EXCHANGE FOLDER [ENVIRONMENT]

As run.py, and part of its report; FOLDER is emptied first."""
import base64
import json
import os
import shutil
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
import ml_dtypes
import numpy as np
import tensorstore
import zarr

from run import Record, conclude, differs, exceptions, exchange, table

# (peer, direction, cases, the observation): why
NUMBERS = "-(bfloat16|u?int|float)"
NO_TYPE = "No Zarr data type"
BIG_STRUCTS = "^v3-structured.*/big"
KNOWN = {
    **{("zarr-python", direction, f"{NUMBERS}|^v3-struct(/|-of)|^v2-structured-nested", NO_TYPE):
       "has no small numbers, no `struct` but \"structured\", and in v2 no struct in a struct" for direction in ("writes", "reads tessera")},
    **{("zarr-python", direction, "-(raw|structured.*)/shards", "unhashable"): "cannot fill shards of raw bytes and structs"
       for direction in ("writes", "reads tessera")},
    ("zarr-python", "is read by tessera", BIG_STRUCTS, "^differs"): "does not look at the byte order of \"structured\" in v3",
    ("zarr-python", "reads tessera", BIG_STRUCTS, "^differs"): "does not look at the byte order of \"structured\" in v3",
    ("zarr-python", "same chunks", BIG_STRUCTS, "^stored"): "does not look at the byte order of \"structured\" in v3",
    **{("zarrs", direction, "", f"Unsupported|{NO_TYPE}|unhashable"): "has none of these types in Python"
       for direction in ("writes", "reads tessera")},
    **{("TensorStore", direction, "64\\[|-(float8_e4m3|float6.*|uint[24]|utf32|null-terminated|structured-nested|struct-of-times)/",
        "data type is not|Unsupported zarr dtype|fill_value|Error parsing|cannot create"):
       "has no times, no text, none of `float8_e4m3`, `float6_*`, `uint2` and `uint4`, and structs of plain numbers alone"
       for direction in ("writes", "reads tessera")},
    **{("TensorStore", direction, "^v2-float4", "fill_value"): "takes the fill value of `float4_e2m1fn` in v2 for base64"
       for direction in ("writes", "reads tessera")},
    ("TensorStore", "writes", "-(raw|structured)/", "cannot create"): "its process ends when it creates some of them",
    ("TensorStore", "reads tessera", "-raw/", "^differs"): "takes raw bytes as bytes of one dimension more",
    ("TensorStore", "reads tessera", "-float8_e8m0fnu/", "^differs"): "takes a fill value of 1.0 for NaN",
}
NAT = -(2**63)
POINT = [("x", "f4"), ("y", "f4")]
# Name -> the types in documents of v3 and of v2, in the little-endian form, the fill value of each, NumPy's type.
TIMES = {f"{kind}[{unit}]": ({"name": f"numpy.{kind}", "configuration": {"unit": unit.lstrip("0123456789"), "scale_factor": scale}},
                             f"<{letter}8[{unit}]", fill, fill, f"<{letter}8[{unit}]")
         for kind, letter in (("datetime64", "M"), ("timedelta64", "m"))
         for unit, scale, fill in (("ns", 1, NAT), ("us", 1, 5), ("10s", 10, NAT), ("D", 1, 0), ("M", 1, -1), ("Y", 1, 1), ("25as", 25, 7))}
SMALL = {name: (name, name, 1.0 if "f" in name else 1, 1.0 if "f" in name else 1, getattr(ml_dtypes, name))
         for name in ("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2",
                      "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "int2", "int4", "uint2", "uint4")}
length = lambda name, n: {"name": name, "configuration": {"length_bytes": n}}
TEXT = {
    "utf32": (length("fixed_length_utf32", 20), "<U5", "añ", "añ", "<U5"),
    "null-terminated": (length("null_terminated_bytes", 6), "|S6", "eHk=", "eHk=", "|S6"),
    "raw": (length("raw_bytes", 5), "|V5", "AQIDBAU=", "AQIDBAU=", "|V5"),
}


def fields(*pairs):
    return {"name": "struct", "configuration": {"fields": [{"name": name, "data_type": of} for name, of in pairs]}}


def legacy(*pairs):
    return {"name": "structured", "configuration": {"fields": [list(pair) for pair in pairs]}}


def b64(dtype, value):
    return base64.b64encode(np.array(value, dtype).tobytes()).decode()


FLAT, NESTED = np.dtype([("id", "<i4"), ("flags", "|u1"), ("value", "<f8")]), np.dtype([("p", [("x", "<f4"), ("y", "<f4")]), ("n", "<i2")])
STRUCTS = {
    "struct": (fields(("id", "int32"), ("flags", "uint8"), ("value", "float64")), [["id", "<i4"], ["flags", "|u1"], ["value", "<f8"]],
               {"id": 1, "flags": 2, "value": 3.0}, b64(FLAT, (1, 2, 3.0)), FLAT),
    "structured": (legacy(("id", "int32"), ("flags", "uint8"), ("value", "float64")), None, b64(FLAT, (1, 2, 3.0)), None, FLAT),
    "structured-nested": (legacy(("p", legacy(("x", "float32"), ("y", "float32"))), ("n", "int16")),
                          [["p", [["x", "<f4"], ["y", "<f4"]]], ["n", "<i2"]], b64(NESTED, ((1, 2), 3)), b64(NESTED, ((1, 2), 3)), NESTED),
    "struct-of-times": (fields(("t", TIMES["datetime64[ns]"][0]), ("u", TEXT["utf32"][0])), None,
                        {"t": 5, "u": "é"}, None, np.dtype([("t", "<M8[ns]"), ("u", "<U5")])),
}
TYPES = TIMES | SMALL | TEXT | STRUCTS
BITS = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4, "float6_e2m3fn": 6, "float6_e3m2fn": 6}


def swapped(described):
    """NumPy's type string or list, big-endian."""
    if isinstance(described, list):
        return [[name, swapped(of)] for name, of in described]
    return described.replace("<", ">")


@dataclass
class Case:
    name: str
    type: str
    format: int
    big: bool = False
    codecs: tuple = ()  # after "bytes"; in v2, a compressor
    shards: bool = False
    shape: tuple = (9, 13)
    chunks: tuple = (4, 6)

    def dtype(self):
        return np.dtype(TYPES[self.type][4])

    def documents(self):
        v3, v2, fill3, fill2, _ = TYPES[self.type]
        if self.format == 2:
            described = swapped(v2) if self.big else v2
            if isinstance(described, list):
                fill2 = base64.b64encode(self.fill().astype(self.dtype().newbyteorder(">") if self.big else self.dtype()).tobytes()).decode()
            return {".zarray": json.dumps({
                "shape": list(self.shape), "chunks": list(self.chunks), "dtype": described, "fill_value": fill2, "order": "C", "filters": None,
                "dimension_separator": ".", "compressor": self.codecs[0] if self.codecs else None, "zarr_format": 2}, indent=2),
                ".zattrs": json.dumps({}, indent=2)}
        return {"zarr.json": json.dumps(self.document(), indent=2)}

    def document(self):
        v3, _, fill, _, dtype = TYPES[self.type]
        one_byte = np.dtype(dtype).itemsize == 1 or self.type in ("raw", "null-terminated")
        codecs = [{"name": "bytes"} if one_byte else {"name": "bytes", "configuration": {"endian": "big" if self.big else "little"}}, *self.codecs]
        if self.shards:
            index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
            codecs = [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": [2, 3], "codecs": codecs, "index_codecs": index, "index_location": "end"}}]
        return {"shape": list(self.shape), "data_type": v3, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(self.chunks)}},
                "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": fill, "codecs": codecs,
                "attributes": {}, "zarr_format": 3, "node_type": "array", "storage_transformers": []}

    def fill(self):
        fill = TYPES[self.type][2]
        dtype = self.dtype()
        if self.type in SMALL:
            return np.array([fill]).astype(dtype)
        if self.type in TIMES:
            return np.array([fill], "<i8").view(dtype)
        if self.type == "utf32":
            return np.array([fill], dtype)
        if isinstance(fill, str):
            return np.frombuffer(base64.b64decode(fill).ljust(dtype.itemsize, b"\0"), dtype)
        return np.array([tuple(fill.values())], dtype)

    def array(self):
        """Any bits; types shorter than a byte in its low bits; valid code points. The first chunk is not stored."""
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        dtype, count = self.dtype(), int(np.prod(self.shape))
        if self.type in BITS:
            low = random.integers(0, 1 << BITS[self.type], (count, 1), dtype="u1")
            array = (low.view("i1") << 8 - BITS[self.type] >> 8 - BITS[self.type] if self.type.startswith("int") else low).astype("u1")
        elif self.type == "utf32":
            array = random.integers(1, 0xd800, (count, 5), dtype="u4").view("u1")
        elif self.type == "struct-of-times":
            array = np.concatenate([random.integers(0, 256, (count, 8), dtype="u1"), random.integers(1, 0xd800, (count, 5), dtype="u4").view("u1")], axis=1)
        else:
            array = random.integers(0, 256, (count, dtype.itemsize), dtype="u1")
        array = np.frombuffer(array.tobytes(), dtype).reshape(self.shape).copy()
        array[tuple(slice(0, n) for n in self.chunks)] = self.fill()[0]
        return array

    def elements(self):
        return self.array().tobytes()


def cases():
    zstd, blosc = {"name": "zstd", "configuration": {"level": 0, "checksum": False}}, lambda size: {"name": "blosc", "configuration": {
        "typesize": size, "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "blocksize": 0}}
    for name, (_, v2, _, _, dtype) in TYPES.items():
        size = np.dtype(dtype).itemsize
        yield Case(f"v3-{name}/bytes", name, 3)
        yield Case(f"v3-{name}/big-zstd", name, 3, True, (zstd,))
        yield Case(f"v3-{name}/blosc", name, 3, False, (blosc(size),))
        yield Case(f"v3-{name}/shards", name, 3, False, (zstd,), True)
        if v2:
            yield Case(f"v2-{name}/little", name, 2)
            if "<" in str(v2):
                yield Case(f"v2-{name}/big-zlib", name, 2, True, (dict(id="zlib", level=1),))


class ZarrPython(peers.ZarrPython):
    """It opens a document, so that NumPy's types lose nothing on the way."""

    def write(self, case, folder):
        for name, text in case.documents().items():
            Path(folder).mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text)
        with zarr.config.set(self.pipeline):
            array = zarr.open_array(folder, mode="r+", zarr_format=case.format)
            array[...] = case.array()

    def read(self, case, folder):
        with zarr.config.set(self.pipeline):
            return np.asarray(zarr.open_array(folder, mode="r", zarr_format=case.format)[...]).astype(case.dtype()).tobytes()


class Zarrs(ZarrPython):
    name, versions, pipeline = peers.Zarrs.name, peers.Zarrs.versions, peers.Zarrs.pipeline


class TensorStore(peers.TensorStore):
    def open_as(self, case, folder, **more):
        spec = {"driver": "zarr3" if case.format == 3 else "zarr", "kvstore": {"driver": "file", "path": folder}} | more
        return tensorstore.open(spec, context=self.context).result()

    def write(self, case, folder):
        if case.type in ("raw", "null-terminated", "structured", "structured-nested"):  # some of them end its process in a failed check
            raise ValueError("cannot create such arrays")
        document, array = json.loads(next(iter(case.documents().values()))), case.array()
        if not array.dtype.names:
            return self.open_as(case, folder, metadata=document, create=True).write(array).result()
        for name in array.dtype.names:  # it reads one field at a time
            self.open_as(case, folder, metadata=document, create=True, open=True, field=name).write(array[name]).result()

    def read(self, case, folder):
        dtype = case.dtype()
        if not dtype.names:
            return np.asarray(self.open_as(case, folder).read().result()).astype(dtype).tobytes()
        array = np.empty(case.shape, dtype)
        for name in dtype.names:
            array[name] = self.open_as(case, folder, field=name).read().result()
        return array.tobytes()


PEERS = [ZarrPython(), Zarrs(), TensorStore()]


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    record, everything = Record(KNOWN), list(cases())
    for case, found, expected in exchange(record, program, folder, everything, PEERS):
        keys = {key for key in found if "zarr.json" not in key and ".z" not in key}
        record.note("zarr-python", "same chunks", case, "" if keys == {k for k in expected if "zarr.json" not in k and ".z" not in k}
                    else f"stored: {sorted(found)}, zarr-python {sorted(expected)}")
    return conclude(report(record, len(everything)), folder, record)


def report(record, count):
    """For interop.md, beside this."""
    text = table(record, f"{count} arrays of both formats", PEERS, documents=None, versions=False)
    return f"\n## Times, small numbers, fixed text and structs\n\n{text}\n{exceptions(record)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
