"""Times, text, structs and numbers of ml_dtypes, exchanged with zarr-python in both directions."""

import asyncio
import json
import sys

import ml_dtypes
import numpy as np
import pytest
import zarr

import tessera

pytestmark = pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning", "ignore::FutureWarning")

PAIR = [("a", "<i4"), ("when", "<M8[s]"), ("unit", "<U2")]
NESTED = [("id", "<u2"), ("part", [("x", "<f4"), ("name", "|S2")])]
TYPES = ["<M8[10ns]", "<M8[D]", "<m8[s]", ">M8[s]", "<U4", ">U3", "|S3", "|V3", PAIR, NESTED]
SMALL = ["bfloat16", "float8_e3m4", "float8_e4m3", "float8_e5m2", "float8_e8m0fnu", "float6_e2m3fn", "float4_e2m1fn"]
SMALL += ["int4", "uint4", "int2"]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def values(rng, dtype, shape):
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.fields is not None:
        found = np.zeros(shape, dtype)
        for name in dtype.names:
            found[name] = values(rng, dtype.fields[name][0], shape)
        return found
    if dtype.kind in "mM":
        found = rng.integers(-(10**6), 10**6, shape).view(dtype)
        found.flat[1] = "NaT"
        return found
    if dtype.kind == "U":
        return rng.choice(np.array(["", "a", "äöü", "𝄞x"]), shape).astype(dtype)
    if dtype.kind == "S":
        return rng.choice(np.array([b"", b"a", b"x\0z"]), shape).astype(dtype)
    return rng.integers(0, 255, (*shape, dtype.itemsize), dtype="u1").view(dtype)[..., 0]


def same(found, expected):
    """Compares bytes, so that NaT is NaT, in the processor's byte order."""
    found = np.asarray(found)
    return found.shape == expected.shape and found.astype(expected.dtype).tobytes() == expected.tobytes()


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_arrays_of_zarr_python(tmp_path, rng, dtype, zarr_format):
    compressors = None if isinstance(dtype, list) else "auto"  # numcodecs does not compress structs with times
    theirs = zarr.create_array(
        tmp_path / "a.zarr", shape=(9, 5), chunks=(4, 3), dtype=dtype, zarr_format=zarr_format, compressors=compressors
    )
    expected = np.full((9, 5), theirs.fill_value).astype(np.dtype(dtype).newbyteorder("="))
    expected[:7] = values(rng, dtype, (7, 5))
    theirs[:7] = expected[:7]
    array = tessera.open(tmp_path / "a.zarr")
    assert array.dtype == expected.dtype and array.nbytes == expected.nbytes and array[...].dtype == expected.dtype
    assert same(array.fill_value, expected[8, 0]) and type(array.fill_value) is type(expected[8, 0])
    assert same(array[...], expected) and same(array, expected) and same(array[2, 3], expected[2, 3])
    assert type(array[2, 3]) is type(expected[2, 3])
    mask = np.arange(45).reshape(9, 5) % 2 == 0
    for index in (np.s_[1:8:3, ::2], np.s_[:, [4, 0]], ([0, 8, 3], [1, 1, 4]), mask):
        assert same(array[index], expected[index])
    for out in (np.zeros((9, 5), expected.dtype), np.zeros((5, 9), expected.dtype).T, array.empty()):
        assert array.read(out=out) is out
        if isinstance(out, np.ndarray):
            assert same(out, expected)
    given = expected.copy()
    for target, indexer in ((array, array.oindex), (expected, expected)):
        target[1:3, ::2] = given[4:6, ::2]
        target[8] = given[0, 0]
        indexer[([0, 6], [1, 3]) if target is array else np.ix_([0, 6], [1, 3])] = given[:2, :2]
    assert same(theirs[...], expected)


@pytest.mark.parametrize("shards", [None, (8, 6)])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_arrays_for_zarr_python(tmp_path, rng, dtype, shards):
    expected = values(rng, dtype, (9, 5))
    fill = expected[0, 0]
    array = tessera.create_array(
        tmp_path / "a.zarr", shape=(9, 5), dtype=dtype, chunks=(4, 3), shards=shards, fill_value=fill
    )
    array[:7] = expected[:7]
    expected[7:] = fill
    if shards and np.dtype(dtype).kind == "V":  # zarr-python 3.1 does not read such shards
        assert same(array[...], expected)
        return
    theirs = zarr.open_array(tmp_path / "a.zarr")
    assert same(theirs[...], expected)
    assert same(theirs.fill_value, expected[8, 0]) and same(array.fill_value, expected[8, 0])
    array.append(expected[:2])
    array[:2] = array.fill_value
    assert same(zarr.open_array(tmp_path / "a.zarr")[9:], expected[:2]) and same(theirs[1], expected[8])


