"""Runs one fuzzer for a while.

    run.py PROGRAM SECONDS [CORPUS]

NAME in PROGRAM, a path that ends in fuzz-NAME, selects the initial seeds: they are made here, in a folder of their own
unless CORPUS names one to keep. The last line has the number of cases. Fails when the fuzzer found something.
"""
import base64
import bz2
import ctypes
import gzip
import io
import json
import lzma
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

ZSTD = "28b52ffd20084100000001020304050607 28b52ffd240841000000010203040506078d1bb814"
BLOSC = ("02013108000200000002000024000000140000000c0000001f000100ffe8500000000000 "
         "0201330410000000100000002000000000000000010000000200000003000000")
ARROW = ("eNqdU71OAzEMdu6nRNUhHVJBHRg6MnTowANUYunQsUgMLPwUigRSkToUJkZGBoYOjAx9IAYGBh6BJyB8SXxt6t4hQSqfY/uz/TlJjTGmGxHlZF"
         "edMqpRSho7LJVQAnX9bYzVG5BPRfQKOYZ8wX6GDCA23gcOSZsN7JvsA8zVtvoSMgVm4nHK+huMI8ZMIS+IzzymbjG7AnMB0Y6pxs97bTyGHA4O"
         "6M3n5o0gVzEnq4cuM8HX24lx+Foe8CbWV5Phjd13gGl73HbVfOeQI2AGHhf9Vq/nMKS0y2+CTw3nm2Hf4LtQqe2zXzL/mZtfO6/m2IzrtfD5wP"
         "7dc0glB5t/6mx/t7Zf0dta3DsqO/cTPncNtGZ3znG0M3O+T7sy7PxLylxlihIqzo1cnfqCf/H2mkAmHOmzP6Lliql6ZawLPmGeEnaZf3y7nENH"
         "4Rw7q3PEiZthvqiyyrutPIeQ65bo6ef3qyZ4F/Gm8O+JM+iIWTriHLqiXo91i/VI5I9E/bHInwr7QdiPwn4Sc8xLzr8e9FOiv6q48//G/1q/0G"
         "mAjwO78BX+6d392h2TwIexNT5RXNq/ird8z8b//+kHl7hjjQ==")  # a stream of columns of several types
# Streams with compressed bodies, and a dictionary with a delta.
LZ4_ARROW = ("eNrtUrFOwzAQPSdOa0URzZChqiKBioSysTJ27ILUBYkRmoUJdWON+BI+owMDIyN/FN7ZZxq7pQhmLjpd7Ds/3z2/vu/7DyIqiS2ngkaU"
             "kcEfTGnSCFvUcEzgG3hl66eoGtEYJ0rsuPMq49wVvIZrcqbgT3CDj3eN5F6By2m3dncxlsflleAm5QHMR4tZwMcWk7fPJA/ofiu9shXo"
             "101WWGRKNHaIlrSzYX+lPVMj6q8zt9JDJVx4872n9L2dS2wkzgY5FeG5fgV7fj29Wzxj2fnS4Jo0rMOyu1+vd3nm4f0YD6m2M22Cu8O5"
             "HwZzNwfm1oO9WqJ/hwuJy2i+ZcQLCQcev4r48paF82LZ3bD5/EuYn+B3rkDbxFC3GuA0e/zSJWRGJyuuVgF/bwF/sz0d8cyLoMvc5liX"
             "uTzxT3pSv9TTacRzrCcV1ZtwXiN6So/oqG3bfx39RUeJ0xFCqCOOn85lUY8=")
