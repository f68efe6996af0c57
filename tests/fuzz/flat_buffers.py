"""FlatBuffers for seeds of the fuzzers, and those of a small Icechunk snapshot and its manifest."""
import struct


def table(fields):
    """The bytes of a table and what it refers to, and where it begins. Values: bytes in place, texts, tables, lists."""
    places, size = {}, 4
    for number, value in fields.items():
        places[number] = size
        size += len(value) if isinstance(value, bytes) else 4
    fields_of = struct.pack("<HH", 4 + 2 * (max(fields) + 1), size)
    fields_of += b"".join(struct.pack("<H", places.get(i, 0)) for i in range(max(fields) + 1))
    inside, behind = struct.pack("<i", len(fields_of)), b""
    for number, value in fields.items():
        if isinstance(value, bytes):
            inside += value
            continue
        child, start = child_of(value)
        inside += struct.pack("<I", size - places[number] + len(behind) + start)
        behind += child
    return fields_of + inside + behind, len(fields_of)


def child_of(value):
    if isinstance(value, dict):
        return table(value)
    if isinstance(value, str):
        return struct.pack("<I", len(value)) + value.encode(), 0
    if isinstance(value, tuple):  # numbers of four bytes
        return struct.pack(f"<I{len(value)}I", len(value), *value), 0
    offsets, behind = b"", b""
    for i, one in enumerate(value):
        child, start = table(one)
        offsets += struct.pack("<I", 4 * (len(value) - i) + len(behind) + start)
        behind += child
    return struct.pack("<I", len(value)) + offsets + behind, 0


def root(fields):
    content, start = table(fields)
    return struct.pack("<I", 4 + start) + content


def icechunk_seed():
    document = '{"zarr_format": 3, "node_type": "array"}'
    node = {0: b"nodeid01", 1: "/a/b", 2: document, 3: b"\1", 4: {2: [{0: bytes(12)}]}}
    snapshot = root({2: [node, {0: b"nodeid02", 1: "/", 2: document, 3: b"\0"}]})
    chunks = [{0: (0, 1), 1: "inline"}, {0: (1, 0), 2: struct.pack("<Q", 5), 3: struct.pack("<Q", 6), 4: bytes(range(12))},
              {0: (1, 1), 2: struct.pack("<Q", 5), 3: struct.pack("<Q", 6), 5: "s3://bucket/x.nc"}]
    manifest = root({1: [{0: b"nodeid01", 1: chunks}]})
    return struct.pack("<H", len(snapshot)) + snapshot + manifest
