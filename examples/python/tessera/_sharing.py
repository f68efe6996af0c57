"""Arrays and columns shared between processes of one user on one host: docs/ipc.md explains how."""

from __future__ import annotations

import atexit
import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _selection, _spaces, _tessera
from ._array import Array
from ._errors import ExchangeError, IpcError
from ._group import Group
from ._open import open
from ._tessera import Descriptor


class _Process:
    """The producer and consumer of this process. A child made by fork() gets its own: it may not use its parent's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._producer: _tessera.Producer | None = None
        self._consumer: _tessera.Consumer | None = None

    def producer(self) -> _tessera.Producer:
        with self._lock:
            if self._producer is None:
                self._producer = _tessera.Producer()
            return self._producer

    def consumer(self) -> _tessera.Consumer:
        with self._lock:
            if self._consumer is None:
                self._consumer = _tessera.Consumer()
            return self._consumer

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._producer = self._consumer = None


process = _Process()
_open: weakref.WeakSet[SharedArrays] = weakref.WeakSet()  # those of this process that may answer other processes


def _forget() -> None:
    _open.clear()
    process.forget()


def _end() -> None:
    """The answering thread runs Python functions, which it cannot after the interpreter's end."""
    for shared in list(_open):
        shared.close()
    process.forget()


os.register_at_fork(after_in_child=_forget)
atexit.register(_end)


class Published:
    """The result of `publish`: other processes may attach the array until `close()`, the end of a `with`, or its own
    end. Its memory stays until the last lease ends."""

    def __init__(self, native: _tessera.Published) -> None:
        self._native = native
        self._descriptor = native.descriptor  # which a closed one has not

    @property
    def descriptor(self) -> Descriptor:
        """Pass it to other processes in any way: it pickles, and `str(descriptor)` is JSON."""
        return self._descriptor

    @property
    def holders(self) -> int:
        """How many processes hold a lease; this one counts, if it has attached the array."""
        return self._native.holders

    def close(self) -> None:
        self._native.close()

    def __enter__(self) -> Published:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tessera.Published {self.descriptor.shape} {self.descriptor.dtype}>"


class Attached:
    """An array of another process, in its memory: `numpy.asarray(a)`, `torch.from_dlpack(a)`, on a GPU
    `cupy.from_dlpack(a)` show that memory and copy nothing.

    The lease lasts until `close()`, or the end of a `with`, and then as long as any object shows the memory. For
    `__array_interface__` or `__cuda_array_interface__` use `a.tensor`.
    """

    def __init__(self, native: Any) -> None:
        self._native = native

    @property
    def descriptor(self) -> Descriptor:
        descriptor: Descriptor = self._native.descriptor
        return descriptor

    @property
    def shape(self) -> tuple[int, ...]:
        """In elements."""
        return self.descriptor.shape

    @property
    def dtype(self) -> str:
        """The data type's name in Zarr, e.g. 'float32'."""
        return self.descriptor.dtype

    @property
    def tensor(self) -> Any:
        """The memory and its lease, a tessera.Tensor or, on a device, a tessera.DeviceTensor. Raises ProducerGone, if
        the publishing process has ended; IpcError, after `close()`."""
        return self._native.tensor()

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.tensor.__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.tensor.__dlpack_device__()
        return device

    @property
    def __arrow_c_array__(self) -> Callable[..., tuple[object, object]]:
        """As a Tensor's: `pyarrow.array(a)`. AttributeError for device memory, which has `__arrow_c_device_array__`."""
        method: Callable[..., tuple[object, object]] = self.tensor.__arrow_c_array__
        return method

    @property
    def __arrow_c_device_array__(self) -> Callable[..., tuple[object, object]]:
        method: Callable[..., tuple[object, object]] = self.tensor.__arrow_c_device_array__
        return method

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        tensor = self.tensor
        if not hasattr(tensor, "__array_interface__"):
            raise ExchangeError("the array is in a device's memory: numpy.from_dlpack(array, device='cpu') copies it")
        found = np.asarray(tensor)
        return found if dtype is None and not copy else np.array(found, dtype=dtype, copy=copy)

    def close(self) -> None:
        """Returns the lease, if no object shows the memory any more; otherwise the last of them does."""
        self._native.close()

    def __enter__(self) -> Attached:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tessera.Attached {self.shape} {self.dtype}>"


def publish_natively(value: Any, selection: Any = ..., *, copy: bool = True) -> _tessera.Published:
    producer = process.producer()
    if isinstance(value, Array):
        if not copy:
            raise IpcError("the elements are in a store: they are read into memory that is shared")
        selected = _selection.any_of(value._native, selection)
        if value.space == "device":
            found: _tessera.Published = _spaces.device().publish_read(producer, value._on_device, selected)
            return found
        return producer.publish_read(value._native, selected)
    if selection is not ...:
        raise TypeError("found a selection, which only a tessera.Array takes: select of the memory before, memory[2:9]")
    if _spaces.is_on_device(value):
        published: _tessera.Published = _spaces.device().publish(producer, value, copy)
        return published
    if not copy:
        raise IpcError("the host's memory is shared as a copy: only memory files can be mapped by others")
    return producer.publish_copy(value)


