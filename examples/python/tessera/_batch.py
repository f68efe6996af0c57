"""The joint selection of the chunks of a zarr-python call: one selection of the array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._tessera import Selection

Shape = tuple[int, ...]
# A chunk's place in the grid, the selection in it, and its place in the caller's memory.
Part = tuple[Shape, tuple[Any, ...], Any]
_Run = tuple[int, int, int]  # first, stop, step


class Unknown(Exception):
    """The parts do not form a selection that tessera has."""


def _run(selector: Any, length: int) -> range | npt.NDArray[Any]:
    if isinstance(selector, slice):
        return range(*selector.indices(length))
    found = np.asarray(selector).reshape(-1)
    return np.flatnonzero(found) if found.dtype == np.bool_ else found  # a mask of the chunk, from zarr-python 3.2 on


def _axis(pieces: dict[int, tuple[Any, Any]], chunk: int) -> tuple[int, _Run | npt.NDArray[np.uint64]]:
    """Of one dimension: how many elements, and which, in the order of the memory."""
    found: list[tuple[int, Any, Any]] = []
    for place, (selector, target) in pieces.items():
        if isinstance(selector, slice) and isinstance(target, slice):
            found.append((int(target.start), range(*selector.indices(chunk)), place * chunk))
        else:
            return _listed(pieces, chunk)
    found.sort(key=lambda piece: piece[0])
    first, step, count = found[0][2] + found[0][1].start, found[0][1].step, 0
    for start, run, offset in found:
        if start != count or run.step != step or offset + run.start != first + count * step:
            return _listed(pieces, chunk)
        count += len(run)
    return count, (first, first + (count - 1) * step + 1, step)


def _listed(pieces: dict[int, tuple[Any, Any]], chunk: int) -> tuple[int, npt.NDArray[np.uint64]]:
    runs = [(place * chunk, _run(selector, chunk), target) for place, (selector, target) in pieces.items()]
    count = sum(len(run) for _, run, _ in runs)
    indices = np.full(count, np.iinfo(np.uint64).max, np.uint64)
    for offset, run, target in runs:
        to = target if isinstance(target, slice) else np.asarray(target).reshape(-1)
        if isinstance(to, slice) and (to.stop > count or to.stop - to.start != len(run)):
            raise Unknown("memory with gaps")
        indices[to] = np.asarray(run, np.uint64) + np.uint64(offset)
    if count and indices.max() == np.iinfo(np.uint64).max:
        raise Unknown("memory with gaps")
    return count, indices


def _product(parts: Sequence[Part], chunks: Shape, drop_axes: Shape) -> tuple[Shape, list[Any], list[int]]:
    rank = len(chunks)
    axes: list[dict[int, tuple[Any, Any]]] = [{} for _ in range(rank)]
    dropped: list[int] = []
    for number, (place, selectors, targets) in enumerate(parts):
        targets = targets if isinstance(targets, tuple) else (targets,)
        at = 0
        for d in range(rank):
            selector = selectors[d]
            if d in drop_axes or not isinstance(selector, (slice, np.ndarray)):
                if number == 0:
                    dropped.append(d)
                axes[d].setdefault(place[d], (selector, None))
                continue
            if place[d] not in axes[d]:
                axes[d][place[d]] = (selector, targets[at])
            at += 1
        if at != len(targets):
            raise Unknown("memory of other dimensions")
    if len(parts) != math.prod(len(axis) for axis in axes):
        raise Unknown("chunks that are no grid")
    shape: list[int] = []
    indices: list[Any] = []
    for d, axis in enumerate(axes):
        if d in dropped:
            ((at_chunk, (selector, _)),) = axis.items()
            first = at_chunk * chunks[d] + int(np.asarray(selector).item())
            indices.append((first, first + 1, 1))
        else:
            count, which = _axis(axis, chunks[d])
            shape.append(count)
            indices.append(which)
    return tuple(shape), indices, dropped


def _places(parts: Sequence[Part], chunks: Shape) -> npt.NDArray[np.uint64]:
    """A row of coordinates for each element, in the order of the memory."""
    count = sum(len(selectors[0]) for _, selectors, _ in parts)
    found = np.full((count, len(chunks)), np.iinfo(np.uint64).max, np.uint64)
    for place, selectors, target in parts:
        to = target[0] if isinstance(target, tuple) else target
        found[to] = np.stack(selectors, axis=1).astype(np.uint64) + np.multiply(np.asarray(place, np.uint64), np.asarray(chunks, np.uint64))
    if count and found.max() == np.iinfo(np.uint64).max:
        raise Unknown("memory with gaps")
    return found


class Together:
    """The selection, the shape of its memory, and its extent in the array."""

    def __init__(self, parts: Sequence[Part], chunks: Shape, drop_axes: Shape) -> None:
        first = parts[0][1]
        self._places: npt.NDArray[np.uint64] | None = None
        if len(chunks) > 1 and isinstance(first, tuple) and all(isinstance(s, np.ndarray) and s.ndim == 1 for s in first):
            self._places = _places(parts, chunks)
            self.shape: Shape = (len(self._places),)
            self.reach: Shape = tuple(int(n) + 1 for n in self._places.max(axis=0))
        else:
            selectors = [(place, s if isinstance(s, tuple) else (s,), target) for place, s, target in parts]
            self.shape, self._indices, self._dropped = _product(selectors, chunks, drop_axes)
            self.reach = tuple(i[1] if isinstance(i, tuple) else int(i.max()) + 1 for i in self._indices)

    def has_repeats(self) -> bool:
        """Whether an element is selected more than once."""
        if self._places is not None:
            return len(np.unique(np.ravel_multi_index(tuple(self._places.T.astype(np.int64)), self.reach))) < len(self._places)
        return any(not isinstance(i, tuple) and len(np.unique(i)) < len(i) for i in self._indices)

    def of(self, array_shape: Shape) -> Selection:
        if self._places is not None:
            return Selection.points(array_shape, self._places, self.shape)
        lists = [(d, i, i.shape) for d, i in enumerate(self._indices) if not isinstance(i, tuple)]
        if not lists:
            return Selection.box(array_shape, self._indices, self._dropped)
        slices = [i if isinstance(i, tuple) else (0, 0, 1) for i in self._indices]
        return Selection.orthogonal(array_shape, slices, lists, self._dropped)
