"""The zarr.json of a new array, from zarr-python's arguments."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields

from ._errors import ExchangeError, MetadataError
from ._types import SMALL_NUMBERS, VARYING, in_native_order, numpy_dtype, small_number


def _numbers(given: int | Sequence[int]) -> list[int]:
    return [int(given)] if isinstance(given, (int, np.integer)) else [int(n) for n in given]


def _kind(dtype: Any) -> np.dtype[Any]:
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


def _data_type(dtype: np.dtype[Any]) -> Any:
    """As in zarr.json. A struct's is zarr-python's "structured", which all its versions since 3.1 read."""
    if dtype.fields is not None:
        fields = [[name, _data_type(_kind(dtype.fields[name][0]))] for name in dtype.names or ()]
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


def _base64(octets: bytes) -> str:
    return base64.b64encode(octets).decode()


def _other_fill(value: Any, dtype: np.dtype[Any]) -> Any:
    """Of a time, text of a fixed length or a struct, as in zarr-python's documents."""
    if value is None:
        value = "NaT" if dtype.kind in "mM" else dtype.type() if dtype.kind in "SU" else np.zeros((), dtype)
    try:
        found = np.asarray(value, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise MetadataError(f"found fill_value {value!r}, which is no element of {dtype}: {error}") from None
    is_whole = dtype.kind not in "SU" or np.asarray(value).dtype.kind == dtype.kind and len(value) <= len(found[()])
    if found.ndim != 0 or not is_whole:
        raise MetadataError(f"found fill_value {value!r}, which is no element of {dtype}")
    if dtype.kind in "mM":
        return int(found.view("int64"))
    return str(found) if dtype.kind == "U" else _base64(bytes(found[()]) if dtype.kind == "S" else found.tobytes())


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


def _fill(value: Any, dtype: np.dtype[Any]) -> Any:
    """As in JSON (core specification, "Fill value"). Raises MetadataError, if it is not an element of that type."""
    if dtype.kind in "TO":
        given = ("" if dtype.kind == "T" else b"") if value is None else value
        if not isinstance(given, str if dtype.kind == "T" else bytes):
            raise MetadataError(f"found fill_value {value!r}, expected {'a str' if dtype.kind == 'T' else 'bytes'}")
        return str(given) if isinstance(given, str) else _base64(given)
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
        return [_fill(number.real, number.real.dtype), _fill(number.imag, number.imag.dtype)]
    if np.isnan(number):
        return "NaN"
    if np.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return float(number)


def _codec(given: Any) -> dict[str, Any]:
    """A dictionary as in zarr.json, or a codec of zarr-python."""
    return dict(given) if isinstance(given, Mapping) else given.to_dict()


def _codecs(given: Any) -> list[dict[str, Any]]:
    if given is None:
        return []
    return [_codec(given)] if isinstance(given, Mapping) or hasattr(given, "to_dict") else [_codec(one) for one in given]


def _guess(shape: list[int], item_size: int) -> list[int]:
    """Chunks of about a MiB, by halving the longest dimension."""
    chunks = [max(n, 1) for n in shape]
    while np.prod(chunks, dtype=object) * item_size > 1 << 20 and max(chunks) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    return chunks


def _fills_of(small: str) -> str:
    """A type whose fill values are written as those of a number of ml_dtypes."""
    return "int8" if "int" in small else "float64"


def document(
    *,
    shape: int | Sequence[int],
    dtype: Any,
    chunks: int | Sequence[int] | None = None,
    shards: int | Sequence[int] | None = None,
    filters: Any = None,
    compressors: Any = "auto",
    fill_value: Any = None,
    attributes: Mapping[str, Any] | None = None,
    dimension_names: Sequence[str | None] | None = None,
) -> dict[str, Any]:
    small = small_number(dtype)
    kind = np.dtype(_fills_of(small)) if small else _kind(dtype)
    item_size = SMALL_NUMBERS[small] if small else kind.itemsize
    extents = _numbers(shape)
    if chunks is None and shards is not None:
        raise MetadataError("found shards without chunks: give the shape of the chunks in them")
    inner = _guess(extents, item_size) if chunks is None else _numbers(chunks)
    serializer: dict[str, Any] = {"name": {"T": "vlen-utf8", "O": "vlen-bytes"}.get(kind.kind, "bytes")}
    if item_size > 1 and (kind.kind not in "SVTO" or kind.fields is not None):
        serializer["configuration"] = {"endian": "little"}
    if isinstance(compressors, str):
        if compressors != "auto":
            raise MetadataError(f"found compressors {compressors!r}, expected 'auto', None or codecs")
        compressors = {"name": "zstd", "configuration": {"level": 0, "checksum": False}}
    codecs = [*_codecs(filters), serializer, *_codecs(compressors)]
    if shards is not None:
        index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
        configuration = {"chunk_shape": inner, "codecs": codecs, "index_codecs": index, "index_location": "end"}
        codecs = [{"name": "sharding_indexed", "configuration": configuration}]
    found: dict[str, Any] = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": extents,
        "data_type": small or _data_type(kind),
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": inner if shards is None else _numbers(shards)},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": _fill(fill_value, kind),
        "codecs": codecs,
        "attributes": dict(attributes or {}),
    }
    if dimension_names is not None:
        found["dimension_names"] = list(dimension_names)
    return found
