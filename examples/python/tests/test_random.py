"""Random selections of random arrays, read and written, against NumPy."""

import numpy as np
import pytest

import tessera

CALLS = 60


def random_array(random, folder):
    rank = int(random.integers(1, 5))
    shape = [int(n) for n in random.integers(0 if random.random() < 0.1 else 1, 9 if rank > 2 else 40, rank)]
    chunks = [int(n) for n in random.integers(2, 8, rank)]
    shards = [n * int(random.integers(1, 4)) for n in chunks] if random.random() < 0.4 else None
    array = tessera.create_array(folder, shape=shape, dtype="int32", chunks=chunks, shards=shards, fill_value=-1)
    array[...] = expected = random.integers(0, 1000, shape).astype("int32")
    return array, expected


def random_slice(random, n):
    bounds = [None, 0, n, n + 3, -n - 3, -1, 2**70, np.int16(n // 2), *(int(i) for i in random.integers(-n, n + 1, 9))]
    first, stop = (bounds[i] for i in random.integers(len(bounds), size=2))
    return slice(first, stop, [None, 1, 1, 2, 3, n + 1, 2**62, 2**70][random.integers(8)])


def random_number(random, n):
    """One of a hundred is outside."""
    number = int(random.integers(-n - 1, n + 1)) if n == 0 or random.random() < 0.01 else int(random.integers(-n, n))
    return number if random.random() < 0.7 else np.int64(number)


def random_list(random, n):
    if n == 0 or random.random() < 0.2:
        return random.random(n) < 0.4
    found = random.integers(-n, n, int(random.integers(1, 9)))
    return found.tolist() if random.random() < 0.3 else found


def random_index(random, shape, with_lists):
    """One index per dimension, in all the ways to write them down."""
    choices = [random_slice, random_slice, random_number] + [random_list] * with_lists
    full = [choices[random.integers(len(choices))](random, n) for n in shape]
    first, last = sorted(int(i) for i in random.integers(0, len(full) + 1, 2))
    way = random.integers(4)
    if way == 0:  # the last ones are left out
        return (full[0],) if first == 0 else tuple(full[:first])
    if way == 1:
        return (*full[:first], ..., *full[last:])
    return full[0] if way == 2 and len(full) == 1 else tuple(full)


def orthogonal(places, index):
    """NumPy's answer for each dimension on its own."""
    items = list(index) if isinstance(index, tuple) else [index]
    at = next((i for i, item in enumerate(items) if item is ...), len(items))
    items[at : at + 1] = [slice(None)] * (places.ndim - len(items) + (at < len(items)))
    for d in reversed(range(places.ndim)):
        places = places[(slice(None),) * d + (items[d],)]
    return places


def random_call(random, array, places):
    """The indexed object, the index, and a function that returns NumPy's selection of the array."""
    shape, way = array.shape, random.integers(6)
    if way <= 1:
        index = random_index(random, shape, with_lists=False)
        return array, index, lambda: places[index]
    if way == 2:
        index = random_index(random, shape, with_lists=True)
        return array.oindex, index, lambda: orthogonal(places, index)
    if way == 3 and 0 not in shape:
        count = [(), (3,), (2, 4), (0,)][random.integers(4)]
        index = tuple(random.integers(-n, n, count if random.random() < 0.8 else ()) for n in shape)
        return array.vindex, index, lambda: np.atleast_1d(places[index])  # as zarr-python
    if way == 4:
        mask = random.random(shape) < random.random()
        return (array if random.random() < 0.5 else array.vindex), mask, lambda: places[mask]
    if 0 in shape:
        return array, ..., lambda: places
    chunk = array.shards or array.chunks
    blocks = [int(random.integers(-(-n // c))) for n, c in zip(shape, chunk)]
    ends = [b + int(random.integers(1, 4)) for b in blocks]
    as_slices = tuple(slice(b * c, e * c) for b, e, c in zip(blocks, ends, chunk))
    return array.blocks, tuple(map(slice, blocks, ends)), lambda: places[as_slices]


def with_gaps(random, shape):
    """Memory of that shape, in any order and with gaps, and all of it."""
    order = random.permutation(len(shape))
    steps = random.integers(1, 4, len(shape))
    whole = np.full([shape[d] * steps[d] for d in order], -7, "int32")
    return whole.transpose(np.argsort(order))[(*(slice(None, None, int(step)) for step in steps), ...)], whole


@pytest.mark.parametrize("seed", range(8))
def test_calls_are_numpys(tmp_path, seed):
    random = np.random.default_rng(seed)
    array, expected = random_array(random, tmp_path / "a.zarr")
    places = np.arange(expected.size).reshape(expected.shape)
    for call in range(CALLS):
        indexed, index, numpys = random_call(random, array, places)
        print(f"seed {seed}, call {call}: {type(indexed).__name__} of {array.shape}, {index!r}")
        try:
            chosen = np.asarray(numpys())
        except IndexError:
            with pytest.raises(tessera.SelectionError):
                indexed[index]
            continue
        found = indexed[index]
        assert np.shape(found) == chosen.shape
        np.testing.assert_array_equal(found, expected.flat[chosen])
        if indexed is array:
            out, whole = with_gaps(random, chosen.shape)
            assert array.read(index, out=out) is out
            np.testing.assert_array_equal(out, expected.flat[chosen])
            out[...] = -7
            assert (whole == -7).all()
        if random.random() < 0.5:
            value = random.integers(0, 1000, expected.shape).astype("int32").flat[chosen]  # repeats are alike
            if random.random() < 0.3:
                value = int(random.integers(-1, 3))
            indexed[index] = value
            expected.flat[chosen] = value
    np.testing.assert_array_equal(array[...], expected)
    np.testing.assert_array_equal(tessera.open(array.store_path)[...], expected)
