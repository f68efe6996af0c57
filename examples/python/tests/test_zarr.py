"""The codec pipeline for zarr-python, against zarr-python's own: the same calls on two stores, which must agree."""

import logging
import pickle
import warnings

import numpy as np
import pytest
import zarr
from zarr.storage import LocalStore, MemoryStore, StorePath, WrapperStore

import tessera
import tessera.zarr

OURS, THEIRS = "tessera.zarr.CodecPipeline", "zarr.core.codec_pipeline.BatchedCodecPipeline"


class Other(WrapperStore):
    """A store that tessera does not know."""


STORES = {
    "local": lambda folder: LocalStore(folder),
    "memory": lambda folder: MemoryStore(),
    "other": lambda folder: Other(MemoryStore()),
}
ARRAYS = {
    "plain": {"dtype": "int32", "fill_value": -1},
    "shards": {"dtype": "float32", "fill_value": np.nan, "shards": (10, 8)},
    "transposed": {"dtype": "uint16", "filters": [zarr.codecs.TransposeCodec(order=(1, 0))], "order": "F"},
    "blosc": {"dtype": "complex64", "compressors": zarr.codecs.BloscCodec(cname="lz4"), "fill_value": 1j},
    "big-endian": {"dtype": ">i4", "serializer": zarr.codecs.BytesCodec(endian="big"), "fill_value": 7},
    "v2": {"dtype": ">f8", "zarr_format": 2, "order": "F", "fill_value": 0},
    "v2 keys": {"dtype": "bool", "chunk_key_encoding": {"name": "v2", "separator": "."}, "fill_value": True},
    "raw": {"dtype": "int8", "compressors": None, "fill_value": 3},
    "times": {"dtype": "M8[10s]", "fill_value": np.datetime64("NaT")},
    "times v2": {"dtype": ">m8[ms]", "zarr_format": 2, "fill_value": np.timedelta64(1, "ms")},
    "text": {"dtype": "U5", "fill_value": "a"},
    "octets": {"dtype": "S2", "fill_value": b"1"},
    "structs": {"dtype": [("a", "<i4"), ("b", "<f8"), ("c", "S3")], "zarr_format": 2, "compressors": None},
    "strings": {"dtype": str, "fill_value": "none"},
    "strings in shards": {"dtype": str, "shards": (10, 8), "fill_value": ""},
    "strings v2": {"dtype": str, "zarr_format": 2, "fill_value": ""},
    "bytes": {"dtype": zarr.dtype.VariableLengthBytes(), "fill_value": b"none"},
}


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.DEBUG, logger="tessera.zarr")
    return lambda: [record.getMessage() for record in caplog.records if record.name == "tessera.zarr"]


