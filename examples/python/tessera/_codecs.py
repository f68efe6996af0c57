"""The codecs of a new array as its zarr.json has them, from dictionaries or zarr-python's objects."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def _spec(dtype: np.dtype[Any] | None, item_size: int) -> Any:
    """An array as zarr-python shows it to its codecs. None: of a type that zarr-python has not, whose size they see."""
    parse_dtype = importlib.import_module("zarr.dtype").parse_dtype
    of_array = importlib.import_module("zarr.core.array_spec")
    prototype = importlib.import_module("zarr.core.buffer").default_buffer_prototype()
    found = parse_dtype(np.dtype(f"V{item_size}") if dtype is None else dtype, zarr_format=3)
    return of_array.ArraySpec((1,), found, None, of_array.ArrayConfig.from_dict({}), prototype)


def codecs_of(given: Sequence[Any], dtype: np.dtype[Any] | None, item_size: int) -> list[dict[str, Any]]:
    """zarr-python's codecs take from the array what they were not given: blosc, the size of an element."""
    found: list[dict[str, Any]] = []
    spec = None
    for codec in given:
        if isinstance(codec, Mapping):
            found.append(dict(codec))
            continue
        if hasattr(codec, "evolve_from_array_spec"):
            spec = _spec(dtype, item_size) if spec is None else spec
            codec = codec.evolve_from_array_spec(spec)
            spec = codec.resolve_metadata(spec)
        found.append(codec.to_dict())
    return found
