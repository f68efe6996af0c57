"""What tessera raises. Each class is also the built-in error that Python's code expects there."""


class Error(Exception):
    """`store`, `key` and `codec` say where it happened, and are in the message; they are empty, where that is unknown."""

    store: str = ""
    key: str = ""
    codec: str = ""


class StoreError(Error, OSError):
    """The store could not answer. A missing chunk is no error."""


class CodecError(Error, ValueError):
    """A chunk's bytes are not what its metadata implies."""


class MetadataError(Error, ValueError):
    """A zarr.json is wrong, is missing, or asks for what tessera does not know."""


class SelectionError(Error, IndexError):
    """A selection, or the memory for it, does not fit the array."""


class ExchangeError(Error, BufferError):
    """Memory cannot be handed over, or taken, in the way that was asked for."""


class Cancelled(Error, RuntimeError):
    """The call was cancelled."""


class IpcError(Error, OSError):
    """Memory cannot be published, or what was published cannot be attached or used."""


class ProducerGone(IpcError, ConnectionError):
    """The process that published it has ended, or has given up publishing."""


class LeaseRefused(IpcError, BlockingIOError):
    """Somebody else holds the lease: one process writes, or many read. Nobody waits for it."""


class DeviceError(Error, RuntimeError):
    """CUDA is not there, or a call of it failed."""


class OutOfMemory(DeviceError, MemoryError):
    """Memory of a device, or such that it reaches, was refused: there is too little of it."""
