"""Conversion of an array's elements to numbers of another type."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _tessera
from ._array import Array
from ._errors import ConversionError


def _name_of(dtype: npt.DTypeLike) -> str:
    try:
        found = np.dtype(dtype)
    except TypeError:
        return str(dtype)
    return found.name if found.isnative else found.str


def conversion(
    array: Array, dtype: npt.DTypeLike | None, scale: float, offset: float, *, on_device: bool
) -> _tessera.Conversion | None:
    """None, if elements stay as they are."""
    if dtype is None:
        if (scale, offset) != (1, 0):
            raise ValueError(f"found scale={scale} and offset={offset} without dtype, expected one: 'float32'")
        return None
    name = _name_of(dtype)
    if name == array._native.dtype and (scale, offset) == (1, 0):
        return None
    found = _tessera.Conversion(name, scale, offset)
    if on_device:
        raise ConversionError(
            f"found dtype={name!r} for device memory, where elements stay as they are: open the array with "
            "space='pinned', or convert the tensor"
        )
    return found
