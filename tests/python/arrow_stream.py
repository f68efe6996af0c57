"""arrow_stream.py ENVIRONMENT PROGRAM: streams of pyarrow are read and written by PROGRAM, on the host and on the
device, and read by pyarrow again."""

import pathlib
import subprocess
import sys

environment, program = pathlib.Path(sys.argv[1]), sys.argv[2]
python = environment / "bin" / "python"
if not python.exists():
    print(f"not run: there is no Python environment {environment}; tests/run.sh makes it")
    sys.exit(77)
if pathlib.Path(sys.prefix).resolve() != environment.resolve():
    sys.exit(subprocess.run([python, __file__, *sys.argv[1:]]).returncode)

import datetime  # noqa: E402
import decimal  # noqa: E402
import io  # noqa: E402
import random  # noqa: E402

import pyarrow as pa  # noqa: E402


def of(values, kind):
    return pa.array(values * 5, kind)  # 20 rows


COLUMNS = {
    **{name: of([1, None, 3, 4], getattr(pa, name)()) for name in
       "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()},
    "no nulls": of([1, 2, 3, 4], pa.int32()),
    "bool": of([True, None, False, True], pa.bool_()),
    "string": of(["a", None, "", "ccc"], pa.string()),
    "large string": of(["a", None, "", "ccc"], pa.large_string()),
    "binary": of([b"a", None, b"", b"\x00c"], pa.binary()),
    "large binary": of([b"a", None, b"", b"\x00c"], pa.large_binary()),
    "three bytes": of([b"abc", None, b"def", b"ghi"], pa.binary(3)),
    **{f"decimal{bits}": of([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25"), decimal.Decimal("0.01")],
                            getattr(pa, f"decimal{bits}")(digits, 2))
       for bits, digits in [(32, 9), (64, 18), (128, 38), (256, 60)]},
    "negative scale": of([decimal.Decimal("1200"), None, decimal.Decimal("300"), None], pa.decimal128(5, -2)),
    "date32": of([datetime.date(2026, 1, 2), None, datetime.date(1969, 1, 1), None], pa.date32()),
    "date64": of([datetime.date(2026, 1, 2), None, datetime.date(1969, 1, 1), None], pa.date64()),
    **{f"time {unit}": of([1, None, 2, 3], (pa.time32 if unit in ("s", "ms") else pa.time64)(unit))
       for unit in ("s", "ms", "us", "ns")},
    **{f"moment {unit}": of([1, None, 2, 3], pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
    "moment there": of([1, None, 2, 3], pa.timestamp("us", "Europe/Berlin")),
    **{f"span {unit}": of([1, None, 2, 3], pa.duration(unit)) for unit in ("s", "ms", "us", "ns")},
    "nothing": of([None] * 4, pa.null()),
    "lists": of([[1, 2], None, [], [3, None]], pa.list_(pa.int32())),
    "large lists": of([["a"], None, [], ["b", None]], pa.large_list(pa.string())),
    "pairs": of([[1, 2], [3, 4], [5, None], [7, 8]], pa.list_(pa.int8(), 2)),
    "pairs of bools": of([[True, False], None, [None, True], [True, True]], pa.list_(pa.bool_(), 2)),
    "struct": of([{"x": 1, "y": ["a"]}, None, {"x": None, "y": None}, {"x": 2, "y": []}],
                 pa.struct([("x", pa.int16()), ("y", pa.list_(pa.string()))])),
    "codes": of(["b", "a", None, "b"], pa.string()).dictionary_encode(),
    "wide codes": of([2.5, None, 1.5, 2.5], pa.float64()).dictionary_encode().cast(pa.dictionary(pa.uint64(), pa.float64())),
    "codes in lists": pa.array([["b", "a"], None, [], ["a"]] * 5, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "codes of lists": pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 1] * 5, pa.int16()), pa.array([[1], [2, 3]])),
}  # fmt: skip
whole = pa.table(COLUMNS)


def copied(stream, where, first=0):
    return subprocess.run([program, where, str(first)], input=stream, capture_output=True)


def batches_of(table, rows=None):
    """One without rows, if the table has none."""
    if table.num_rows:
        return table.to_batches(rows)
    return [pa.RecordBatch.from_arrays([column.combine_chunks() for column in table.columns], schema=table.schema)]


def stream_of(schema, batches, **options):
    to = io.BytesIO()
    with pa.ipc.new_stream(to, schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return to.getvalue()


def expect_same(table, where, first=0, rows=None, **options):
    ended = copied(stream_of(table.schema, batches_of(table, rows), **options), where, first)
    assert ended.returncode == 0, (where, first, table.schema, ended.stderr)
    with pa.ipc.open_stream(ended.stdout) as reader:
        found = reader.read_all()
    found.validate(full=True)
    expected = pa.concat_tables([pa.Table.from_batches([batch])[first:] for batch in batches_of(table, rows)])
    assert found.schema == expected.schema, (found.schema, expected.schema)
    assert found.to_pylist() == expected.to_pylist(), (where, first, found.to_pylist(), expected.to_pylist())


def expect_refused(stream, where, message):
    ended = copied(stream, where)
    assert (ended.returncode, ended.stderr.decode().strip()) == (1, message), ended.stderr


checks = 0
for where in ("host", "device"):
    for name in COLUMNS:
        for first in (0, 8, 20) if where == "device" else (0, 3, 8, 20):
            expect_same(whole.select([name]), where, first)
            checks += 1
    expect_same(whole, where)
    expect_same(whole, where, rows=8)  # several batches
    expect_same(whole[3:14], where)
    expect_same(whole[:0], where)
    for kind, name, format in [(pa.string_view(), "string_view", "vu"), (pa.binary_view(), "binary_view", "vz"),
                               (pa.map_(pa.string(), pa.int8()), "map", "+m"),
                               (pa.list_view(pa.int8()), "list_view", "+vl"),
                               (pa.run_end_encoded(pa.int32(), pa.int8()), "run_end_encoded", "+r"),
                               (pa.dense_union([pa.field("a", pa.int8())]), "dense_union", "+ud:"),
                               (pa.sparse_union([pa.field("a", pa.int8())]), "sparse_union", "+us:"),
                               (pa.month_day_nano_interval(), "month_day_nano_interval", "tin")]:  # fmt: skip
        expect_refused(stream_of(pa.schema([("x", kind)]), []), where,
                       f'array "x" of format "{format}": the library does not have Arrow\'s type {name}')  # fmt: skip
# Bodies that the program compresses.
for compression in ("lz4", "zstd"):
    for name in COLUMNS:
        for first in (0, 3, 8, 20):
            expect_same(whole.select([name]), compression, first)
            checks += 1
    expect_same(whole, compression, rows=8)
    expect_same(whole[:0], compression)
    noise = random.Random(2)
    long = pa.table({"x": [noise.random() for _ in range(20_000)], "y": ["abc"] * 20_000})
    expect_same(long, compression)
    plain = stream_of(long.schema, batches_of(long))
    written = copied(plain, compression).stdout
    assert len(written) < 0.9 * len(plain), (compression, len(written), len(plain))
    message = pa.ipc.MessageReader.open_stream(written)
    message.read_next_message()  # the schema
    assert pa.ipc.read_record_batch(message.read_next_message(), long.schema).num_rows == 20_000
for compression, name, type, header in [("lz4", "LZ4_FRAME", "Lz4Frame", "arrow/lz4.hpp"),
                                        ("zstd", "ZSTD", "Zstd", "arrow/zstd.hpp")]:  # fmt: skip
    for where in ("host", "crossed"):
        for column in COLUMNS:
            expect_same(whole.select([column]), where, compression=compression)
            checks += 1
        expect_same(whole, where, first=8, compression=compression)
        expect_same(whole, where, rows=8, compression=compression)
        expect_same(whole[:0], where, compression=compression)
        noise = random.Random(1)
        expect_same(pa.table({"x": [noise.random() for _ in range(20_000)], "y": ["abc"] * 20_000}), where,
                    compression=compression)
    ones = stream_of(whole.select(["int64"]).schema, batches_of(whole.select(["int64"])), compression=compression)
    expect_refused(ones, "plain", f"the batch is compressed by {name}, expected an uncompressed one, or a "
                   f"MessageReader with arrow_c::{type} of tessera/with/{header}")  # fmt: skip
    expect_refused(ones, "device", f"the batch is compressed by {name} in a device's memory, expected its body in host "
                   "memory, for read<DeviceBuffer>(header, body, queue)")  # fmt: skip

# Dictionaries grow from batch to batch, by deltas, or whole.
WORDS = {"strings": pa.array(["a", "b", "c", "dd", "eee"]), "nulls": pa.array(["a", None, None, "dd", "eee"]),
         "numbers": pa.array([1.5, 2.5, 3.5, None, 5.5]), "bytes": pa.array([b"x", b"", b"yy", b"\x00", b"zzz"]),
         "wide": pa.array(["a", "b", "c", "dd", "eee"], pa.large_string()),
         "bools": pa.array([True, None, False, True, True]),
         "three bytes": pa.array([b"abc", b"def", None, b"ghi", b"jkl"], pa.binary(3)),
         "decimals": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25"), decimal.Decimal("0.01"),
                               decimal.Decimal("7.00")], pa.decimal128(38, 2)),
         "moments": pa.array([1, None, 3, 4, 5], pa.timestamp("us", "Europe/Berlin")),
         "lists": pa.array([[1], [2, None], None, [], [5]], pa.list_(pa.int32())),
         "pairs": pa.array([[1, 2], None, [3, 4], [5, None], [7, 8]], pa.list_(pa.int8(), 2)),
         "structs": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": "ccc"}, {"x": 4, "y": None}, {"x": 5, "y": ""}],
                             pa.struct([("x", pa.int64()), ("y", pa.string())])),
         "codes in lists": pa.ListArray.from_arrays([0, 1, 3, 3, 4, 5], pa.array(["u", "v", "u", "u", "v"])
                                                    .dictionary_encode())}  # fmt: skip


