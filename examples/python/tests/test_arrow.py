"""Arrays and columns by Arrow's PyCapsule interface, with pyarrow as the other library."""

import ctypes
import datetime
import decimal
import gc
import json
import subprocess
import sys

import numpy as np
import pytest
from processes import comes_true, python

import tessera
from tessera._sharing import process

pa = pytest.importorskip("pyarrow")

ATTACHES = """
import pyarrow
for line in sys.stdin:
    what, given = json.loads(line)
    if what == "table":
        column = tessera.attach_column(given)
        batch = pyarrow.record_batch(column)
        column.close()
        tell([batch.schema.to_string(), batch.validate(full=True) or str(batch.to_pylist())])
        tell(batch["weight"].buffers()[1].address != 0)
"""

NUMBERS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()


def tensor_of(values, tmp_path, name="a"):
    """The array read back from a store: a Tensor in memory of its own."""
    array = tessera.create_array(tmp_path / name, shape=values.shape, dtype=values.dtype, chunks=values.shape)
    array[...] = values
    return array.read()


def address_of(tensor):
    return tensor.__array_interface__["data"][0]


def matches(found, expected):
    """The full validation reads every offset, mask and index."""
    found.validate(full=True)
    assert found.to_pylist() == expected


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_are_imported_in_place(dtype, tmp_path):
    values = np.arange(10).astype(dtype)
    tensor = tensor_of(values, tmp_path)
    found = pa.array(tensor)
    assert found.type == pa.from_numpy_dtype(np.dtype(dtype))
    assert found.buffers()[1].address == address_of(tensor)
    assert found.buffers()[0] is None
    del tensor
    gc.collect()
    matches(found, values.tolist())


def test_each_dimension_but_the_first_is_a_fixed_size_list(tmp_path):
    values = np.arange(24, dtype="int32").reshape(2, 3, 4)
    tensor = tensor_of(values, tmp_path)
    found = pa.array(tensor)
    assert found.type == pa.list_(pa.list_(pa.int32(), 4), 3)
    assert found.flatten().flatten().buffers()[1].address == address_of(tensor)
    matches(found, values.tolist())


def test_bools_are_bits(tmp_path):
    values = np.arange(19) % 3 == 0
    matches(pa.array(tensor_of(values, tmp_path)), values.tolist())


def test_a_slice_with_strides_is_copied():
    values = np.arange(24, dtype="float32").reshape(4, 6)
    published = tessera.publish(values)
    part = tessera.attach(published.descriptor[1:4, ::2])
    matches(pa.array(part), values[1:4, ::2].tolist())
    rows = tessera.attach(published.descriptor[2:4])
    assert pa.array(rows).flatten().buffers()[1].address == address_of(rows.tensor)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)], ids=str)
def test_no_elements(shape):
    with tessera.publish(np.zeros(shape, "int16")) as published:
        matches(pa.array(tessera.attach(published.descriptor)), np.zeros(shape).tolist())


def test_types_that_arrow_has_not(tmp_path):
    with pytest.raises(tessera.ExchangeError, match="Arrow has no format for elements of complex64"):
        pa.array(tensor_of(np.zeros(3, "complex64"), tmp_path))
    with pytest.raises(tessera.ExchangeError, match="without dimensions"):
        tensor_of(np.array(3.0), tmp_path, "b").__arrow_c_array__()


def test_a_requested_schema_is_ignored_and_the_consumer_compares(tmp_path):
    tensor = tensor_of(np.arange(3, dtype="int32"), tmp_path)
    schema, array = tensor.__arrow_c_array__(pa.int64().__arrow_c_schema__())
    found = pa.Array._import_from_c_capsule(schema, array)
    assert found.type == pa.int32()
    matches(found.cast(pa.int64()), [0, 1, 2])
    with pytest.raises(TypeError, match="arrow_schema"):
        tensor.__arrow_c_array__(array)
    with pytest.raises(TypeError, match="arrow_schema"):
        tensor.__arrow_c_array__(3)


def test_capsules_without_a_consumer_release_the_lease():
    published = tessera.publish(np.arange(4))
    attached = tessera.attach(published.descriptor)
    capsules = attached.__arrow_c_array__()
    attached.close()
    assert published.holders == 1
    del capsules
    assert comes_true(lambda: published.holders == 0)
    with pytest.raises(tessera.IpcError, match="closed"):
        attached.__arrow_c_array__()


def test_the_lease_lasts_as_long_as_arrow_shows_the_memory():
    published = tessera.publish(np.arange(4))
    with tessera.attach(published.descriptor) as attached:
        found = pa.array(attached)
    part = found[1:3]
    del found
    gc.collect()
    assert published.holders == 1
    matches(part, [1, 2])
    del part
    assert comes_true(lambda: published.holders == 0)