@pytest.mark.parametrize(
    ("dtype", "given", "expected"),
    [("M8[s]", ["2026-01-02", "NaT"], np.array(["2026-01-02", "NaT"], "M8[s]")),
     ("M8[ns]", np.array(["2026-01-02"] * 2, ">M8[D]"), np.array(["2026-01-02"] * 2, "M8[ns]")),
     ("m8[ms]", np.timedelta64(2, "s"), np.array([2000, 2000], "m8[ms]")),
     ("U3", ["abcd", "x"], np.array(["abc", "x"])), ("S2", [b"abc", b""], np.array([b"ab", b""])),
     (PAIR, (1, "2026-01-02", "K"), np.array([(1, "2026-01-02", "K")] * 2, PAIR)),
     (PAIR, [(1, 2, "K"), (2, 3, "m")], np.array([(1, 2, "K"), (2, 3, "m")], PAIR))],
)  # fmt: skip
def test_values_are_converted_as_numpy_does(tmp_path, dtype, given, expected):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=dtype, chunks=(2,))
    array[...] = given
    assert same(array[...], expected)


@pytest.mark.parametrize(
    ("dtype", "given"),
    [("u1", 300), ("u1", -1), ("u1", [1, 256]), ("i8", 2**63), ("i8", float("nan")), ("f4", 1j), ("i4", None),
     ("M8[s]", 1.5), ("u1", np.int64(300)), ("u1", np.full(2, 300)), ("f4", 1e300), ("f4", np.ones((1, 1, 2))),
     ("f4", np.ones((2, 2))), ("u8", [2**64 - 1, 0]), ("i4", "7"), ("V3", b"ab"), ("S3", np.datetime64("2026-01-02"))],
    ids=str,
)  # fmt: skip
def test_a_write_is_numpys_assignment(tmp_path, dtype, given):
    expected = np.ones(2, "M8[s]" if dtype == "M8[s]" else "i1").astype(dtype)
    array = tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=dtype, chunks=(1,))
    array[...] = before = expected.copy()
    with np.errstate(all="ignore"):
        try:
            expected[...] = given
        except (OverflowError, TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                array[...] = given
            assert same(array[...], before)
            return
        array[...] = given
    assert same(array[...], expected)


def test_fills_of_nested_structs(tmp_path):
    fill = (1, (2.5, b"ab"))
    array = tessera.create_array(tmp_path / "a.zarr", shape=(3,), dtype=NESTED, fill_value=fill)
    assert array[2].item() == array.fill_value.item() == fill


def test_a_fill_value_in_an_array_of_numpy(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(3,), dtype="U4", fill_value=np.array("ab"))
    assert array.fill_value == array[2] == "ab"
    with pytest.raises(tessera.MetadataError, match="no element of"):
        tessera.create_array(tmp_path / "b.zarr", shape=(3,), dtype="U4", fill_value=np.array("abcde"))


def test_defaults_and_gaps(tmp_path):
    fills = {"M8[s]": np.datetime64("NaT"), "m8[s]": np.timedelta64("NaT"), "U3": "", "S3": b"", "V2": np.void(b"\0\0")}
    for dtype, fill in fills.items():
        array = tessera.create_array(tmp_path / dtype, shape=(3,), dtype=dtype)
        assert np.isnat(array[0]) and np.isnat(array.fill_value) if dtype[1:2] == "8" else array[0] == fill
    aligned = np.dtype([("a", "i1"), ("b", ">f8")], align=True)
    array = tessera.create_array(tmp_path / "aligned", shape=(3,), dtype=aligned)
    given = np.array([(1, 2), (3, 4), (5, 6)], aligned)
    array[...] = given
    assert array.dtype.itemsize == 9 and array[...].tolist() == given.tolist()
    assert zarr.open_array(tmp_path / "aligned")[...].tolist() == given.tolist()


def test_gaps_of_zarr_v2(tmp_path):
    """NumPy's own form of an aligned struct, which zarr-python 2 wrote."""
    dtype = np.dtype({"names": ["a", "b"], "formats": ["i1", "<i4"], "offsets": [0, 4], "itemsize": 8})
    document = {"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": dtype.descr, "fill_value": None, "order": "C",
                "filters": None, "compressor": None}  # fmt: skip
    (tmp_path / ".zarray").write_text(json.dumps(document))
    expected = np.array([(1, 2), (3, 4), (5, 6)], dtype)
    (tmp_path / "0").write_bytes(expected.tobytes())
    array = tessera.open(tmp_path)
    assert array.dtype == dtype and array[...].tolist() == expected.tolist()
    array[1] = (7, 8)
    assert array[1].item() == (7, 8)


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [("M8[s]", "soon"), ("U2", "abc"), ("S2", b"abc"), ("U2", 5), (PAIR, (1, 2)), ("m8[s]", [1, 2]), ("S2", "ab"),
     ("U2", "\ud800"), ("string", "\ud800"), ("M8[ns]", np.datetime64("9999-01-01"))],
)
def test_wrong_fill_values(tmp_path, dtype, fill):
    with pytest.raises(tessera.MetadataError, match="fill_value"):
        tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=dtype, fill_value=fill)
    assert not (tmp_path / "a.zarr").exists()


