"""The zarr.json of a new array, from zarr-python's arguments."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._attributes import attributes_in_json
from ._codecs import codecs_of
from ._data_types import data_type, kind_of
from ._errors import MetadataError
from ._fill import fill_in_json
from ._types import SMALL_NUMBERS, small_number


def _numbers(given: int | Sequence[int]) -> list[int]:
    return [int(given)] if isinstance(given, (int, np.integer)) else [operator.index(n) for n in given]


def _list_of(given: Any) -> list[Any]:
    if given is None:
        return []
    return [given] if isinstance(given, Mapping) or hasattr(given, "to_dict") else list(given)


def _unless_auto(name: str, given: Any, expected: str) -> Any:
    """None for "auto", zarr-python's word for what it chooses."""
    if isinstance(given, str) and given != "auto":
        raise MetadataError(f"found {name} {given!r}, expected 'auto', None or {expected}")
    return None if isinstance(given, str) else given


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
    chunks: int | Sequence[int] | str | None = None,
    shards: int | Sequence[int] | None = None,
    filters: Any = None,
    compressors: Any = "auto",
    fill_value: Any = None,
    attributes: Mapping[str, Any] | None = None,
    dimension_names: Sequence[str | None] | None = None,
) -> dict[str, Any]:
    small = small_number(dtype)
    kind = np.dtype(_fills_of(small)) if small else kind_of(dtype)
    item_size = SMALL_NUMBERS[small] if small else kind.itemsize
    extents = _numbers(shape)
    parts: int | Sequence[int] | None = _unless_auto("chunks", chunks, "a shape")
    if isinstance(shards, str):
        raise MetadataError(f"found shards {shards!r}, expected None or a shape")
    if parts is None and shards is not None:
        raise MetadataError("found shards without chunks: give the shape of the chunks in them")
    inner = _guess(extents, item_size) if parts is None else _numbers(parts)
    serializer: dict[str, Any] = {"name": {"T": "vlen-utf8", "O": "vlen-bytes"}.get(kind.kind, "bytes")}
    if item_size > 1 and (kind.kind not in "SVTO" or kind.fields is not None):
        serializer["configuration"] = {"endian": "little"}
    before = _list_of(_unless_auto("filters", filters, "codecs"))
    after = _list_of(_unless_auto("compressors", compressors, "codecs"))
    if isinstance(compressors, str):
        after = [{"name": "zstd", "configuration": {"level": 0, "checksum": False}}]
    is_bytes = kind.kind == "O"
    codecs = codecs_of([*before, serializer, *after], None if small or is_bytes else kind, 1 if is_bytes else item_size)
    if shards is not None:
        index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
        configuration = {"chunk_shape": inner, "codecs": codecs, "index_codecs": index, "index_location": "end"}
        codecs = [{"name": "sharding_indexed", "configuration": configuration}]
    found: dict[str, Any] = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": extents,
        "data_type": small or data_type(kind),
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": inner if shards is None else _numbers(shards)},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill_in_json(fill_value, kind),
        "codecs": codecs,
        "attributes": json.loads(attributes_in_json(attributes or {})),
    }
    if dimension_names is not None:
        found["dimension_names"] = list(dimension_names)
    return found
