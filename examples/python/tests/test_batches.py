"""Batches of random crops."""

import itertools
import threading

import numpy as np
import pytest

import tessera
from tessera import _tessera


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("ahead", [1, 3])
def test_crops_are_the_seeds(made, threads, ahead):
    array, expected = made
    seen, memory = [], set()
    with tessera.batches(array, (6, 5), 4, seed=7, count=9, threads=threads, ahead=ahead) as batches:
        for batch in batches:
            assert batch.shape == (4, 6, 5) and batch.dtype == array.dtype and batches.origins.shape == (4, 2)
            for crop, (y, x) in zip(batch, batches.origins):
                np.testing.assert_array_equal(crop, expected[y : y + 6, x : x + 5])
            seen += batches.origins.tolist()
            memory.add(batch.__array_interface__["data"][0])
    assert len(seen) == 36 and len(memory) <= ahead + 1
    assert seen == [[int(n) for n in row] for row in origins_of(7, 9)]


def origins_of(seed, count):
    random = np.random.default_rng(seed)
    return np.concatenate([random.integers(0, [17, 12], (4, 2), endpoint=True) for _ in range(count)])


def test_every_place_is_drawn(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(5,), dtype="int8")
    batches = tessera.batches(array, (3,), 100, seed=0, count=1)
    next(batches)
    assert set(batches.origins[:, 0]) == {0, 1, 2}
    whole = tessera.batches(array, (5,), 2, count=1)
    assert next(whole).shape == (2, 5) and not whole.origins.any()


def test_wrong_crops(made):
    array, _ = made
    for crop in ((24, 1), (1,), (0, 3), (1, 1, 1)):
        with pytest.raises(tessera.SelectionError, match="crops"):
            tessera.batches(array, crop, 1)
    with pytest.raises(ValueError, match="batch size"):
        tessera.batches(array, (1, 1), 0)


def test_it_ends_early(tmp_path, made):
    array, _ = made
    endless = tessera.batches(array, (6, 5), 4)
    assert next(endless).shape == next(endless).shape
    endless.close()
    with pytest.raises(StopIteration):
        next(endless)
    (tmp_path / "a.zarr" / "c" / "0" / "0").write_bytes(b"not zstd")
    damaged = tessera.batches(array, (23, 17), 1)
    with pytest.raises(tessera.CodecError, match="c/0/0"):
        next(damaged)
    with pytest.raises(StopIteration):
        next(damaged)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("tessera-batches")]