def grown(name, first, last):
    """The batch of one column whose dictionary has the first `last` values, and its rows those from `first` on."""
    return pa.RecordBatch.from_arrays(
        [pa.DictionaryArray.from_arrays(pa.array([*range(first, last), None, 0], pa.int16()), WORDS[name][:last])], [name])


def values_of(batch):
    column = batch.column(0)
    return [None if index is None else column.dictionary[index].as_py() for index in column.indices.to_pylist()]


deltas = 0
for name in WORDS:
    for compression in (None, "lz4", "zstd"):
        parts = [grown(name, 0, 2), grown(name, 2, 3), grown(name, 3, 3), grown(name, 3, 5)]
        for adds in (True, False):  # or each dictionary in place of the one before
            stream = stream_of(parts[0].schema, parts, emit_dictionary_deltas=adds, compression=compression)
            with pa.ipc.open_stream(stream) as reader:
                assert [values_of(batch) for batch in reader] == [values_of(batch) for batch in parts]
                deltas += reader.stats.num_dictionary_deltas
            for where in ("host", "crossed") if compression else ("host", "crossed", "device"):
                ended = copied(stream, where)
                assert ended.returncode == 0, (where, name, ended.stderr)
                with pa.ipc.open_stream(ended.stdout) as reader:
                    found = [values_of(batch) for batch in reader]
                assert found == [values_of(batch) for batch in parts], (where, name, found)
                checks += 1
assert deltas == 2 * 3 * (len(WORDS) - 1), deltas  # pyarrow adds to no dictionary of dictionaries
print(f"{checks} columns came back from {program} as they were")
