"""Data types: NumPy's names for Zarr's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import ExchangeError

_numbers = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)

SMALL_NUMBERS = {"bfloat16": 2} | dict.fromkeys(
    "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz "
    "float8_e8m0fnu".split(),
    1,
)
"""Numbers that tensors have and NumPy has not, and their sizes in bytes."""


def numpy_dtype(name: str) -> np.dtype[Any]:
    """'float32' and similar are NumPy's names too; 'r24' is NumPy's V3. Raises ExchangeError for types that NumPy
    itself lacks: other libraries' numbers, which it may know by name, times, text and structs."""
    if name in _numbers:
        return np.dtype(name)
    if name[0] == "r":
        return np.dtype(f"V{int(name[1:]) // 8}")
    if name in SMALL_NUMBERS:
        raise ExchangeError(f"elements of {name}, which NumPy does not have: `read()` gives a tensor of them")
    raise ExchangeError(f"elements of {name}, which this module does not exchange with NumPy")


def small_number(dtype: Any) -> str | None:
    """The name, if it is one of SMALL_NUMBERS: that name, or the dtype of ml_dtypes."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", getattr(dtype, "__name__", ""))
    return name if name in SMALL_NUMBERS else None


def shown_by(name: str, space: str) -> Callable[[Any], Any]:
    """A function that shows memory of a read as NumPy's, without a copy: made once for an array, for use by each read.
    Device memory is shown unchanged."""
    if space == "device":
        return lambda memory: memory
    if name in SMALL_NUMBERS:
        return lambda memory: np.asarray(memory, numpy_dtype(name))
    return np.asarray if space == "pinned" or name[0] == "r" else np.from_dlpack  # which takes an eighth of the time


def as_numpy(value: Any) -> npt.NDArray[Any]:
    """Another library's tensor by DLPack, without a copy; everything else as NumPy sees it. Raises: the error of the
    tensor's own library, if it does not export its elements."""
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
        return np.asarray(value)
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as refused:
        try:
            found = np.asarray(value)
        except Exception:
            raise refused from None
        if found.dtype == object:  # NumPy sees no elements, but one object
            raise
        return found
