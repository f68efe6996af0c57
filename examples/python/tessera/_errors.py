"""tessera's exceptions. Each class is also the built-in exception that Python code expects there."""


class Error(Exception):
    """`store`, `key` and `codec` name the place, and are in the message; they are empty if unknown."""

    store: str = ""
    key: str = ""
    codec: str = ""


class StoreError(Error, OSError):
    """The store could not answer. A missing chunk is not an error."""


class CodecError(Error, ValueError):
    """A chunk's bytes contradict its metadata."""


class MetadataError(Error, ValueError):
    """A zarr.json is wrong, is missing, or needs a feature that tessera lacks."""


class NodeNotFound(MetadataError, FileNotFoundError):
    """There is neither an array nor a group at the path."""


class SelectionError(Error, IndexError):
    """A selection, or the memory for it, does not fit the array."""


class ConversionError(Error, ValueError):
    """A number does not fit the type to which it is converted, or numbers of a type are not converted."""


class BudgetError(Error, MemoryError):
    """A call needs more memory than its options allow."""


class ExchangeError(Error, BufferError):
    """Memory cannot be exported or imported in the requested way."""


class Cancelled(Error, RuntimeError):
    """The call was cancelled."""


class IpcError(Error, OSError):
    """Memory cannot be published, or a published array cannot be attached or used."""


class ProducerGone(IpcError, ConnectionError):
    """The publishing process has ended, or no longer publishes."""


class LeaseRefused(IpcError, BlockingIOError):
    """Another process holds the lease: one process writes, or many read. Requests do not wait."""


class DeviceError(Error, RuntimeError):
    """CUDA is missing, or a call of it failed."""


class OutOfMemory(DeviceError, MemoryError):
    """Device memory, or memory that a device can access, is exhausted."""
