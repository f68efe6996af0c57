"""Strings and bytes of any length, as NumPy has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._errors import ExchangeError, SelectionError

if TYPE_CHECKING:
    from . import _tessera

VARYING: dict[str, np.dtype[Any]] = {"string": np.dtypes.StringDType(), "bytes": np.dtype(object)}
"""Elements of any length, as zarr-python has them in NumPy."""


def strings_of(value: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Raises ExchangeError, if NumPy's conversion to text would be needed: 5 is not "5"."""
    if dtype.kind == "O":
        return np.asarray(value, object)  # the compiled half expects bytes
    missing = getattr(getattr(value, "dtype", None), "na_object", "")
    if not isinstance(missing, str) and any(one is missing for one in value.flat):
        raise ExchangeError("the array's elements are strings: found a missing value, which Zarr's strings have not")
    try:
        return np.asarray(value, np.dtypes.StringDType(coerce=False))
    except (TypeError, ValueError) as error:
        raise ExchangeError(f"the array's elements are strings: {error}") from None


def strings_as_numpy(strings: _tessera.Strings, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
    """`Strings.__array__`."""
    if copy is False:
        raise ValueError("NumPy has strings in memory of its own: they are copied")
    usual = VARYING[strings.dtype]
    wanted = usual if dtype is None else np.dtype(dtype)
    found = np.empty(len(items := strings.to_list()), wanted if wanted.kind == "O" else usual)
    found[:] = items
    return found.reshape(strings.shape).astype(wanted, copy=False)


def put_strings(strings: _tessera.Strings, out: Any) -> None:
    """Into NumPy's array of objects or of the array's dtype. Raises ExchangeError for other memory, such as text of a
    fixed length, which would cut them."""
    if not isinstance(out, np.ndarray):
        raise ExchangeError(f"found a {type(out).__name__} to read {strings.dtype} into, expected an array of NumPy's")
    if out.dtype.kind not in ("O", VARYING[strings.dtype].kind):
        raise ExchangeError(f"the memory's elements are {out.dtype}, expected {VARYING[strings.dtype]} or objects")
    if out.shape != strings.shape:
        raise SelectionError(f"the memory's shape is {out.shape}, expected {strings.shape}")
    out[...] = strings_as_numpy(strings)
