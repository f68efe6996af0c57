"""The data_type of a new array in its zarr.json, from NumPy's dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields

from ._errors import ExchangeError
from ._strings import VARYING
from ._types import in_native_order, numpy_dtype, small_number


def kind_of(dtype: Any) -> np.dtype[Any]:
    """StringDType stands for strings of any length, object for bytes. Raises ExchangeError for types that the module
    lacks."""
    names: dict[Any, str] = {str: "string", bytes: "bytes", "str": "string", "variable_length_bytes": "bytes"}
    if isinstance(dtype, (str, type)) and (name := names.get(dtype, dtype)) in VARYING:
        return VARYING[name]
    found = in_native_order(np.dtype(dtype))
    if found.kind == "T":
        return VARYING["string"]
    if found.hasobject or found.subdtype is not None or (found.kind in "SUV" and found.itemsize == 0):
        raise ExchangeError(
            f"found the dtype {found}, expected numbers, times, 'string', 'bytes', "
            "text of a length such as 'U10', or a struct of these"
        )
    packed: np.dtype[Any] = found if found.fields is None else repack_fields(found, recurse=True)  # Zarr v3 has no gaps
    return packed


def data_type(dtype: np.dtype[Any]) -> Any:
    """As in zarr.json. A struct's is zarr-python's "structured", which all its versions since 3.1 read."""
    if dtype.fields is not None:
        fields = [[name, data_type(kind_of(dtype.fields[name][0]))] for name in dtype.names or ()]
        return {"name": "structured", "configuration": {"fields": fields}}
    if dtype.kind in "TO":
        return "string" if dtype.kind == "T" else "variable_length_bytes"
    if dtype.kind in "mM":
        unit, scale = np.datetime_data(dtype)
        name = "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
        return {"name": name, "configuration": {"unit": unit, "scale_factor": scale}}
    if (small := small_number(dtype)) is not None:
        return small
    if dtype.kind in "SUV":
        names = {"S": "null_terminated_bytes", "U": "fixed_length_utf32", "V": "raw_bytes"}
        return {"name": names[dtype.kind], "configuration": {"length_bytes": dtype.itemsize}}
    return numpy_dtype(dtype.name).name