COLUMNS = {
    "weight": (np.ma.MaskedArray(np.arange(5, dtype="float32"), [0, 1, 0, 0, 1]), [0.0, None, 2.0, 3.0, None]),
    "word": (["one", None, "", "drei", "ü"], ["one", None, "", "drei", "ü"]),
    "when": (
        np.array(["2026-01-01", "2026-01-02", "1969-07-20", "2000-01-01", "1970-01-01"], "M8[s]"),
        [datetime.datetime(*day) for day in ((2026, 1, 1), (2026, 1, 2), (1969, 7, 20), (2000, 1, 1), (1970, 1, 1))],
    ),
    "flag": (np.array([True, False, True, True, False]), [True, False, True, True, False]),
}


def test_a_table_of_another_process_is_a_record_batch():
    published = tessera.publish_column({name: values for name, (values, _) in COLUMNS.items()})
    expected = [dict(zip(COLUMNS, row)) for row in zip(*(values for _, values in COLUMNS.values()))]
    column = tessera.attach_column(published.descriptor)
    batch = pa.record_batch(column)
    matches(batch, expected)
    assert batch["weight"].buffers()[1].address == address_of(column["weight"].data.tensor)
    matches(pa.record_batch(published), expected)  # in its own process
    assert pa.table(column).to_pylist() == expected
    matches(pa.array(tessera.attach_column(published.descriptor[2:4])), expected[2:4])
    matches(pa.array(column["word"]), COLUMNS["word"][1])
    other = python(ATTACHES)
    schema, text = other.ask("table", str(published.descriptor))
    assert schema == batch.schema.to_string() and text == str(expected)
    assert other.get() is True
    assert other.end() == 0
    column.close()
    del batch
    gc.collect()
    assert comes_true(lambda: process.producer().leases == 0)


ARRAYS = [
    pa.array([1, None, 3], pa.int16()),
    pa.array([True, None, False, True, None, True, True, True, False]),
    pa.array(["a", None, "ccc"]),
    pa.array(["a", None, "ccc"], pa.large_string()),
    pa.array([b"a", None, b"\x00c"], pa.binary()),
    pa.array([b"abc", None, b"def"], pa.binary(3)),
    pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-1234567890123456789012345678.25")], pa.decimal128(38, 2)),
    pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")], pa.decimal32(9, 2)),
    pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")], pa.decimal64(18, 2)),
    pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")], pa.decimal256(60, 2)),
    pa.array([datetime.date(2026, 1, 2), None], pa.date32()),
    pa.array([datetime.date(2026, 1, 2), None], pa.date64()),
    pa.array([datetime.time(1, 2, 3), None], pa.time32("s")),
    pa.array([1, None], pa.timestamp("us", "Europe/Berlin")),
    pa.array([1, None], pa.duration("ms")),
    pa.array([None, None], pa.null()),
    pa.array([[1, 2], None, [], [3]]),
    pa.array([[1, 2], None, [3, None]], pa.list_(pa.int8(), 2)),
    pa.array(["a", "b", None, "a"]).dictionary_encode(),
    pa.array([{"x": 1, "y": ["a"]}, None, {"x": None, "y": None}]),
    pa.array([], pa.string()),
    pa.array([], pa.list_(pa.int8())),
    pa.Array.from_buffers(pa.string(), 0, [None, pa.allocate_buffer(0), pa.allocate_buffer(0)]),  # not one offset
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.type))
@pytest.mark.parametrize("first", [0, 1])
def test_arrays_of_pyarrow_go_to_other_processes_and_come_back(array, first):
    array = array[first:]
    published = tessera.publish_column(array, name="x")
    assert published.descriptor.name == "x"
    column = tessera.attach_column(tessera.ColumnDescriptor(str(published.descriptor)))
    found = pa.array(column)
    assert found.type == array.type
    matches(found, array.to_pylist())
    is_octets = pa.types.is_binary(array.type) or pa.types.is_fixed_size_binary(array.type)
    if not pa.types.is_temporal(array.type) and not is_octets:
        assert column.to_list() == array.to_pylist()
    if len(array) > 1:
        matches(pa.array(tessera.attach_column(published.descriptor[1:])), array[1:].to_pylist())


