"""Strings and bytes of any length, with zarr-python in both directions, and with pyarrow."""

import gc
import json
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
import zarr
from zarr.dtype import VariableLengthBytes

import tessera

pytestmark = pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")

WORDS = {
    "string": np.array(["", "a", "äöü", "𝄞", "with\0zero", "long " * 50], np.dtypes.StringDType()),
    "bytes": np.array([b"", b"a", b"\xff\0\xfe", b"\0", b"long " * 50, b"x"], object),
}
KINDS = pytest.mark.parametrize("kind", ["string", "bytes"])


def words(kind, shape, seed=7):
    return WORDS[kind][np.random.default_rng(seed).integers(0, 6, shape)]


def same(found, expected):
    found = np.asarray(found)
    return found.dtype == expected.dtype and found.shape == expected.shape and found.tolist() == expected.tolist()


@pytest.fixture(params=["string", "bytes"])
def stored(request, tmp_path):
    """An array and its elements."""
    expected = words(request.param, (9, 5))
    array = tessera.create_array(tmp_path / "a.zarr", shape=(9, 5), dtype=request.param, chunks=(4, 3))
    array[...] = expected
    return array, expected


@pytest.mark.parametrize(("zarr_format", "sharded"), [(2, False), (3, False), (3, True)])
@KINDS
def test_arrays_of_zarr_python(tmp_path, kind, zarr_format, sharded):
    theirs = zarr.create_array(
        tmp_path / "a.zarr", shape=(9, 5), chunks=(4, 3), dtype=str if kind == "string" else VariableLengthBytes(),
        zarr_format=zarr_format, shards=(8, 6) if sharded else None, fill_value="none" if kind == "string" else b"none",
    )  # fmt: skip
    expected = np.full((9, 5), theirs.fill_value, WORDS[kind].dtype)
    expected[:7] = words(kind, (7, 5))
    theirs[:7] = expected[:7]
    array = tessera.open(tmp_path / "a.zarr")
    assert array.dtype == theirs.dtype == expected.dtype and array.fill_value == theirs.fill_value
    assert same(array[...], expected) and same(array, expected)
    assert array[2, 3] == expected[2, 3] and type(array[2, 3]) is type(expected[2, 3])
    for index in (np.s_[1:8:3, ::2], np.s_[:, [4, 0]], ([0, 8, 3], [1, 1, 4]), np.arange(45).reshape(9, 5) % 2 == 0):
        assert same(array[index], expected[index])
    given = words(kind, (9, 5), 8)
    array[1:3, ::2], array[8] = given[1:3, ::2], given[0, 0]
    expected[1:3, ::2], expected[8] = given[1:3, ::2], given[0, 0]
    array.oindex[[0, 6], [1, 3]] = expected[np.ix_([0, 6], [1, 3])] = given[:2, :2]
    assert same(theirs[...], expected)


@KINDS
def test_arrays_for_zarr_python(tmp_path, kind):
    fill = "leer" if kind == "string" else b"\0leer"
    array = tessera.create_array(tmp_path / "a.zarr", shape=(9, 5), dtype=kind, chunks=(4, 3), fill_value=fill)
    expected = words(kind, (9, 5))
    array[:7] = expected[:7]
    expected[7:] = fill
    theirs = zarr.open_array(tmp_path / "a.zarr")
    assert theirs.dtype == expected.dtype and theirs.fill_value == array.fill_value == fill
    assert same(theirs[...], expected)
    assert array.append(expected[:2]) == (11, 5) and same(array[9:], expected[:2])
    array.resize((3, 3))
    assert same(array[...], expected[:3, :3])


@pytest.mark.parametrize(
    "dtype", [str, "str", "string", np.dtypes.StringDType(), bytes, "bytes", "variable_length_bytes"]
)
def test_names_of_types(tmp_path, dtype):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=dtype)
    assert array[0] == array.fill_value == ("" if "str" in str(dtype).lower() else b"")


def test_results(stored):
    array, expected = stored
    found = array.read(np.s_[2:4, 1])
    assert isinstance(found, tessera.Strings) and found.shape == (2,) and found.dtype in ("string", "bytes")
    assert found.to_list() == expected[2:4, 1].tolist()
    objects = np.asarray(array.read(), object)
    assert objects.dtype == object and objects.tolist() == expected.tolist()
    for out in (np.zeros((9, 5), expected.dtype), np.zeros((9, 5), object), np.zeros((5, 9), object).T):
        assert array.read(out=out) is out and out.tolist() == expected.tolist()
    seen = []
    array.read(progress=lambda done, chunks: seen.append((done, chunks)))
    assert seen[-1] == (6, 6)
    with pytest.raises(ZeroDivisionError):
        array.read(progress=lambda *_: 1 / 0)
    with pytest.raises(ValueError, match="copied"):
        np.asarray(array.read(), copy=False)


