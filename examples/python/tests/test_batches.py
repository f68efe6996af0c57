"""Batches of random crops."""

import threading

import numpy as np
import pytest

import tessera


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