def chunks_of(origins, crop, chunk):
    """The chunks of each crop, in C order."""
    for origin in origins:
        axes = [range(first // n, (first + wide - 1) // n + 1) for first, wide, n in zip(origin, crop, chunk)]
        yield list(itertools.product(*axes))


def decodes(origins, crop, chunk, room):
    """How often chunks are decoded, of which `room` are kept, crop by crop."""
    kept, count = [], 0
    for touched in chunks_of(origins, crop, chunk):
        hits = [c for c in touched if c in kept]
        kept = [c for c in kept if c not in hits]
        count += len(touched) - len(hits)
        kept = (kept[-(room - len(touched)) :] if room > len(touched) else []) + touched
    return count


@pytest.mark.parametrize("threads", [1, 3])
def test_a_chunk_is_decoded_once_where_all_have_room(made, threads):
    array, _ = made
    with tessera.batches(array, (6, 5), 4, seed=1, count=50, threads=threads) as batches:
        origins = np.concatenate([batches.origins.copy() for _ in batches])
        touched = {chunk for chunks in chunks_of(origins, (6, 5), (5, 4)) for chunk in chunks}
        assert batches.decoded == len(touched) == 25


def test_what_was_used_least_recently_makes_room(made):
    array, expected = made
    chunk = 5 * 4 * 4
    for room in (4, 9, 24):
        with tessera.batches(array, (6, 5), 1, seed=2, count=60, cache=room * chunk) as batches:
            origins = []
            for batch in batches:
                y, x = batches.origins[0].tolist()
                np.testing.assert_array_equal(batch[0], expected[y : y + 6, x : x + 5])
                origins.append((y, x))
            assert batches.decoded == decodes(origins, (6, 5), (5, 4), room)


def test_a_batch_larger_than_the_cache(made):
    array, expected = made
    with tessera.batches(array, (6, 5), 16, seed=3, count=5, cache=4 * 80) as batches:
        for batch in batches:
            for crop, (y, x) in zip(batch, batches.origins):
                np.testing.assert_array_equal(crop, expected[y : y + 6, x : x + 5])
        assert 25 < batches.decoded < 5 * 16 * 4


def test_crops_are_read_alone_where_that_is_less(made, tmp_path):
    array, expected = made
    with tessera.batches(array, (6, 5), 4, seed=3, count=5, cache=3 * 80) as batches:  # a crop touches four chunks
        for batch in batches:
            for crop, (y, x) in zip(batch, batches.origins):
                np.testing.assert_array_equal(crop, expected[y : y + 6, x : x + 5])
        assert batches.decoded == 0
    raw = tessera.create_array(tmp_path / "raw.zarr", shape=(20, 20), dtype="int32", chunks=(5, 5), compressors=None)
    for cache, decoded in ((15 * 100, 0), (16 * 100, 16)):
        with tessera.batches(raw, (6, 6), 8, seed=3, count=20, cache=cache) as batches:
            assert all((batch == 0).all() for batch in batches)
            assert batches.decoded == decoded


def test_memory_is_used_again_and_begins_on_a_line(made):
    array, _ = made
    with tessera.batches(array, (6, 5), 3, seed=0, count=20, ahead=2) as batches:
        places = [batch.__array_interface__["data"][0] for batch in batches]
    assert len(set(places)) == 3 and not any(place % 64 for place in places)


@pytest.mark.parametrize("dtype", ["bool", "complex64", "V3", "uint8", "float64"])
def test_shards_and_types(tmp_path, dtype):
    expected = np.random.default_rng(5).integers(0, 256, (21, 18, 13 * np.dtype(dtype).itemsize), dtype="uint8")
    expected = (expected % 2).astype("bool") if dtype == "bool" else expected.view(dtype)
    array = tessera.create_array(tmp_path / "a.zarr", shape=expected.shape, dtype=dtype, shards=(8, 8, 8), chunks=(4, 2, 8))
    array[...] = expected
    with tessera.batches(array, (7, 5, 9), 3, seed=4, count=8) as batches:
        for batch in batches:
            for crop, (z, y, x) in zip(batch, batches.origins):
                assert crop.tobytes() == expected[z : z + 7, y : y + 5, x : x + 9].tobytes()
        assert 0 < batches.decoded <= 6 * 9 * 2


def test_what_failed_is_not_kept(tmp_path, made):
    array, expected = made
    crops = _tessera.Crops(array._native, [23, 17], 25 * 80, 1)
    out, origin = np.asarray(crops.memory(1)), np.zeros((1, 2), np.int64)
    damaged = tmp_path / "a.zarr" / "c" / "0" / "0"
    whole = damaged.read_bytes()
    damaged.write_bytes(b"not zstd")
    for _ in range(2):
        with pytest.raises(tessera.CodecError, match="c/0/0"):
            crops.read(origin, out)
    damaged.write_bytes(whole)
    crops.read(origin, out)
    np.testing.assert_array_equal(out[0], expected)
    assert crops.decoded == 25 and crops.hits == 0
    crops.read(origin, out)
    assert crops.decoded == 25 and crops.hits == 25
    crops.stop()
    with pytest.raises(tessera.Cancelled):
        crops.read(origin, out)


def test_a_batch_is_the_callers_to_reshape(made):
    array, expected = made
    with tessera.batches(array, (6, 5), 4, seed=0, count=6, ahead=1) as batches:
        for batch in batches:
            assert batch.shape == (4, 6, 5) and batch.dtype == "int32" and batch.flags.writeable
            for crop, (y, x) in zip(batch, batches.origins):
                np.testing.assert_array_equal(crop, expected[y : y + 6, x : x + 5])
            batch.shape = (-1,)
            batch.dtype = "uint8"
            batch.flags.writeable = False
