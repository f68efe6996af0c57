"""The exchanged arrays: documents, and elements as bytes. This file uses no Zarr library."""
import itertools
import json
import zlib
from dataclasses import dataclass, field

import numpy as np

NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
           "float16", "float32", "float64", "complex64", "complex128"]
RAW = ["r8", "r24"]


def item_size(data_type):
    return 1 if data_type == "bool" else int(data_type.lstrip("intufloacmpexr")) // 8


def has_byte_order(data_type):
    return item_size(data_type) > 1 and data_type not in RAW


@dataclass
class Case:
    name: str
    data_type: str
    codecs: list
    shape: tuple = (9, 20, 34)
    chunks: tuple = (5, 20, 20)
    fill: object = None  # as JSON; None: zero
    fill_bytes: bytes = b""  # in the machine's byte order; empty: zero
    key_encoding: tuple = ("default", "/")
    names: list = None
    attributes: dict = field(default_factory=dict)
    missing: bool = True  # the first chunk has only the fill value, so it is not stored

    def document(self):
        """As zarr-python writes it."""
        fill = self.fill
        if fill is None:
            zero = 0.0 if self.data_type.startswith(("float", "complex")) else 0
            fill = {"b": False, "c": [zero, zero], "r": [0] * item_size(self.data_type)}.get(self.data_type[0], zero)
        document = {
            "shape": list(self.shape),
            "data_type": self.data_type,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(self.chunks)}},
            "chunk_key_encoding": {"name": self.key_encoding[0], "configuration": {"separator": self.key_encoding[1]}},
            "fill_value": fill,
            "codecs": self.codecs,
            "attributes": self.attributes,
        }
        if self.names:
            document["dimension_names"] = self.names
        return document | {"zarr_format": 3, "node_type": "array", "storage_transformers": []}

    def text(self):
        return json.dumps(self.document(), indent=2)

    def documents(self):
        return {"zarr.json": self.text()}

    def elements(self):
        """Half of them any bits, to include every NaN; half of them of a few values, so that they compress."""
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        size, count = item_size(self.data_type), int(np.prod(self.shape))
        elements = random.integers(0, 256, (count, size), dtype="u1")
        repeated = random.integers(0, 256, (8, size), dtype="u1")[random.integers(0, 8, count // 2)]
        elements[: count // 2] = repeated
        if self.data_type == "bool":
            elements &= 1
        elements = elements.reshape(*self.shape, size)
        if self.missing:
            elements[tuple(slice(0, n) for n in self.chunks)] = np.frombuffer(self.fill_bytes or bytes(size), "u1")
        return elements.tobytes()


def codec(name, **configuration):
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


def chains(data_type, rank=3):
    """Name -> codecs."""
    size = item_size(data_type)
    little = codec("bytes", endian="little") if has_byte_order(data_type) else codec("bytes")
    big = codec("bytes", endian="big") if has_byte_order(data_type) else codec("bytes")
    transpose = codec("transpose", order=[2, 0, 1])
    gzip = lambda level: codec("gzip", level=level)
    zstd = lambda level, checksum=False: codec("zstd", level=level, checksum=checksum)
    blosc = lambda cname, shuffle, level=5: codec(
        "blosc", typesize=size, cname=cname, clevel=level, shuffle=shuffle, blocksize=0)
    crc32c = codec("crc32c")

    yield "bytes", [little]
    yield "transpose", [transpose, little]
    if has_byte_order(data_type):
        yield "big", [big]
        yield "transpose-big", [transpose, big]
    for level in (0, 1, 5, 9):
        yield f"gzip{level}", [little, gzip(level)]
    for level in (-5, 0, 3, 22):
        yield f"zstd{level}", [little, zstd(level)]
    yield "zstd-checksum", [little, zstd(0, True)]
    for cname, shuffle in itertools.product(
            ["blosclz", "lz4", "lz4hc", "zlib", "zstd", "snappy"], ["noshuffle", "shuffle", "bitshuffle"]):
        yield f"blosc-{cname}-{shuffle}", [little, blosc(cname, shuffle)]
    yield "blosc-stored", [little, blosc("lz4", "shuffle", 0)]
    yield "crc32c", [little, crc32c]
    yield "big-zstd-crc32c", [big, zstd(1), crc32c]
    yield "transpose-gzip-crc32c", [transpose, little, gzip(6), crc32c]
    yield "crc32c-zstd-crc32c", [little, crc32c, zstd(0), crc32c]
    yield "transpose-big-blosc-gzip", [transpose, big, blosc("zstd", "bitshuffle"), gzip(1)]


def combinations():
    for data_type in ["bool", *NUMBERS, *RAW]:
        for name, codecs in chains(data_type):
            yield Case(f"{data_type}/{name}", data_type, codecs)


def grids():
    """Ranks, chunks and their keys."""
    bytes_zstd = [codec("bytes", endian="little"), codec("zstd", level=0, checksum=False)]
    shapes = {0: ((), ()), 1: ((23,), (5,)), 2: ((7, 11), (7, 4)), 3: ((3, 9, 5), (2, 3, 6)), 4: ((3, 4, 5, 6), (2, 4, 3, 1))}
    for rank, (shape, chunks) in shapes.items():
        for kind, separator in itertools.product(["default", "v2"], "/."):
            yield Case(f"rank{rank}/{kind}-{'slash' if separator == '/' else 'dot'}", "uint16", bytes_zstd, shape, chunks,
                       key_encoding=(kind, separator), missing=rank > 0)
    yield Case("grid/no-elements", "int32", bytes_zstd, (0, 5), (3, 2), missing=False)
    yield Case("grid/one-chunk", "int32", bytes_zstd, (4, 5), (10, 6), missing=False)
    yield Case("grid/nothing-stored", "int32", bytes_zstd, (4, 5), (10, 6))
    orders = {1: [0], 2: [1, 0], 4: [3, 1, 0, 2]}
    for rank, order in orders.items():
        yield Case(f"rank{rank}/transpose", "uint32", [codec("transpose", order=order), *bytes_zstd], *shapes[rank])


def members():
    """Names of dimensions and attributes."""
    bytes_only = [codec("bytes", endian="little")]
    yield Case("members/names", "float32", bytes_only, names=["x", None, "z"])
    yield Case("members/attributes", "float32", bytes_only, attributes={
        "text": "\"\\\n\t\u0001/", "list": [1, [2.5, [None, True]], {}], "empty": {}, "none": None,
        "small": -(2**63), "float": 1.5e-300, "exponent": 1e22, "tenth": 0.1, "object": {"b": 1, "a": {"c": []}}})
    yield Case("members/unicode", "float32", bytes_only, names=["Länge", "高さ", ""],
               attributes={"Grüße": "世界 \x7f😀"})
    yield Case("members/large-integers", "float32", bytes_only, attributes={"2^64": 2**64, "10^30": 10**30})


def fills():
    def floats(data_type, unsigned, items):
        for name, value in items:
            value = np.dtype(data_type).type(value)
            shown = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(value), None)
            yield name, float(value) if shown is None else shown, value.tobytes()
        bits = np.dtype(unsigned).itemsize * 8
        infinity, quiet = {16: (0x7C00, 1 << 9), 32: (0x7F800000, 1 << 22), 64: (0x7FF << 52, 1 << 51)}[bits]
        for name, pattern in (("nan-payload", infinity | quiet | 5), ("nan-negative", 1 << bits - 1 | infinity | quiet),
                              ("nan-signalling", infinity | 3)):
            yield name, f"0x{pattern:0{bits // 4}x}", pattern.to_bytes(bits // 8, "little")

    def values(data_type):
        if data_type == "bool":
            yield "true", True, b"\1"
        elif data_type.startswith(("int", "uint")):
            for name in ("min", "max"):
                value = getattr(np.iinfo(data_type), name)
                yield name, int(value), np.dtype(data_type).type(value).tobytes()
        elif data_type.startswith("float"):
            info = np.finfo(data_type)
            yield from floats(data_type, data_type.replace("float", "uint"), [
                ("nan", np.nan), ("inf", np.inf), ("minus-inf", -np.inf), ("minus-zero", -0.0), ("max", info.max),
                ("subnormal", info.smallest_subnormal), ("tenth", 0.1), ("third", 1 / 3), ("large", 12345.678)])
        else:
            part = {"complex64": "float32", "complex128": "float64"}[data_type]
            parts = {name: (shown, bits) for name, shown, bits in values(part)}
            for first, second in (("tenth", "minus-zero"), ("nan", "minus-inf"), ("inf", "nan"), ("max", "subnormal"),
                                  ("nan-payload", "third")):
                yield f"{first}-{second}", [parts[first][0], parts[second][0]], parts[first][1] + parts[second][1]

    for data_type in ["bool", *NUMBERS]:
        for name, shown, bits in values(data_type):
            codecs = next(chains(data_type))[1]
            yield Case(f"fill/{data_type}-{name}", data_type, codecs, (7, 5), (4, 5), fill=shown, fill_bytes=bits)


def sharding(inner, codecs, index_codecs=None, location="end"):
    little = codec("bytes", endian="little")
    return codec("sharding_indexed", chunk_shape=list(inner), codecs=codecs,
                 index_codecs=index_codecs or [little, codec("crc32c")], index_location=location)


def shards():
    """Shards of inner chunks: each place and codecs of an index, at the border, nested, seen through a transpose."""
    little, big = codec("bytes", endian="little"), codec("bytes", endian="big")
    zstd, gzip = codec("zstd", level=0, checksum=False), codec("gzip", level=5)
    shape, chunks, inner = (9, 20, 34), (6, 20, 20), (3, 5, 10)
    chains = {"raw": [little], "zstd": [little, zstd], "big-gzip-crc32c": [big, gzip, codec("crc32c")],
              "transpose-zstd": [codec("transpose", order=[2, 0, 1]), little, zstd]}
    for name, codecs in chains.items():
        for location in ("end", "start"):
            yield Case(f"shards/{name}-{location}", "int16", [sharding(inner, codecs, location=location)], shape, chunks)
    for name, index in {"no-checksum": [little], "big": [big, codec("crc32c")]}.items():
        yield Case(f"shards/index-{name}", "float32", [sharding(inner, [little, zstd], index)], shape, chunks)
    yield Case("shards/one-inner-chunk", "uint32", [sharding(chunks, [little, zstd])], shape, chunks)
    yield Case("shards/of-elements", "uint8", [sharding((1, 1, 1), [codec("bytes")])], (3, 4, 5), (2, 2, 4))
    for name, order, inner in (("shards/transposed", [0, 2, 1], (3, 10, 5)), ("transposed-shards/shape", [1, 2, 0], (5, 10, 2))):
        yield Case(name, "uint16", [codec("transpose", order=order), sharding(inner, [little, zstd])],
                   shape, chunks)
    transpose = codec("transpose", order=[0, 2, 1])
    for name, before, behind in (("zstd", [], [zstd]), ("crc32c", [], [codec("crc32c")]), ("gzip-crc32c", [], [gzip, codec("crc32c")]),
                                 ("transposed", [transpose], [zstd])):
        yield Case(f"encoded-shards/{name}", "uint16", [*before, sharding((3, 5, 5), [little]), *behind], shape, chunks)
    yield Case("encoded-shards/nested", "uint16", [sharding((3, 10, 10), [sharding((3, 5, 2), [little, zstd])]), zstd], shape, chunks)
    yield Case("shards/nested", "uint16", [sharding((3, 10, 10), [sharding((3, 5, 2), [little, zstd])])], shape, chunks)


def cases():
    return [*combinations(), *grids(), *members(), *fills(), *shards()]


def device_chains(data_type):
    """Name -> codecs that tessera decodes in device memory, including those that it encodes there."""
    for name, codecs in chains(data_type):
        if "blosclz" not in name:
            yield name, codecs
    little, crc32c = next(chains(data_type))[1][0], codec("crc32c")
    zlib = lambda level: codec("numcodecs.zlib", level=level)
    lz4 = lambda acceleration: codec("numcodecs.lz4", acceleration=acceleration)
    yield "zstd0-crc32c", [little, codec("zstd", level=0, checksum=False), crc32c]
    yield "gzip5-crc32c", [little, codec("gzip", level=5), crc32c]
    for level in (0, 1, 9):
        yield f"zlib{level}", [little, zlib(level)]
    yield "zlib1-crc32c", [little, zlib(1), crc32c]
    for acceleration in (1, 50):
        yield f"lz4-acceleration{acceleration}", [little, lz4(acceleration)]
    yield "lz4-crc32c", [little, lz4(1), crc32c]
    for cname, shuffle in itertools.product(["lz4", "zstd"], ["shuffle", "bitshuffle"]):  # the last block is incomplete
        yield f"blosc-{cname}-{shuffle}-blocks", [little, codec(
            "blosc", typesize=item_size(data_type), cname=cname, clevel=5, shuffle=shuffle, blocksize=600), crc32c]
    yield "lz4-zstd-crc32c", [little, lz4(1), codec("zstd", level=0, checksum=False), crc32c]


def device_cases():
    """Each chain of codecs of whole chunks, and of the inner chunks of shards. Elements of each size that is shuffled;
    eight in a row of them, or blosc shuffles no bits."""
    for data_type in ["uint8", "int16", "float32", "float64"]:
        for name, codecs in device_chains(data_type):
            yield Case(f"{data_type}/{name}", data_type, codecs)
            yield Case(f"{data_type}-in-shards/{name}", data_type, [sharding((3, 4, 20), codecs)], chunks=(6, 20, 20))
