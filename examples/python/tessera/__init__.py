"""Zarr v3 arrays with zarr-python's words, read and written by the C++ library tessera."""

from ._array import Array
from ._attributes import Attributes
from ._batches import Batches, batches
from ._errors import Cancelled, CodecError, Error, ExchangeError, MetadataError, SelectionError, StoreError
from ._group import Group, create_array, create_group, open
from ._tessera import Tensor

__all__ = [
    "Array",
    "Attributes",
    "Batches",
    "Cancelled",
    "CodecError",
    "Error",
    "ExchangeError",
    "Group",
    "MetadataError",
    "SelectionError",
    "StoreError",
    "Tensor",
    "batches",
    "create_array",
    "create_group",
    "open",
]