def test_memory_of_another_type(tmp_path):
    times = tessera.create_array(tmp_path / "times", shape=(2,), dtype="M8[s]")
    pairs = tessera.create_array(tmp_path / "pairs", shape=(2,), dtype=PAIR)
    for array, dtype, match in (
        (times, "M8[ns]", r"datetime64\[ns\], expected numpy.datetime64\[s\]"),
        (times, "i8", "int64"),
        (times, ">M8[s]", "byte order"),
        (pairs, NESTED, "expected"),
        (pairs, "V8", "expected"),
    ):
        with pytest.raises(tessera.ExchangeError, match=match):
            array.read(out=np.zeros(2, dtype))
    tensor = times.read()
    assert tensor.dtype == "numpy.datetime64[s]" and np.asarray(tensor).dtype == "M8[s]"
    assert pairs.read().raw().dtype == "r160" and np.asarray(pairs.read()).dtype == "V20"
    with pytest.raises(BufferError, match="datetime64"):
        np.from_dlpack(tensor)


@pytest.mark.parametrize("name", SMALL)
def test_numbers_of_ml_dtypes(tmp_path, rng, name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    expected = rng.integers(1, 2 if name == "int2" else 5, (9, 5)).astype(dtype)
    array = tessera.create_array(tmp_path / "a.zarr", shape=(9, 5), dtype=dtype, chunks=(4, 3), fill_value=1)
    assert array.dtype == dtype and array.fill_value == 1 and array.nbytes == expected.nbytes
    array[...] = expected
    assert array[...].dtype == dtype and (array[...] == expected).all() and array[2, 3] == expected[2, 3]
    assert type(array[2, 3]) is dtype.type and (np.asarray(array) == expected).all()
    array[:2], array[2] = 1, [1, 1, 1, 1, 1]
    array.append(expected[:2])
    assert (array[:3] == np.ones((3, 5), dtype)).all() and (array[9:] == expected[:2]).all()
    out = np.zeros((11, 5), dtype)
    array.read(out=out)
    assert out.tobytes() == array[...].tobytes()
    with pytest.raises(tessera.ExchangeError, match=f"float32, expected {name}"):
        array.read(out=np.zeros((11, 5), "float32"))


def test_without_ml_dtypes(tmp_path, monkeypatch):
    tessera.create_array(tmp_path / "a.zarr", shape=(3,), dtype="bfloat16", fill_value=2)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    array = tessera.open(tmp_path / "a.zarr")
    assert array.nbytes == 6 and array.fill_value == 2 and array.read().dtype == "bfloat16"
    for use in (lambda: array[...], lambda: array.dtype, lambda: np.asarray(array)):
        with pytest.raises(tessera.ExchangeError, match="install ml_dtypes"):
            use()


@pytest.mark.parametrize("dtype", [object, "U", "S", "V", "complex256", "O", [("a", object)], ("i4", 3)])
def test_types_that_are_refused(tmp_path, dtype):
    with pytest.raises(tessera.ExchangeError, match="expected numbers, times|which neither NumPy nor ml_dtypes has"):
        tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=dtype)


@pytest.mark.parametrize("dtype", ["<M8[s]", "<U4", "|S3", "|V3", PAIR], ids=str)
def test_batches(tmp_path, rng, dtype):
    expected = values(rng, dtype, (9, 5))
    array = tessera.create_array(tmp_path / "a.zarr", shape=(9, 5), dtype=dtype, chunks=(4, 3))
    array[...] = expected
    padding = tessera.Padding(1, constant_values=expected[0, 0])
    batch = next(tessera.Loader(array, [np.s_[0:4, 0:3]], padding=padding))
    found = np.asarray(batch.raw()).view(expected.dtype)[0]
    assert same(found[1:, 1:], expected[:3, :2]) and same(found[0], np.full(3, expected[0, 0]))
    if dtype != "|V3":
        with pytest.raises(tessera.SelectionError, match="constant_values"):
            wrong = "2020-13" if dtype == "<M8[s]" else 5.5j
            tessera.Loader(array, [], padding=tessera.Padding(1, constant_values=wrong))


@pytest.mark.parametrize("dtype", ["<M8[s]", "<U4", PAIR, "int4", "string", "bytes"], ids=str)
def test_asyncio(tmp_path, rng, dtype):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(9, 5), dtype=dtype, chunks=(4, 3))
    expected = array[...]
    if dtype in ("string", "bytes"):
        expected[1] = "word" if dtype == "string" else b"word"
    elif dtype != "int4":
        expected = values(rng, dtype, (9, 5))

    async def both():
        await array.write_async(np.s_[1:3], expected[1:3])
        return await array.read_async(np.s_[1:3, 2:])

    found = asyncio.run(both())
    assert array[1:3].tolist() == expected[1:3].tolist() or dtype == "<M8[s]"
    shown = np.asarray(found.raw() if hasattr(found, "raw") else found)
    assert (shown.tolist() if dtype in ("string", "bytes") else shown.tobytes()) == (
        expected[1:3, 2:].tolist() if dtype in ("string", "bytes") else expected[1:3, 2:].tobytes()
    )
    out = np.zeros((2, 3), array.dtype)
    assert asyncio.run(array.read_async(np.s_[1:3, 2:], out=out)) is out
    assert out.tolist() == array[1:3, 2:].tolist() or dtype == "<M8[s]"
