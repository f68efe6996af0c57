"""Data types: NumPy's for Zarr's, and elements in NumPy's memory."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._errors import ExchangeError
from ._strings import VARYING, strings_of

if TYPE_CHECKING:
    from . import _tessera

_numbers = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)

SMALL_NUMBERS = {"bfloat16": 2} | dict.fromkeys(
    "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz "
    "float8_e8m0fnu float6_e2m3fn float6_e3m2fn float4_e2m1fn int4 uint4 int2 uint2".split(),
    1,
)
"""Numbers that NumPy has from ml_dtypes, and their sizes in bytes in memory."""


def numpy_dtype(name: str) -> np.dtype[Any]:
    """'float32' and similar are NumPy's names too; 'r24' is NumPy's V3. Raises ExchangeError for other types: other
    libraries' numbers, which NumPy may know by name, times, text and structs."""
    if name in _numbers:
        return np.dtype(name)
    if name[0] == "r":
        return np.dtype(f"V{int(name[1:]) // 8}")
    raise _lacking(name)


def _lacking(name: str) -> ExchangeError:
    if name in SMALL_NUMBERS:
        return ExchangeError(
            f"elements of {name}, which NumPy does not have: install ml_dtypes, or use `read()`, which gives a tensor"
        )
    return ExchangeError(f"elements of {name}, which neither NumPy nor ml_dtypes has: programs in C++ read them")


def _of_ml_dtypes(name: str) -> np.dtype[Any]:
    try:
        found: np.dtype[Any] = np.dtype(getattr(importlib.import_module("ml_dtypes"), name))
    except (ImportError, AttributeError):  # or it is too old for this type
        raise _lacking(name) from None
    return found


def _of_fields(found: Any) -> np.dtype[Any]:
    """From NumPy's type string, or from a list of names and types, in which a field without a name is a gap."""
    if isinstance(found, str):
        return np.dtype(found) if found[0] in "<|" else _of_ml_dtypes(found)
    names, formats, offsets, at = [], [], [], 0
    for name, of_field in found:
        dtype = _of_fields(of_field)
        if name:
            names.append(name)
            formats.append(dtype)
            offsets.append(at)
        at += dtype.itemsize
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": at})


def dtype_of(array: _tessera.Array | _tessera.ChunksInMemory) -> np.dtype[Any]:
    """Of the elements of an array, in the processor's byte order. Raises ExchangeError, if NumPy does not have it."""
    name = array.dtype
    if name.startswith("complex_"):
        raise _lacking(name)
    if name in VARYING:
        return VARYING[name]
    return numpy_dtype(name) if name in _numbers else _of_fields(json.loads(array.numpy_type))


def dtype_if_known(array: _tessera.Array) -> np.dtype[Any] | None:
    """None: numbers that NumPy has from ml_dtypes, which is not installed."""
    try:
        return dtype_of(array)
    except ExchangeError:
        if array.dtype not in SMALL_NUMBERS:
            raise
        return None


def fill_of(array: _tessera.Array, dtype: np.dtype[Any]) -> Any:
    """The fill value, as an element in NumPy's memory."""
    if dtype.kind in "TO":
        return array.fill.decode() if dtype.kind == "T" else array.fill
    return np.frombuffer(array.fill, dtype)[0]


def in_native_order(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if dtype.kind == "T" else dtype.newbyteorder("=")  # NumPy refuses it for strings


def small_number(dtype: Any) -> str | None:
    """The name, if it is one of ml_dtypes' numbers: that name, or the dtype."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", getattr(dtype, "__name__", ""))
    return name if name in SMALL_NUMBERS else None


def is_of_bytes(dtype: np.dtype[Any] | None) -> bool:
    """Structs, and numbers that NumPy has from another library: their memory is exchanged as raw bytes."""
    return dtype is not None and (dtype.fields is not None or dtype.isbuiltin == 2)


def shown_by(dtype: np.dtype[Any] | None, name: str, space: str) -> Callable[[Any], Any]:
    """A function that shows memory of a read as NumPy's, without a copy: made once for an array, for use by each read.
    Device memory is shown unchanged. `name`: of the data type, for an error where NumPy does not have it."""
    if space == "device":
        return lambda memory: memory
    if dtype is None:
        return lambda memory: np.asarray(memory, _of_ml_dtypes(name))
    if is_of_bytes(dtype):
        return lambda memory: np.asarray(memory.raw()).view(dtype)
    is_fast = space == "host" and dtype.kind in "biufc"
    return np.from_dlpack if is_fast else np.asarray  # which takes eight times as long


def exchanged(memory: Any, dtype: np.dtype[Any] | None) -> Any:
    """The same memory, as the compiled half takes it; other libraries' is unchanged."""
    if dtype is None or not is_of_bytes(dtype) or not isinstance(memory, np.ndarray):
        return memory
    if memory.dtype != dtype:
        raise ExchangeError(f"the memory's elements are {memory.dtype}, expected {dtype}")
    return memory.view(f"V{dtype.itemsize}")


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic))


def elements_of(value: Any, dtype: np.dtype[Any] | None, shape: tuple[int, ...] | None = None) -> Any:
    """Values as memory of that type for the compiled half, converted and broadcast to `shape` as NumPy's assignment
    does it: Python's numbers must fit. Tensors of numbers that NumPy has from ml_dtypes are unchanged."""
    if dtype is None or (dtype.isbuiltin == 2 and _is_tensor(value)):
        return value
    if dtype.kind in "TO":
        found = strings_of(value, dtype)
    else:
        found = np.asarray(as_numpy(value) if _is_tensor(value) else value, dtype)
    return exchanged(found if shape is None else _broadcast(found, shape), dtype)


def _broadcast(found: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Also of more dimensions than `shape` has, if the first ones have length 1."""
    extra = max(found.ndim - len(shape), 0)
    if found.shape[:extra] == (1,) * extra:
        found = found.reshape(found.shape[extra:])
    return np.broadcast_to(found, shape)


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
