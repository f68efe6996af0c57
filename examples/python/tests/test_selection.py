"""Every kind of selection, against NumPy and zarr-python over the same folder."""

import numpy as np
import pytest
import zarr

import tessera

BASIC = [
    np.s_[...], np.s_[:], np.s_[3], np.s_[-1], np.s_[3, 4], np.s_[-23, -17], np.s_[2:9], np.s_[:, 3:5], np.s_[::2, 1::3],
    np.s_[..., 4], np.s_[4, ...], np.s_[5:5], np.s_[20:99, -3:], np.s_[np.int64(3), np.uint8(2)], np.s_[7:2],
]  # fmt: skip


@pytest.mark.parametrize("index", BASIC, ids=str)
def test_basic(made, index):
    array, expected = made
    found = array[index]
    np.testing.assert_array_equal(found, expected[index])
    assert np.shape(found) == expected[index].shape
    np.testing.assert_array_equal(zarr.open_array(array.store_path)[index], found)


@pytest.mark.parametrize("index", BASIC, ids=str)
def test_basic_writes(made, index):
    array, expected = made
    array[index] = 7
    expected[index] = 7
    np.testing.assert_array_equal(array[...], expected)
    array[index] = (expected[index] * 2).astype("int64")
    expected[index] *= 2
    np.testing.assert_array_equal(zarr.open_array(array.store_path)[...], expected)


ORTHOGONAL = [
    ([1, 5, 3], slice(None)), (slice(2, 20, 3), [0, -1, 0]), ([4], [2, 3]), (5, [1, 2]), ([True] * 10 + [False] * 13, 2),
    (np.arange(23) % 3 == 0, np.arange(17) % 5 == 1), (slice(3, None, 2**70), [1]),
]  # fmt: skip


@pytest.mark.parametrize("index", ORTHOGONAL, ids=str)
def test_orthogonal(made, index):
    array, expected = made
    theirs = zarr.open_array(array.store_path)
    np.testing.assert_array_equal(array.oindex[index], theirs.oindex[index])
    array.oindex[index] = 9
    theirs = zarr.open_array(array.store_path)
    assert (theirs.oindex[index] == 9).all()
    assert (theirs[...] != expected).sum() == len(np.unique(expected_places(expected, index)))


def expected_places(expected, index):
    places = np.arange(expected.size).reshape(expected.shape)
    lists = [np.atleast_1d(np.arange(n)[i]) for n, i in zip(expected.shape, index)]
    return [p for p in places[np.ix_(*lists)].flat if expected.flat[p] != 9]


POINTS = [
    ([1, 5, 3], [0, 16, 2]), ([-1, 0], [-17, 3]), (np.array([[1, 2], [3, 4]]), np.array([[0, 1], [2, 3]])), ([3], [4]),
    ([1, 2, 3], 5), ([], []),
]  # fmt: skip


@pytest.mark.parametrize("index", POINTS, ids=str)
def test_points(made, index):
    array, expected = made
    as_numbers = tuple(np.asarray(i, "int64") for i in index)
    np.testing.assert_array_equal(array.vindex[index], expected[as_numbers])
    array.vindex[index] = 5
    expected[as_numbers] = 5
    np.testing.assert_array_equal(array[...], expected)


def test_mask_and_fancy(made):
    array, expected = made
    mask = expected % 7 == 0
    np.testing.assert_array_equal(array.vindex[mask], expected[mask])
    np.testing.assert_array_equal(array[mask], expected[mask])
    np.testing.assert_array_equal(array[[1, 2], [3, 4]], expected[[1, 2], [3, 4]])
    np.testing.assert_array_equal(array[[1, 2]], expected[[1, 2]])
    array[mask] = np.arange(mask.sum())
    expected[mask] = np.arange(mask.sum())
    np.testing.assert_array_equal(array[...], expected)


TWO_DIMENSIONS = [np.s_[[[1, 2], [3, -4]]], np.s_[:, [[1], [0], [5]]], np.s_[2:9:3, [[1, 0], [5, 6]]], np.s_[[[], []]]]


@pytest.mark.parametrize("index", TWO_DIMENSIONS, ids=str)
def test_lists_of_two_dimensions(made, index):
    array, expected = made
    index = tuple(np.asarray(i, int) if isinstance(i, list) else i for i in (index if isinstance(index, tuple) else (index,)))
    np.testing.assert_array_equal(array[index], expected[index])
    np.testing.assert_array_equal(array.oindex[index], expected[index])
    for value in (7, np.arange(expected[index].size).reshape(expected[index].shape), np.arange(expected[index].shape[-1])):
        array[index] = expected[index] = value
        np.testing.assert_array_equal(array[...], expected)


def test_values_are_broadcast_to_points(made):
    array, expected = made
    index = np.array([[1, 2], [3, 4]]), np.array([[0, 1], [2, 3]])
    array.vindex[index] = expected[index] = [8, 9]
    np.testing.assert_array_equal(array[...], expected)


@pytest.mark.parametrize("index", [np.s_[0], np.s_[1, 2], np.s_[:, 4], np.s_[-1, -1], np.s_[1:3, 2:4]], ids=str)
def test_blocks(made, index):
    array, _ = made
    theirs = zarr.open_array(array.store_path)
    np.testing.assert_array_equal(array.blocks[index], theirs.blocks[index])


@pytest.mark.parametrize(
    "index", [23, (0, 17), -24, (0, 0, 0), slice(None, None, -1), (..., ...), None, "x", 1.5, ([0], [99], [1])], ids=str
)
def test_wrong_indices(made, index):
    with pytest.raises(tessera.SelectionError) as raised:
        made[0][index]
    assert isinstance(raised.value, IndexError)


@pytest.mark.parametrize("index", [True, ([0],), 1.5, "x"], ids=str)
def test_wrong_blocks(made, index):
    with pytest.raises(tessera.SelectionError, match="expected a slice or an integer"):
        made[0].blocks[index]


def test_wrong_values(made):
    array, expected = made
    with pytest.raises(ValueError):
        array[:2] = np.zeros((3, 17))
    np.testing.assert_array_equal(array[...], expected)


def test_rank_0_and_no_elements(tmp_path):
    scalar = tessera.create_array(tmp_path / "s.zarr", shape=(), dtype="float64", fill_value=2.5)
    assert scalar[()] == 2.5 and type(scalar[()]) is np.float64 and scalar[...].shape == ()
    scalar[...] = 4
    assert scalar[...] == 4 and scalar.shape == ()
    empty = tessera.create_array(tmp_path / "e.zarr", shape=(0, 3), dtype="uint8", chunks=(2, 2))
    assert empty[...].shape == (0, 3)
    assert np.from_dlpack(empty.read()).shape == (0, 3)
