"""Zarr v3 arrays with zarr-python's words, read and written by the C++ library tessera."""

from typing import TYPE_CHECKING, Any

from . import _spaces
from ._array import Array
from ._attributes import Attributes
from ._batches import Batches, batches
from ._columns import AttachedColumn, PublishedColumn, attach_column, publish_column
from ._errors import (
    Cancelled,
    CodecError,
    DeviceError,
    Error,
    ExchangeError,
    IpcError,
    LeaseRefused,
    MetadataError,
    OutOfMemory,
    ProducerGone,
    SelectionError,
    StoreError,
)
from ._group import Group, create_array, create_group, open
from ._sharing import Attached, Published, SharedArrays, ask_for, attach, publish
from ._tessera import ColumnDescriptor, Descriptor, Tensor

if TYPE_CHECKING:
    from ._device import DeviceTensor, PinnedTensor

__all__ = [
    "Array",
    "Attached",
    "AttachedColumn",
    "Attributes",
    "Batches",
    "Cancelled",
    "CodecError",
    "ColumnDescriptor",
    "Descriptor",
    "DeviceError",
    "DeviceTensor",
    "Error",
    "ExchangeError",
    "Group",
    "IpcError",
    "LeaseRefused",
    "MetadataError",
    "OutOfMemory",
    "PinnedTensor",
    "ProducerGone",
    "Published",
    "PublishedColumn",
    "SelectionError",
    "SharedArrays",
    "StoreError",
    "Tensor",
    "ask_for",
    "attach",
    "attach_column",
    "batches",
    "create_array",
    "create_group",
    "open",
    "publish",
    "publish_column",
]


def __getattr__(name: str) -> Any:
    if name in ("DeviceTensor", "PinnedTensor"):  # of the half that needs CUDA
        return getattr(_spaces.device(), name)
    raise AttributeError(f"module 'tessera' has no attribute {name!r}")