def make(pipeline, store, **given):
    with zarr.config.set({"codec_pipeline.path": pipeline}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = {"name": "a/b", "shape": (23, 17), "chunks": (5, 4), "overwrite": True} | given
        return zarr.create_array(store, **wanted)


def both(tmp_path, store, **given):
    ours = make(OURS, STORES[store](tmp_path / "ours"), **given)
    assert isinstance(ours.async_array.codec_pipeline, tessera.zarr.CodecPipeline)
    return ours, make(THEIRS, STORES[store](tmp_path / "theirs"), **given)


def keys(array):
    async def found():
        return sorted([key async for key in array.store.list_prefix(array.path)])

    return zarr.core.sync.sync(found())


def random_selection(random, shape, grid):
    """The name of the kind of selection, and the selection."""
    kind = random.choice(["", "", "oindex", "vindex", "mask", "blocks"])
    if kind == "blocks":
        return kind, (int(random.integers(grid[0])), slice(int(random.integers(grid[1])), None))
    if kind == "vindex":
        count = int(random.integers(1, 9))
        return kind, tuple(random.integers(0, n, count) for n in shape)
    if kind == "mask":
        return "vindex", random.random(shape) < 0.2
    index = []
    for n in shape:
        first, last = sorted(int(i) for i in random.integers(0, n + 1, 2))
        choices = [slice(None), slice(first, last), slice(first, last, int(random.integers(1, 4))), int(random.integers(n))]
        if kind == "oindex":
            choices += [random.integers(0, n, 5), np.sort(random.choice(n, 3, replace=False)), random.random(n) < 0.4]
        index.append(choices[random.integers(len(choices))])
    return kind, tuple(index)


def values(random, dtype, shape):
    numbers = random.integers(0, 4, shape)
    if dtype == object:
        return np.array([b"a\0bc"[: n + (n == 2)] for n in numbers.flat], object).reshape(shape)  # NumPy drops zeros at the end
    return numbers.astype(str).astype(dtype) if dtype.kind == "T" else numbers.astype(dtype)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("kind", ARRAYS)
def test_both_agree(tmp_path, said, store, kind):
    ours, theirs = both(tmp_path, store, **ARRAYS[kind])
    seed = sum(map(ord, store + kind))
    print("seed", seed)
    random = np.random.default_rng(seed)
    for step in range(24):
        grid = [-(-n // c) for n, c in zip(ours.shape, ours.shards or ours.chunks)]
        way, index = random_selection(random, ours.shape, grid)
        mine, yours = (getattr(array, way) if way else array for array in (ours, theirs))
        expected = yours[index]
        found = mine[index]
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        if "shards" in kind and way == "oindex":
            continue  # zarr-python itself cannot write many of these
        if kind == "bytes" and np.ndim(expected) == 0:
            continue  # zarr-python itself cannot write these
        if np.size(expected) and random.random() < 0.7:
            value = values(random, ours.dtype, np.shape(expected))
            if random.random() < 0.3 and kind != "bytes":
                value = ours.fill_value if random.random() < 0.5 else value.flat[0]
            mine[index] = yours[index] = value
        if step % 8 == 7:
            shape = tuple(int(n) for n in random.integers(8, 40, 2))
            ours.resize(shape), theirs.resize(shape)
    np.testing.assert_array_equal(ours[...], theirs[...])
    assert keys(ours) == keys(theirs)
    np.testing.assert_array_equal(zarr.open_array(StorePath(theirs.store, theirs.path))[...], ours[...])
    assert all("parts of shards" in why or "more than once" in why for why in said()), said()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("keep", [False, True])
def test_chunks_of_the_fill_value(tmp_path, store, keep):
    for given in ({}, {"shards": (10, 8)}):
        pair = both(tmp_path, store, dtype="int16", fill_value=5, config={"write_empty_chunks": keep}, **given)
        for array in pair:
            array[...] = 5
            array[3, 3] = 6
            array[:, 12:] = 7
            array[:, 12:] = 5
        assert keys(pair[0]) == keys(pair[1])


@pytest.mark.parametrize("given", [{}, {"shards": (10, 8)}], ids=["chunks", "shards"])
@pytest.mark.parametrize("store", STORES)
def test_what_is_beyond_the_edge(tmp_path, store, given):
    """A chunk that is written up to the array's edge keeps no older elements beyond it; a shard keeps them."""
    for write in (np.s_[...], np.s_[5:8], np.s_[5:7], np.s_[:, 4:6]):
        pair = both(tmp_path, store, dtype="int16", fill_value=0, **given)
        for array in pair:
            array[...] = 1
            array.resize((8, 6))
            array[write] = 2
            array.resize((23, 17))
        np.testing.assert_array_equal(pair[0][...], pair[1][...])


@pytest.mark.parametrize("store", STORES)
def test_rank_0_and_no_elements(tmp_path, store):
    for pair in (both(tmp_path, store, dtype="float64", shape=(), chunks=(), fill_value=2.5),
                 both(tmp_path, store, dtype="float64", shape=(0, 3), chunks=(2, 2))):  # fmt: skip
        assert [array[...].tolist() for array in pair][0] == pair[1][...].tolist()
        for array in pair:
            array[...] = 4
        assert pair[0][...].tolist() == pair[1][...].tolist()


def test_what_tessera_does_not_know(tmp_path, said):
    dtype = [("a", ">i4")]  # whose byte order zarr-python does not write into the document
    ours, theirs = both(tmp_path, "local", dtype=dtype, shape=(9,), chunks=(4,))
    ours[2:9] = theirs[2:9] = np.ones(7, dtype)
    np.testing.assert_array_equal(ours[...], theirs[...])
    assert len(said()) == 1 and "elements of type [('a', '>i4')]" in said()[0]


def test_parts_of_shards_are_not_read_whole(tmp_path, said):
    ours, _ = both(tmp_path, "other", dtype="int32", shards=(10, 8))
    ours[...] = np.arange(23 * 17).reshape(23, 17)
    assert not said()
    assert ours[11, 3] == 11 * 17 + 3 and "parts of shards" in said()[0]


@pytest.mark.parametrize("store", ["local", "memory"])
def test_pickled(tmp_path, said, store):
    ours, _ = both(tmp_path, store, dtype="int32")
    ours[...] = 3
    again = pickle.loads(pickle.dumps(ours))
    assert again == ours and isinstance(again.async_array.codec_pipeline, tessera.zarr.CodecPipeline)
    if store == "local":
        assert (again[...] == 3).all()
    assert again.async_array.codec_pipeline._source.dtype == np.int32 and not said()


def test_damaged_chunks_and_read_only_stores(tmp_path):
    ours, _ = both(tmp_path, "local", dtype="int32")
    ours[...] = 1
    (tmp_path / "ours" / "a" / "b" / "c" / "0" / "0").write_bytes(b"not zstd")
    with pytest.raises(tessera.CodecError, match="c/0/0"):
        ours[...]
    with zarr.config.set({"codec_pipeline.path": OURS}):
        shut = zarr.open_array(LocalStore(tmp_path / "ours", read_only=True), path="a/b")
    with pytest.raises(ValueError, match="read-only"):
        shut[...] = 2
    assert shut[7, 7] == 1


def test_its_files_are_zarrs(tmp_path):
    ours, _ = both(tmp_path, "local", dtype="int32", shards=(10, 8))
    expected = np.arange(23 * 17, dtype="int32").reshape(23, 17)
    ours[...] = expected
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "ours", path="a/b")[...], expected)
    np.testing.assert_array_equal(tessera.open(tmp_path / "ours" / "a" / "b")[...], expected)
