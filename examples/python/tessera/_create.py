"""The zarr.json of a new array, from zarr-python's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import MetadataError
from ._types import SMALL_NUMBERS, numpy_dtype, small_number


def _numbers(given: int | Sequence[int]) -> list[int]:
    return [int(given)] if isinstance(given, (int, np.integer)) else [int(n) for n in given]


def _type_name(dtype: np.dtype[Any]) -> str:
    """Other libraries' numbers have the kind of raw bytes, too. Raises ExchangeError for what the module does not have."""
    name = f"r{dtype.itemsize * 8}" if dtype.type is np.void and dtype.names is None else dtype.name
    numpy_dtype(name)
    return name


def _fill(value: Any, dtype: np.dtype[Any]) -> Any:
    """As JSON has it (core specification, "Fill value")."""
    if dtype.kind == "V":
        return list(bytes(value)) if value else [0] * dtype.itemsize
    number = np.asarray(value if value is not None else 0, dtype)[()]
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
    """A dictionary as zarr.json has it, or a codec of zarr-python."""
    return dict(given) if isinstance(given, Mapping) else given.to_dict()


def _codecs(given: Any) -> list[dict[str, Any]]:
    if given is None:
        return []
    return [_codec(given)] if isinstance(given, Mapping) or hasattr(given, "to_dict") else [_codec(one) for one in given]


def _guess(shape: list[int], item_size: int) -> list[int]:
    """Chunks of about a MiB: the longest dimension is halved until that is so."""
    chunks = [max(n, 1) for n in shape]
    while np.prod(chunks, dtype=object) * item_size > 1 << 20 and max(chunks) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    return chunks


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
    kind = np.dtype("float64" if small else dtype)  # whose fill values are written alike
    item_size = SMALL_NUMBERS[small] if small else kind.itemsize
    extents = _numbers(shape)
    if chunks is None and shards is not None:
        raise MetadataError("found shards without chunks: give the shape of the chunks in them")
    inner = _guess(extents, item_size) if chunks is None else _numbers(chunks)
    serializer: dict[str, Any] = {"name": "bytes"}
    if item_size > 1 and kind.kind != "V":
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
        "data_type": small or _type_name(kind),
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
