"""Zarr v3 arrays with zarr-python's interface, read and written by the C++ library tessera."""

import atexit as _atexit
import sys as _sys
from importlib import import_module as _import_module
from importlib.metadata import version as _version
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING, Any
from weakref import finalize as _finalize

# Python 3.12 refuses the compiled half in other interpreters; 3.11 would load it there and take it from the main one.
if _sys.version_info < (3, 12) and _find_spec("_xxsubinterpreters") is not None:
    _interpreters = _import_module("_xxsubinterpreters")
    if _interpreters.get_current() != _interpreters.get_main():
        raise ImportError("found another interpreter than the main one, which tessera works in")

# Functions of `atexit` run in reverse. The first finalizer registers that of all finalizers: here, so that loaders are
# closed after the compiled half has stopped the calls of other threads, which would see `Cancelled` otherwise.
_finalize(_finalize, int).detach()

from . import _spaces, _tessera
from ._array import Array
from ._attributes import Attributes
from ._build import info
from ._columns import AttachedColumn, PublishedColumn, attach_column, publish_column
from ._conversion import ScaleByIndex
from ._errors import (
    BudgetError,
    Cancelled,
    CodecError,
    ConversionError,
    DeviceError,
    Error,
    ExchangeError,
    IpcError,
    LeaseRefused,
    MetadataError,
    NodeNotFound,
    OutOfMemory,
    ProducerGone,
    SelectionError,
    StoreError,
)
from ._group import Group
from ._info import ArrayInfo
from ._loader import Loader, read_boxes
from ._open import consolidate_metadata, create_array, create_group, open, open_array, open_group
from ._padding import Padding
from ._sharing import Attached, Published, SharedArrays, ask_for, attach, publish
from ._tessera import (
    Batch,
    ColumnDescriptor,
    Descriptor,
    LoaderStatistics,
    Orientation,
    RandomOrientations,
    ShuffledGrid,
    Strings,
    Tensor,
    UniformBoxes,
    WeightedBoxes,
)

_atexit.register(_tessera.announce_end)  # the last one: it runs before the functions that close

if TYPE_CHECKING:
    from ._device import DeviceBatch, DeviceTensor, PinnedTensor

__version__ = _version("tessera-zarr")
__all__ = [
    "Array",
    "ArrayInfo",
    "Attached",
    "AttachedColumn",
    "Attributes",
    "Batch",
    "BudgetError",
    "Cancelled",
    "CodecError",
    "ColumnDescriptor",
    "ConversionError",
    "Descriptor",
    "DeviceBatch",
    "DeviceError",
    "DeviceTensor",
    "Error",
    "ExchangeError",
    "Group",
    "IpcError",
    "LeaseRefused",
    "Loader",
    "LoaderStatistics",
    "MetadataError",
    "NodeNotFound",
    "Orientation",
    "OutOfMemory",
    "Padding",
    "PinnedTensor",
    "ProducerGone",
    "Published",
    "PublishedColumn",
    "RandomOrientations",
    "ScaleByIndex",
    "SelectionError",
    "SharedArrays",
    "ShuffledGrid",
    "StoreError",
    "Strings",
    "Tensor",
    "UniformBoxes",
    "WeightedBoxes",
    "ask_for",
    "attach",
    "attach_column",
    "consolidate_metadata",
    "create_array",
    "create_group",
    "info",
    "open",
    "open_array",
    "open_group",
    "publish",
    "publish_column",
    "read_boxes",
]


def __getattr__(name: str) -> Any:
    if name in ("DeviceBatch", "DeviceTensor", "PinnedTensor"):  # of the half that needs CUDA
        return getattr(_spaces.device(), name)
    raise AttributeError(f"module 'tessera' has no attribute {name!r}")