def test_no_elements_and_no_dimensions(tmp_path):
    for kind, word in (("string", "one"), ("bytes", b"one")):
        empty = tessera.create_array(tmp_path / f"{kind}0", shape=(0, 3), dtype=kind)
        assert empty[...].shape == (0, 3) and len(pa.array(empty.read())) == 0
        single = tessera.create_array(tmp_path / kind, shape=(), dtype=kind)
        single[...] = word
        assert single[...].shape == () and single[...].item() == word
        with pytest.raises(tessera.ExchangeError, match="without dimensions"):
            pa.array(single.read())


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [("string", 5, tessera.ExchangeError), ("string", [None, "a"], tessera.ExchangeError),
     ("string", b"a", tessera.ExchangeError),
     ("string", "\ud800", tessera.ExchangeError), ("bytes", "a", TypeError), ("bytes", [b"a", None], TypeError),
     ("bytes", np.array([1, 2]), TypeError), ("string", ["a"] * 3, ValueError)],
)  # fmt: skip
def test_other_values_are_refused(tmp_path, kind, value, error):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=kind)
    with pytest.raises(error):
        array[...] = value
    assert array[...].tolist() == [array.fill_value] * 2


def test_zeros_at_the_end_of_words(tmp_path):
    """NumPy's own types of text drop them."""
    for kind, words in (("string", ["a\0", "\0"]), ("bytes", [b"a\0", b"\0"])):
        array = tessera.create_array(tmp_path / kind, shape=(2,), dtype=kind)
        array[...] = words
        assert array[...].tolist() == words
        array[0] = words[1]
        assert array[0] == words[1]


@pytest.mark.parametrize(("kind", "fill"), [("string", b"a"), ("bytes", "a"), ("string", 0)])
def test_wrong_fill_values(tmp_path, kind, fill):
    with pytest.raises(tessera.MetadataError, match="fill_value"):
        tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=kind, fill_value=fill)


def test_what_has_no_strings(stored):
    array, _ = stored
    name = array.read().dtype
    with pytest.raises(tessera.ExchangeError, match=f"{name} have no memory of a fixed size"):
        array.empty()
    with pytest.raises(tessera.ExchangeError, match="expected an array of NumPy's"):
        array.read(out=bytearray(10))
    with pytest.raises(tessera.SelectionError, match="shape"):
        array.read(out=np.zeros(3, object))
    with pytest.raises(tessera.Error, match=name):
        next(tessera.Loader(array, [np.s_[0:1, 0:1]]))
    with pytest.raises(tessera.Error, match=name):
        tessera.publish(array)


def test_text_that_is_not_utf8(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(1,), dtype="string", compressors=None)
    (tmp_path / "a.zarr" / "c").mkdir()
    (tmp_path / "a.zarr" / "c" / "0").write_bytes(b"\1\0\0\0\1\0\0\0\xff")
    with pytest.raises(tessera.CodecError, match="UTF-8"):
        array[...]


def test_arrow(stored):
    array, expected = stored
    column = pa.array(array.read(np.s_[:, 2]))
    assert column.type in (pa.large_string(), pa.large_binary()) and column.to_pylist() == expected[:, 2].tolist()
    table = pa.array(array.read())
    assert table.to_pylist() == expected.tolist() and table.validate(full=True) is None
    first = array.read(0)
    assert pa.array(first).buffers()[2].address == pa.array(first).buffers()[2].address  # no copy
    column = pa.array(first)
    del first
    gc.collect()
    assert column.to_pylist() == expected[0].tolist()


@pytest.mark.parametrize(
    "dtype", ["string", "bytes", "U8", "S8", "M8[s]", [("a", "i4"), ("b", "U2")], "int4", "float32"], ids=str
)
def test_reads_do_not_grow(tmp_path, dtype):
    count = 64 if dtype in ("string", "bytes") else 1024
    array = tessera.create_array(tmp_path / "a.zarr", shape=(count,), dtype=dtype, chunks=(count,), compressors=None)
    if dtype in ("string", "bytes"):
        array[...] = np.array(["word " * 20] * 64) if dtype == "string" else [b"word " * 20] * 64

    def use(count):
        for _ in range(count):
            array[...]
            if dtype in ("string", "bytes"):
                pa.array(array.read())

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    use(500)
    before = resident()
    tracemalloc.start()
    use(10)
    gc.collect()
    traced = tracemalloc.get_traced_memory()[0]
    use(490)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - traced
    tracemalloc.stop()
    use(10_000)
    assert grown < 20_000  # a word of each of 490 reads would be more
    assert resident() - before < 3 << 20  # 10,000 results of the smallest elements, of a byte, would be 10 MB


@pytest.mark.parametrize("dtype", ["U3", "S3", "int8"])
def test_memory_that_would_cut_them(stored, dtype):
    array, _ = stored
    out = np.zeros((9, 5), dtype)
    with pytest.raises(tessera.ExchangeError, match="the memory's elements are .*, expected .* or objects"):
        array.read(out=out)
    assert not (out != np.zeros((9, 5), dtype)).any()


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_values_are_not_text(tmp_path, missing):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype="string")
    given = np.array(["x", missing], np.dtypes.StringDType(na_object=missing))
    with pytest.raises(tessera.ExchangeError, match="found a missing value"):
        array[...] = given
    array[...] = given[[0, 0]]
    assert array[...].tolist() == ["x", "x"]