ZSTD_ARROW = ("eNrtUztOw0AQfbteO1bkwhJRZCODUlCYipaWAnEB0idxj9JR0HCUXCISBQUlZQ7BNZCZ2R0nazskCFEy1miy83nz0Utd1/UGQAqWIRJE"
              "CBHTLxJlYMi8UA5bTbokHdn8jLIiDKgiJY+rVyHHrkkLUgMnivSRNKaPvbHEXgmXw+7tejFWg8svwdXpHswHi5mQDiwmuycSJ+j6TWZl"
              "SWhet1likaENedysjfjzpbbmnKzZ1sxIL0gzucVOIjtDJDME+F7OxDZzjryY6uHCzUpSrq8+J8l8lyhNAj8e5MB8sWj23xzaPzD2ns+t"
              "Xu19l96+5YF9jRcZi83E3omddfZq3rnn016fZu6yUxf6+4aXwJQFWPn+1VrhQyv87HNycq8RqG0/i1PeMhGUwlMx9nj13rrraY9XRYdX"
              "7n8Fe7Oh3OwYv9Qv+ZUf4Zfq5Mf+vvFNm1T7+FVV1T+//pJfuscvtl/55Vn7")


def documents():
    codecs = [{"name": "transpose", "configuration": {"order": [1, 0]}},
              {"name": "bytes", "configuration": {"endian": "big"}},
              {"name": "gzip", "configuration": {"level": 1}},
              {"name": "zstd", "configuration": {"level": -5, "checksum": True}},
              {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "bitshuffle", "typesize": 4,
                                                  "blocksize": 0}},
              {"name": "crc32c"}]
    fills = {"bool": True, "int8": -128, "uint64": 2**64 - 1, "float16": "0x7e01", "float32": 0.1, "float64": "NaN",
             "complex64": ["-Infinity", 1.5], "complex128": [1e400, "0x7ff8000000000001"], "r16": [18, 52], "r24": "AQID"}
    for name, fill in fills.items():
        yield {"zarr_format": 3, "node_type": "array", "shape": [10, 4], "data_type": name,
               "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 4]}},
               "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}}, "fill_value": fill,
               "codecs": codecs, "attributes": {"a": [float("nan"), "\u00e9", None]}, "dimension_names": ["x", None],
               "storage_transformers": [{"name": "t", "must_understand": False}], "y": {"must_understand": False}}
    time = {"name": "numpy.datetime64", "configuration": {"unit": "ms", "scale_factor": 10}}
    pair = {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int16"}, {"name": "t", "data_type": time}]}}
    text = {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}
    others = [("int4", 7, []), ("float8_e4m3", "NaN", []), ("bfloat16", "0x7fc0", []), (time, "NaT", []),
              (pair, {"a": 1, "t": 2}, []), (text, "a\u00e9", []), ("string", "x", []), ("bytes", "AP8=", []),
              ("uint8", 3, [{"name": "packbits", "configuration": {"first_bit": 1, "last_bit": 6}}]),
              ("float32", 0.5, [{"name": "scale_offset", "configuration": {"scale": 10, "offset": 1}},
                                {"name": "cast_value", "configuration": {"data_type": "int16", "rounding": "towards-zero"}}])]
    edges = [{"kind": "inline", "chunk_shapes": [[[2, 4], 2], 3]}, {"kind": "inline", "chunk_shapes": [4, [[1, 2], 2]]}]
    for i, (name, fill, first) in enumerate(others):
        kind = {"string": "vlen-utf8", "bytes": "vlen-bytes"}.get(name if isinstance(name, str) else "", "bytes")
        chain = first if len(first) == 1 else [*first, {"name": kind, "configuration": {"endian": "little"} if kind == "bytes" else {}}]
        yield {"zarr_format": 3, "node_type": "array", "shape": [10, 4], "data_type": name, "fill_value": fill, "codecs": chain,
               "chunk_grid": {"name": "rectilinear", "configuration": edges[i % 2]},
               "chunk_key_encoding": {"name": "default"}, "attributes": {}}
    yield {"zarr_format": 3, "node_type": "group", "attributes": {"n": 1e5}, "consolidated_metadata": None}


def v2_documents():
    fills = {"|b1": True, "|i1": -128, "<u8": 2**64 - 1, ">f2": "-Infinity", "<f4": 0.1, ">f8": "NaN", "<c8": ["NaN", 1.5],
             "|V3": "AQID", "<i4": None, "<f8": "1.5"}
    compressors = [None, {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": -1, "blocksize": 0}, {"id": "zlib", "level": 1},
                   {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None}, {"id": "zstd", "level": 3}]
    for i, (name, fill) in enumerate(fills.items()):
        yield {"zarr_format": 2, "shape": [10, 4], "chunks": [3, 4], "dtype": name, "fill_value": fill, "order": "CF"[i % 2],
               "filters": [{"id": "shuffle", "elementsize": 4}] if i % 3 else None, "dimension_separator": "./"[i % 2],
               "compressor": compressors[i % len(compressors)]}
    for name, fill, filters in (("<M8[10ns]", "NaT", None), ("|O", "x", [{"id": "vlen-utf8"}]), ("|O", "AP8=", [{"id": "vlen-bytes"}]),
                                ("<U2", "a", None), ("|S3", "AQID", None),
                                ([["a", "<i4"], ["", "|V4"], ["b", [["x", ">f8", [2]], ["y", "<c8"]]]], None, None),
                                ([[["a title", "a"], "<i4"], ["", "|V4"], ["b", [["x", "<f8"], ["y", "<c8"]]]], None, None),
                                ("<f4", 1, [{"id": "fixedscaleoffset", "scale": 10, "offset": 1, "dtype": "<f4", "astype": "|u1"}]),
                                ("<f8", 1, [{"id": "quantize", "digits": 2, "dtype": "<f8", "astype": "<f4"}])):
        yield {"zarr_format": 2, "shape": [10, 4], "chunks": [3, 4], "dtype": name, "fill_value": fill, "order": "C",
               "filters": filters, "compressor": None}
    yield {"zarr_format": 2, "shape": [6], "chunks": [4], "dtype": ">u2", "fill_value": "7", "order": "C", "node_type": "array",
           "filters": [{"id": "shuffle", "elementsize": "2"}], "compressor": {"id": "zlib", "level": "9"}}
    yield {"zarr_format": 2, "shape": [], "chunks": [], "dtype": "<i4", "fill_value": 0, "order": "C", "compressor": None,
           "filters": [{"id": "delta", "dtype": "<i4", "astype": "|i1"}, {"id": "crc32"}]}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def zstd_stored(data):
    """A frame of one block that is not compressed."""
    return bytes.fromhex("28b52ffd20") + bytes([len(data)]) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def shard(chunks, checksum=True, at_start=False, order="<"):
    """Chunks (None: missing) and their index."""
    index_size = 16 * len(chunks) + 4 * checksum
    index, values, at = b"", b"", index_size if at_start else 0
    for chunk in chunks:
        index += struct.pack(order + "QQ", *((2**64 - 1,) * 2 if chunk is None else (at + len(values), len(chunk))))
        values += chunk or b""
    if checksum:
        index += crc32c(index)
    return index + values if at_start else values + index


def shards():
    """One for each array of shard.cpp, in its order; and the same with some chunks missing."""
    plain = [bytes(range(i, i + 4)) for i in range(1, 5)]
    for chunks in plain, [plain[0], None, plain[2], None]:
        packed = [chunk and zstd_stored(chunk) for chunk in chunks]
        halves = lambda of, *how: [shard(of[:2], *how), shard(of[2:], *how)]
        yield from enumerate([
            shard(chunks), shard(chunks, True, True), shard(chunks, False), shard(packed, False, True), shard(packed),
            shard(halves(chunks, True, True)), shard(halves(packed, False), False, True),
            shard([chunk and chunk * 2 for chunk in chunks], True, False, ">")])


def blosc_chunks():
    """Blosc 1 buffers of each format, filter and split; LZ4 and snappy are literals, and some streams are stored."""
    plain = bytes(i // 4 >> 8 * (i % 4) & 0xFF for i in range(700))
    streams = {1: lambda data: b"\xf0" + bytes([255] * ((len(data) - 15) // 255)) + bytes([(len(data) - 15) % 255]) + data,
               2: lambda data: struct.pack("<BBBH", len(data) & 127 | 128, len(data) >> 7, 61 << 2, len(data) - 1) + data,
               3: zlib.compress, 4: lambda data: zstd_stored(data) if len(data) < 256 else data}
    for inside, compress in streams.items():
        for flags, element, block in ((0x11, 4, 256), (0x14, 2, 128), (0x10, 1, 700), (0x01, 2, 256), (0x04, 1, 640)):
            found = []
            for at in range(0, len(plain), block):
                part = plain[at : at + block]
                splits = element if not flags & 0x10 and len(part) == block else 1
                size = len(part) // splits
                pieces = [part[i * size : (i + 1) * size] for i in range(splits)]
                packed = [piece if inside == 3 and i % 2 else compress(piece) for i, piece in enumerate(pieces)]
                found.append(b"".join(struct.pack("<I", len(piece)) + piece for piece in packed))
            offsets, at = b"", 16 + 4 * len(found)
            for piece in found:
                offsets += struct.pack("<I", at)
                at += len(piece)
            yield struct.pack("<4B3I", 2, 1, inside << 5 | flags, element, len(plain), block, at) + offsets + b"".join(found)
    yield struct.pack("<4B3I", 2, 1, 0x33, 4, 20, 20, 36) + plain[:20]


def descriptors():
    """Of arrays in shared and in device memory, and of a struct of columns (docs/ipc.md)."""
    who = {"host": "5f", "process": 42, "start": 7, "session": "0123456789abcdef" * 2}
    array = {"format": "tessera-ipc", "version": [1, 0], "producer": who,
             "memory": {"kind": "shared-memory", "allocation": 1, "size": 96}, "data_type": "float32", "shape": [4],
             "strides": [1], "offset": 0}
    device = {**array, "memory": {"kind": "cuda-ipc", "allocation": 2, "size": 2**21, "device": "GPU-0", "handle": "AQID",
                                  "event": [0, 255]}, "shape": [6, 4], "strides": [-4, 1], "offset": 80}
    pooled = {**device, "memory": {**device["memory"], "kind": "cuda-pool", "pool": 3}}
    bits, offsets = {**array, "data_type": "uint8", "shape": [1]}, {**array, "data_type": "int32", "shape": [5]}
    values = {"name": "a", "schema": "f", "length": 4, "offset": 0, "null_count": 1, "data": array,
              "mask": {"kind": "bits", "buffer": bits}}
    words = {"name": "w", "schema": "u", "length": 4, "offset": 0, "null_count": -1, "offsets": offsets, "data": bits}
    row = {"name": "", "schema": "+s", "length": 3, "offset": 1, "null_count": 0, "children": [values, words]}
    column = {"format": "tessera-ipc", "version": [1, 0], "column": row}
    times = {**array, "data_type": {"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}}, "shape": [2]}
    text = {**array, "data_type": {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, "shape": [2]}
    return [array, device, pooled, column, times, text]


def zip_files():
    """With entries stored and deflated, a comment, extra fields, and one in the 64-bit form."""
    for how in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", how) as archive:
            archive.comment = b"{}"
            archive.writestr("zarr.json", json.dumps({"zarr_format": 3, "node_type": "group"}))
            with archive.open("a/c/0", "w", force_zip64=True) as entry:
                entry.write(bytes(range(40)) * 2)
            archive.writestr("a/c/", b"")
        yield file.getvalue()


def icechunk_files():
    """The tables of each repository of tests/with/data that has its branches in one file, two snapshots at a time."""
    zstd = ctypes.CDLL("libzstd.so.1")

    def content(path):
        file, to = path.read_bytes(), ctypes.create_string_buffer(1 << 16)
        assert file[38] == 1, f"{path}: expected zstd"
        size = zstd.ZSTD_decompress(to, ctypes.c_size_t(len(to)), file[39:], ctypes.c_size_t(len(file) - 39))
        assert 0 < size < len(to), f"{path}: it does not decode"
        return to.raw[:size]

    root = pathlib.Path(__file__).parents[1] / "with" / "data" / "icechunk2"
    snapshots, manifests = ([content(path) for path in sorted((root / kind).iterdir())] for kind in ("snapshots", "manifests"))
    repo = content(root / "repo")
    for first, second, third in [(repo, snapshots[0], b""), *((b"", one, of) for one in snapshots for of in manifests)]:
        yield struct.pack("<HH", len(first), len(second)) + first + second + third


def seeds(name):
    """Small inputs that reach the inside: for decoders, the room for the output comes first."""
    if name == "document":
        return [json.dumps(document).encode() for document in documents()]
    if name == "descriptor":
        return [json.dumps(descriptor, separators=(",", ":")).encode() for descriptor in descriptors()]
    if name == "http":
        ranges = ("bytes 0-99/1234", "bytes */16", "bytes 3-4/*", "bytes 0-18446744073709551615/*", "bytes 9-1/2")
        return [f"HTTP/1.1 206 Partial Content\r\nContent-Range: {one}\r\ncontent-encoding:\t gzip \r\n\r\n".encode() for one in ranges]
    if name == "arrow_messages":
        return [zlib.decompress(base64.b64decode(one)) for one in (ARROW, LZ4_ARROW, ZSTD_ARROW)]
    if name == "xml":
        return [b"<L><Contents><Key>a&amp;&#233;&#x1F600;</Key><Size>3</Size></Contents><Blob><Name>b</Name></Blob><Blob/></L>",
                b"<Error><Code>NoSuchKey</Code></Error>"]
    if name == "references":
        refs = {".zgroup": {"zarr_format": 2}, "a/.zarray": "{}", "a/0": ["{{u}}/x", 1, 2], "a/1": ["s3://b/c?d"],
                "a/2": ["https://u:p@h/%20?q", 0, 18446744073709551615], "b": "base64:AAH/", "c": ["file:///x/y"]}
        found = [{"version": 1, "templates": {"u": "/x"}, "gen": [], "refs": refs}, {"a": "b", "c": ["d", 0, 0]}]
        return [json.dumps(one).encode() for one in found]
    if name == "zip":
        return list(zip_files())
    if name == "icechunk":
        return list(icechunk_files())
    if name == "v2_document":
        return [json.dumps(document).encode() for document in v2_documents()]
    if name == "json":
        texts = ["-0", "1e-7", "1E+400", "NaN", "[-Infinity]", "18446744073709551616", '"\\u00e9\\ud83d\\ude00\\n"', "[[], {}, null]"]
        return [text.encode() for text in texts] + seeds("document")
    if name == "vlen":
        elements = [b"a", b"", "\u00e9\u20ac".encode(), b"x" * 20]
        chunk = struct.pack("<I", len(elements)) + b"".join(struct.pack("<I", len(one)) + one for one in elements)
        index = struct.pack("<5I", *(len(b"".join(elements[:i])) for i in range(5)))
        indexed = [struct.pack("<Q", len(index)) + index + b"".join(elements), b"".join(elements) + index + struct.pack("<Q", len(index))]
        return [*(bytes([4]) + one for one in indexed), bytes([4]) + chunk, bytes([1]) + struct.pack("<II", 1, 2) + b"\xff\xfe", bytes(5)]
    if name == "pcodec":  # of each number type and version of the format
        types = ["uint32", "uint64", "int32", "int64", "float32", "float64", "uint16", "int16", "float16", "uint8", "int8"]
        found = json.loads((pathlib.Path(__file__).parents[1] / "data" / "pcodec.json").read_text())
        return [struct.pack("<HB", case["count"], types.index(case["type"])) + bytes.fromhex(case["file"]) for case in found]
    if name == "numcodecs":  # for each codec a valid chunk, or some bytes, with room for 40 bytes
        plain = bytes(range(20)) * 2
        lz4 = struct.pack("<I", 40) + b"\xf0" + bytes([25]) + plain
        sound = [zlib.compress(plain), lz4, bz2.compress(plain), lzma.compress(plain), zlib.crc32(plain).to_bytes(4, "little") + plain,
                 zlib.adler32(plain).to_bytes(4, "little") + plain, plain, plain, plain, plain]
        return [bytes([i, how, 40, 0]) + chunk for i, chunk in enumerate(sound) for how in (1, 2, 0x1D, 0xFF)] + [
            bytes([3, 0, 40, 0]) + lzma.compress(plain, lzma.FORMAT_ALONE)]
    if name == "zfp":  # of six elements, and of other types and shapes; with a header after each mode
        bodies = [bytes.fromhex(text) for text in ("0112899944320900 01711c9c428a00200100000000000000 "
                  "7a6670052600001000000088011289994432090000000000 7a667005260000100000f00701711c9c428a0020010000000000000000000000 "
                  "7a66700525000010000000883f00000000000000041349049804000000000000").split()]
        return [bytes([how, type, 2, 0x21, 0]) + body for how in range(7) for type in (0, 1, 3, 6) for body in bodies]
    if name == "elementwise":  # of each codec one chunk of each of two types
        return [bytes([kind, type, 16, type, 130, 131, 1, 0]) + bytes(range(128)) for kind in range(8) for type in (3, 9)]
    if name == "bytes":
        return [bytes([kind, 2, 0x33, 0x23, 0, 0b0001, 3]) + bytes(range(64)) * 4 for kind in range(14)]
    if name == "frames":
        return [gzip.compress(b"abc" * 50, mtime=0), *(bytes.fromhex(text) for text in ZSTD.split()),
                struct.pack("<I", 1) + b"\x10x", zstd_stored(b"abc") * 2]
    if name == "blosc_frames":
        return [struct.pack("<H", room) + chunk for chunk in blosc_chunks() for room in (700, 800)]
    if name == "shard":  # unchanged, of each store, and with corrected checksums; and entries of two bytes
        found = [bytes([which | how, part & 3, part]) + value
                 for part, (which, value) in enumerate(shards()) for how in (0, 0xC0, 0x08)]
        return found + [bytes([0x10, 0, 0x5A]) + struct.pack("<8H", 0, 4, 4, 4, 8, 4, 65535, 65535) + bytes(range(12))]
    chunks = {"gzip": [gzip.compress(b"abc" * 50, mtime=0), gzip.compress(b"a") + gzip.compress(b"b")],
              "crc32c": [bytes.fromhex("313233343536373839839206e3")],
              "zstd": [bytes.fromhex(text) for text in ZSTD.split()],
              "blosc": [bytes.fromhex(text) for text in BLOSC.split()]}
    return [struct.pack("<H", room) + chunk for chunk in chunks[name] for room in (9, 600)]


def main(program, seconds, corpus=None):
    name = program.rsplit("fuzz-", 1)[1]
    with tempfile.TemporaryDirectory() as folder:
        corpus = pathlib.Path(corpus or folder)
        corpus.mkdir(exist_ok=True, parents=True)
        for i, seed in enumerate(seeds(name)):
            (corpus / f"seed-{i}").write_bytes(seed)
        run = subprocess.run([program, f"-max_total_time={seconds}", "-seed=1", "-max_len=4096", "-timeout=20",
                              "-rss_limit_mb=1024", "-malloc_limit_mb=512", "-print_final_stats=1",
                              f"-artifact_prefix={corpus}/", str(corpus)],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        cases = re.search(r"number_of_executed_units: (\d+)", run.stdout)
        if run.returncode or not cases or int(cases[1]) == 0:
            print(run.stdout[-6000:])
            for found in corpus.glob("*-*"):
                if found.name.startswith(("crash-", "oom-", "timeout-", "leak-")):
                    print(f"{found.name}: {found.read_bytes().hex()}")
            return f"{name}: the fuzzer failed"
        print(f"{name}: {cases[1]} cases in {seconds} seconds, nothing found")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
