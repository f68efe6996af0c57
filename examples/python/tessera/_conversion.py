"""Conversion of an array's elements to numbers of another type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import _tessera
from ._array import Array
from ._errors import ConversionError


@dataclass(frozen=True)
class ScaleByIndex:
    """A scale and an offset for each index of an axis of the array, such as one for each channel. Each has as many
    numbers as the axis has indices; empty are scales of 1, offsets of 0."""

    axis: int
    scale: Sequence[float] = ()
    offset: Sequence[float] = ()


def _name_of(dtype: npt.DTypeLike) -> str:
    try:
        found = np.dtype(dtype)
    except TypeError:
        return str(dtype)
    return found.name if found.isnative else found.str


def conversion(
    array: Array,
    dtype: npt.DTypeLike | None,
    scale: float,
    offset: float,
    by_index: ScaleByIndex | None,
    *,
    on_device: bool,
) -> _tessera.Conversion | None:
    """None, if elements stay as they are."""
    if by_index is not None and (scale, offset) != (1, 0):
        raise ValueError(f"found by_index beside scale={scale} and offset={offset}, expected one of them")
    if dtype is None:
        if (scale, offset) != (1, 0):
            raise ValueError(f"found scale={scale} and offset={offset} without dtype, expected one: 'float32'")
        if by_index is not None:
            raise ValueError("found by_index without dtype, expected one: 'float32'")
        return None
    name = _name_of(dtype)
    if name == array._native.dtype and (scale, offset) == (1, 0) and by_index is None:
        return None
    of = by_index or ScaleByIndex(0)
    axis = of.axis + array.ndim if of.axis < 0 else of.axis
    if not 0 <= axis < max(array.ndim, 1):
        raise ConversionError(f"found axis {of.axis}, expected one of -{array.ndim} to {array.ndim - 1}")
    found = _tessera.Conversion(name, scale, offset, axis, [*map(float, of.scale)], [*map(float, of.offset)])
    if on_device:
        raise ConversionError(
            f"found dtype={name!r} for device memory, where elements stay as they are: open the array with "
            "space='pinned', or convert the tensor"
        )
    return found
