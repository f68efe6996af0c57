"""NumPy's and zarr-python's indices, as selections of an array."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _tessera
from ._errors import SelectionError
from ._tessera import Selection

_Slice = tuple[int, int, int]


def _expand(index: Any, rank: int) -> list[Any]:
    """One index per dimension."""
    items = list(index) if isinstance(index, tuple) else [index]
    ellipses = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise SelectionError("found several '...', expected one at most")
    if any(item is None for item in items):
        raise SelectionError("found numpy.newaxis: a stored array gets no new dimensions")
    missing = rank - (len(items) - len(ellipses))
    if missing < 0:
        raise SelectionError(f"found {len(items) - len(ellipses)} indices, expected at most {rank}")
    at = ellipses[0] if ellipses else len(items)
    return items[:at] + [slice(None)] * missing + items[at + len(ellipses) :]


def _one(index: Any, length: int, dimension: int) -> int:
    number = operator.index(index)
    found = number + length if number < 0 else number
    if not 0 <= found < length:
        raise SelectionError(f"dimension {dimension}: found index {number}, expected one of -{length} to {length - 1}")
    return found


def _slice(item: slice, length: int, dimension: int) -> _Slice:
    first, stop, step = item.indices(length)
    if step < 1:
        raise SelectionError(f"dimension {dimension}: found a step of {step}, expected one of at least 1")
    return first, max(first, stop), min(step, max(length, 1))  # a step may be beyond 64 bits


def _is_index(item: Any) -> bool:
    return isinstance(item, (int, np.integer)) and not isinstance(item, (bool, np.bool_))


def _is_list(item: Any) -> bool:
    return isinstance(item, (list, np.ndarray)) or (hasattr(item, "__array__") and np.ndim(item) > 0)


def _numbers(item: Any, length: int, dimension: int) -> npt.NDArray[np.uint64]:
    """Indices of one dimension, of any shape, from 0 on."""
    found = np.asarray(item)
    if found.size == 0:
        return np.zeros(found.shape, np.uint64)
    if found.dtype.kind not in "iu":
        raise SelectionError(f"dimension {dimension}: found indices of type {found.dtype}, expected integers")
    outside = (found < -length) | (found >= length) if found.dtype.kind == "i" else found >= length
    if outside.any():
        raise SelectionError(
            f"dimension {dimension}: found index {found[outside].flat[0]}, expected one of -{length} to {length - 1}"
        )
    if found.dtype.kind == "i":
        found = np.where(found < 0, found + length, found)
    return np.ascontiguousarray(found, np.uint64)


def _boxes(index: Any, shape: tuple[int, ...], other: Callable[[int, Any], _Slice]) -> tuple[list[_Slice], list[int]]:
    """A slice for each dimension, and the dimensions of single indices, which are dropped; `other` handles the rest."""
    slices: list[_Slice] = []
    dropped: list[int] = []
    for d, item in enumerate(_expand(index, len(shape))):
        if isinstance(item, slice):
            slices.append(_slice(item, shape[d], d))
        elif _is_index(item):
            first = _one(item, shape[d], d)
            slices.append((first, first + 1, 1))
            dropped.append(d)
        else:
            slices.append(other(d, item))
    return slices, dropped


def slices_of(index: Any, shape: tuple[int, ...]) -> tuple[list[_Slice], list[int]]:
    """Of slices and single indices."""
    if index is Ellipsis or (isinstance(index, slice) and index == slice(None)):
        index = ()

    def refuse(d: int, item: Any) -> _Slice:
        raise SelectionError(f"dimension {d}: found {item!r}, expected a slice or an integer")

    return _boxes(index, shape, refuse)


def basic(array: _tessera.Array, index: Any) -> Selection:
    """Slices and single indices; the dimensions of the latter are dropped."""
    return Selection.box(array.shape, *slices_of(index, array.shape))


def orthogonal(array: _tessera.Array, index: Any) -> Selection:
    """Also lists, each of which keeps its own dimensions in the memory, and masks of one dimension."""
    shape = array.shape
    lists: list[tuple[int, npt.NDArray[np.uint64], tuple[int, ...]]] = []

    def add_list(d: int, item: Any) -> _Slice:
        found = np.asarray(item)
        if found.dtype == np.bool_:
            if found.shape != (shape[d],):
                raise SelectionError(f"dimension {d}: found a mask of the shape {found.shape}, expected {(shape[d],)}")
            found = np.flatnonzero(found)
        if found.ndim == 0:
            raise SelectionError(f"dimension {d}: found {item!r}, expected a slice, an integer or a list")
        lists.append((d, _numbers(found, shape[d], d).reshape(-1), found.shape))
        return 0, 0, 1

    slices, dropped = _boxes(index, shape, add_list)
    return Selection.orthogonal(shape, slices, lists, dropped)


def mask(array: _tessera.Array, index: Any) -> Selection:
    found = np.asarray(index)
    if found.shape != array.shape:
        raise SelectionError(f"found a mask of the shape {found.shape}, expected {array.shape}")
    return Selection.mask(array.shape, np.ascontiguousarray(found, np.bool_).reshape(-1).view(np.uint8))


def points(array: _tessera.Array, index: Any) -> Selection:
    """A list of coordinates per dimension, broadcast against each other; or a mask of the array's shape."""
    shape = array.shape
    items = index if isinstance(index, tuple) else (index,)
    if len(items) == 1 and np.asarray(items[0]).dtype == np.bool_:
        return mask(array, items[0])
    if len(items) != len(shape):
        raise SelectionError(f"found {len(items)} lists of coordinates, expected {len(shape)}")
    lists = np.broadcast_arrays(*(_numbers(item, shape[d], d) for d, item in enumerate(items)))
    places = np.stack([found.reshape(-1) for found in lists], axis=1) if lists else np.zeros((1, 0), np.uint64)
    return Selection.points(shape, np.ascontiguousarray(places), list(lists[0].shape) if lists else [])


def blocks(array: _tessera.Array, index: Any) -> Selection:
    """Whole chunks, by their places in the grid; a single index keeps its dimension."""
    grid = [-(-n // c) for n, c in zip(array.shape, array.chunk_shape)]
    slices: list[_Slice] = []
    for d, item in enumerate(_expand(index, len(grid))):
        if isinstance(item, slice):
            slices.append(_slice(item, grid[d], d))
        elif _is_index(item):
            first = _one(item, grid[d], d)
            slices.append((first, first + 1, 1))
        else:
            raise SelectionError(f"dimension {d}: found {item!r}, expected a slice or an integer")
    return Selection.blocks(array.shape, array.chunk_shape, slices)


def any_of(array: _tessera.Array, index: Any) -> Selection:
    """The meaning of `array[index]`, as in zarr-python: coordinates if lists stand for every dimension, otherwise each
    dimension on its own."""
    if (found := Selection.basic(array, index)) is not None:
        return found
    items = index if isinstance(index, tuple) else (index,)
    if not any(_is_list(item) for item in items):
        return basic(array, index)
    first = np.asarray(items[0]) if len(items) == 1 else None
    if first is not None and first.dtype == np.bool_ and first.shape == array.shape:
        return mask(array, first)
    are_coordinates = len(items) == len(array.shape) and all(
        _is_index(item) or (_is_list(item) and np.asarray(item).dtype != np.bool_) for item in items
    )
    return points(array, index) if are_coordinates else orthogonal(array, index)