@pytest.mark.parametrize("view, text", [(pa.string_view(), pa.large_string()), (pa.binary_view(), pa.large_binary())])
def test_views_of_pyarrow_are_copied_to_strings(view, text):
    values = ["a", None, "a text of more than twelve characters", "", "of twelve ch"]
    array = pa.array(values * 3, text).cast(view)[1:]
    published = tessera.publish_column(array)
    found = pa.array(tessera.attach_column(published.descriptor))
    assert found.type == text
    matches(found, array.to_pylist())


def test_dates_and_indices_as_numpy_has_them():
    published = tessera.publish_column(pa.array([datetime.date(2026, 1, 2)]))
    assert tessera.attach_column(published.descriptor).values()[0] == np.datetime64("2026-01-02")
    published = tessera.publish_column(pa.array(["b", "a", "b"]).dictionary_encode())
    coded = tessera.attach_column(published.descriptor)
    assert coded.values().tolist() == [0, 1, 0]
    assert coded.dictionary.to_list() == ["b", "a"]


def test_columns_that_pyarrow_has_and_tessera_not():
    for array, name in [(pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())), "map"),
                        (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), "sparse_union")]:
        with pytest.raises(tessera.ExchangeError, match=f"the library does not have Arrow's type {name}"):
            tessera.publish_column(array)
    with pytest.raises(tessera.IpcError, match="`valid` was given"):
        tessera.publish_column(pa.array([1, None]), valid=[True, True])


def test_offsets_that_lead_outside_are_not_handed_over():
    """pyarrow would read there."""
    published = tessera.publish_column(np.arange(3), offsets=np.array([0, 2, 3], "int32"))
    other = tessera.publish(np.array([0, 2, 9], "int32"))
    value = json.loads(str(published.descriptor))
    value["column"]["offsets"] = json.loads(str(other.descriptor))
    with pytest.raises(tessera.IpcError, match="its offset 2 is 9, expected 2 to 3"):
        pa.array(tessera.attach_column(json.dumps(value)))


class DeviceArray(ctypes.Structure):
    """ArrowDeviceArray, because pyarrow imports none from the emulated runtime."""

    _fields_ = [(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")] + [
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        *((name, ctypes.c_void_p) for name in ("children", "dictionary", "release", "private_data")),
        ("device_id", ctypes.c_int64),
        ("device_type", ctypes.c_int32),
        ("sync_event", ctypes.c_void_p),
    ]


def struct_in(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return DeviceArray.from_address(get(capsule, b"arrow_device_array"))


def test_device_memory_has_the_device_interface_alone(tmp_path):
    pytest.importorskip("tessera._device", reason="built without TESSERA_PYTHON_CUDA", exc_type=ImportError)
    values = np.arange(6, dtype="int32")
    tessera.create_array(tmp_path / "a", shape=(6,), dtype="int32", chunks=(5,))[...] = values
    tensor = tessera.open(tmp_path / "a", space="device").read()
    assert not hasattr(tensor, "__arrow_c_array__")
    schema, array = tensor.__arrow_c_device_array__()
    assert pa.DataType._import_from_c_capsule(schema) == pa.int32()
    made = struct_in(array)
    assert (made.length, made.n_buffers, made.device_type, made.device_id) == (6, 2, 2, 0)
    assert made.buffers[1] == tensor.__cuda_array_interface__["data"][0] and made.sync_event and made.release
    assert tensor.__arrow_c_device_array__(None, stream=None)
    with pytest.raises(NotImplementedError, match="stream"):
        tensor.__arrow_c_device_array__(stream=1)
    with pytest.raises(TypeError, match="arrow_schema"):
        tensor.__arrow_c_device_array__(3)

    published = tessera.publish_column(tensor, name="x")
    assert not hasattr(published, "__arrow_c_array__")
    column = tessera.attach_column(published.descriptor[2:5])
    assert not hasattr(column, "__arrow_c_array__") and not hasattr(column.data, "__arrow_c_array__")
    assert not hasattr(tessera.publish_column([1, 2]), "__arrow_c_device_array__")
    schema, array = column.__arrow_c_device_array__()
    assert pa.Field._import_from_c_capsule(schema) == pa.field("x", pa.int32())
    made = struct_in(array)
    assert (made.length, made.offset, made.device_type) == (3, 2, 2)
    leases = process.producer().leases
    column.close()
    assert process.producer().leases == leases  # the capsule has its own
    del array, made
    assert comes_true(lambda: process.producer().leases == leases - 1)


def test_a_process_may_end_while_arrow_has_the_memory():
    program = """
import numpy, pyarrow, tessera
published = tessera.publish(numpy.arange(4))
kept = pyarrow.array(tessera.attach(published.descriptor))
other = tessera.publish_column({"a": ["x", None]})
batch = pyarrow.record_batch(other)
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60).returncode == 0
