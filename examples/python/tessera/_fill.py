"""Fill values of new arrays, as in zarr.json, and values as elements."""

from __future__ import annotations

import base64
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import MetadataError


def _base64(octets: bytes) -> str:
    return base64.b64encode(octets).decode()


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise MetadataError(f"found fill_value {value!r}, which is not UTF-8, as JSON is") from None
    return value


def _is_same_time(found: npt.NDArray[Any], value: Any) -> bool:
    """False, if a time of a coarser unit needs more than 64 bits, which NumPy's conversion does not say."""
    given = np.asarray(value if found.dtype.kind in "mM" else 0)
    if given.dtype.kind != found.dtype.kind or np.isnat(given):
        return True
    is_finer = np.promote_types(found.dtype, given.dtype) == found.dtype
    return not is_finer or bool(found.astype(given.dtype) == given)


def _is_whole(value: Any, found: npt.NDArray[Any]) -> bool:
    """Of text: False, if it was cut, or is of another kind."""
    given = value[()] if isinstance(value, np.ndarray) else value
    return np.asarray(given).dtype.kind == found.dtype.kind and len(given) <= len(found[()])


def element_of(value: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A time, text of a fixed length or a struct. Raises MetadataError, if it is none, or the text is too long."""
    try:
        found = np.asarray(value, dtype)
        is_same = _is_same_time(found, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise MetadataError(f"found fill_value {value!r}, which is no element of {dtype}: {error}") from None
    is_whole = dtype.kind not in "SU" or _is_whole(value, found)
    if found.ndim != 0 or not is_whole or not is_same:
        raise MetadataError(f"found fill_value {value!r}, which is no element of {dtype}")
    return found


def _other_fill(value: Any, dtype: np.dtype[Any]) -> Any:
    """As in zarr-python's documents."""
    if value is None:
        value = "NaT" if dtype.kind in "mM" else dtype.type() if dtype.kind in "SU" else np.zeros((), dtype)
    found = element_of(value, dtype)
    if dtype.kind in "mM":
        return int(found.view("int64"))
    if dtype.kind == "U":
        return _text(str(found))
    return _base64(bytes(found[()]) if dtype.kind == "S" else found.tobytes())


def converted(value: Any, dtype: np.dtype[Any]) -> Any:
    """None, if it is not an element of that type."""
    given = np.asarray(value)
    if given.dtype.kind == "O" and isinstance(value, int):  # of more than 64 bits
        given = np.asarray(float(value))
    is_text = given.dtype.kind == "U" and dtype.kind in "iufc"  # "NaN", "1+2j"
    if given.ndim != 0 or (given.dtype.kind not in "buifc" and not is_text):
        return None
    if given.dtype.kind == "c" and dtype.kind != "c":
        if given.imag != 0:
            return None
        given = given.real
    exact = value if given.dtype.kind in "iu" else given  # which may have more bits than NumPy has
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.asarray(exact, dtype)[()]
    except (TypeError, ValueError, OverflowError):
        return None
    if is_text:
        return found
    if dtype.kind in "biu":
        return found if found == exact else None
    parts = (found.real, given.real), (found.imag, given.imag)
    return found if all(np.isinf(part) == np.isinf(of) for part, of in parts) else None


def _element(value: Any, dtype: np.dtype[Any]) -> Any:
    """`value` as an element. A fraction may be rounded. Raises MetadataError, if the element would be another number:
    1.5 is not an integer, 300 not a uint8, 1j not a float, 1e300 not a float32."""
    found = converted(value, dtype)
    if found is None:
        raise MetadataError(f"found fill_value {value!r}, which is no element of {dtype}")
    return found


def fill_in_json(value: Any, dtype: np.dtype[Any]) -> Any:
    """As in JSON (core specification, "Fill value"). Raises MetadataError, if it is not an element of that type."""
    if dtype.kind in "TO":
        given = ("" if dtype.kind == "T" else b"") if value is None else value
        if not isinstance(given, str if dtype.kind == "T" else bytes):
            raise MetadataError(f"found fill_value {value!r}, expected {'a str' if dtype.kind == 'T' else 'bytes'}")
        return _text(str(given)) if isinstance(given, str) else _base64(given)
    if dtype.kind in "mMSU" or dtype.fields is not None:
        return _other_fill(value, dtype)
    if dtype.kind == "V":
        if value is None or (isinstance(value, (int, float)) and value == 0):
            return [0] * dtype.itemsize
        octets = value.tobytes() if isinstance(value, (np.void, memoryview)) else value
        if not isinstance(octets, (bytes, bytearray)) or len(octets) != dtype.itemsize:
            raise MetadataError(f"found fill_value {value!r}, expected {dtype.itemsize} bytes")
        return list(octets)
    number = _element(0 if value is None else value, dtype)
    if dtype.kind == "b":
        return bool(number)
    if dtype.kind in "iu":
        return int(number)
    if dtype.kind == "c":
        return [fill_in_json(number.real, number.real.dtype), fill_in_json(number.imag, number.imag.dtype)]
    if np.isnan(number):
        return "NaN"
    if np.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return float(number)