def publish(value: Any, selection: Any = ..., *, copy: bool = True) -> Published:
    """Lets other processes of this user, on this host, use an array in place.

    `value` is a `tessera.Array`, whose `selection` is read straight into shared memory of the array's space; or any
    object with `__dlpack__`, `__array_interface__` or `__cuda_array_interface__`, which is copied, in C order.
    `copy=False`: device memory is published in place, if it is from cudaMalloc or from an exportable pool.

    Raises IpcError, if memory cannot be shared; ExchangeError, if it cannot be imported; MetadataError, if Zarr has no
    type for the elements.
    """
    return Published(publish_natively(value, selection, copy=copy))


def attach(descriptor: Descriptor | str, *, write: bool = False) -> Attached:
    """The array of a descriptor, or of a slice of one, `attach(descriptor[64:96])`, with a read lease: objects over it
    are read-only. With `write=True` a write lease, which excludes all other processes.

    Device memory is attached on the module's queue: consumers are ordered after the producer's work.

    Raises MetadataError or IpcError, if the descriptor is wrong; ProducerGone; LeaseRefused, if another process holds a
    conflicting lease.
    """
    what = Descriptor(descriptor) if isinstance(descriptor, str) else descriptor
    consumer = process.consumer()
    if what.kind != "shared-memory":
        return Attached(_spaces.device().Attached(consumer, what, write))
    return Attached(_tessera.Attached(consumer, what, write))


class _Finder:
    """A function that finds arrays. A SharedArrays owns it, and the compiled half refers to it weakly: what the function
    is part of may refer to the SharedArrays, and both end when the program drops them."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        self.find = find
        self.threads: set[int] = set()  # that are in it


def _found_by(finder: weakref.ref[_Finder], name: str) -> _tessera.Source:
    there, here = finder(), threading.get_ident()
    if there is None:
        raise IpcError("the SharedArrays has ended")
    there.threads.add(here)
    try:
        return SharedArrays._source_of(there.find(name))
    finally:
        there.threads.remove(here)


class SharedArrays:
    """Arrays by name, under a budget of bytes: each is read and published once, on first request. The least recently
    requested one without a lease is evicted first. For any thread."""

    def __init__(self, budget: int, source: str | os.PathLike[str] | Group | Callable[[str], Any]) -> None:
        """`source`: a folder or a group, whose arrays are named by their paths; or a function that receives a name and
        returns a `tessera.Array` or memory. It may raise, which ends the request. It may not use this object, which
        waits for it: IpcError."""
        find = source if callable(source) else (open(source) if not isinstance(source, Group) else source).__getitem__
        self._finder = _Finder(find)
        found = functools.partial(_found_by, weakref.ref(self._finder))
        self._native = _tessera.SharedArrays(process.producer(), budget, found)
        _open.add(self)

    @staticmethod
    def _source_of(found: Any) -> _tessera.Source:
        producer = process.producer()
        if isinstance(found, Array):
            if found.space == "device":
                source: _tessera.Source = _spaces.device().source_of(producer, found._on_device)
                return source
            return producer.source_of_array(found._native)
        if isinstance(found, Group):
            raise IpcError("a group was asked for, expected an array")
        return producer.source_of_memory(found)

    @property
    def _outside(self) -> _tessera.SharedArrays:
        if threading.get_ident() in self._finder.threads:
            raise IpcError("the function that finds arrays uses the SharedArrays that waits for it")
        return self._native

    def get(self, name: str) -> Descriptor:
        """For `attach`. The array may be evicted before it is attached (IpcError): then request it again.

        Raises IpcError, if it does not fit beside leased arrays; and the errors of the read.
        """
        return self._outside.get(name)

    @property
    def address(self) -> str:
        """For `ask_for` of other processes, 32 characters. The first call starts the thread that answers them."""
        return self._native.address

    @property
    def budget(self) -> int:
        return self._native.budget

    @property
    def bytes(self) -> int:
        """Of the present arrays."""
        return self._outside.bytes

    def __contains__(self, name: object) -> bool:
        """Whether it is present now."""
        return isinstance(name, str) and name in self._outside

    def close(self) -> None:
        """Waits for the request in progress. The end of the process does so too."""
        self._outside.close()

    def __enter__(self) -> SharedArrays:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ask_for(name: str, address: str) -> Descriptor:
    """The array of that name in the SharedArrays with this address, in another process. Waits until it is read there.

    Raises ProducerGone; IpcError, with the other process's message.
    """
    return _tessera.ask_for(name, address)


