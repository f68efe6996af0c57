"""An array in a store, with zarr-python's interface."""

from __future__ import annotations

import functools
import json
import operator
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _selection, _spaces, _tessera
from ._async import finished, finished_in_thread
from ._errors import ExchangeError, SelectionError, StoreError
from ._info import ArrayInfo, info_of
from ._node import Node
from ._stores import Store
from ._strings import VARYING
from ._tessera import Selection, Stop, Tensor
from ._types import SMALL_NUMBERS, dtype_if_known, dtype_of, elements_of, exchanged, fill_of, is_of_bytes, shown_by

Progress = Callable[[int, int], None]


class _Indexer:
    """`array.oindex[...]`: a kind of selection, to be indexed."""

    def __init__(self, array: Array, select: Callable[[_tessera.Array, Any], Selection]) -> None:
        self._array, self._select = array, select

    def __getitem__(self, index: Any) -> Any:
        return self._array._shown(self._array._read(self._select(self._array._native, index)))

    async def read_async(self, index: Any, out: Any = None) -> Any:
        """As `Array.read_async`."""
        return await self._array._read_async(self._select(self._array._native, index), out)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._array._write(self._select(self._array._native, index), value)


class Array(Node):
    """A handle; several threads may use it. `array[...]` is a NumPy array over memory that tessera filled; with
    `space="device"` a DeviceTensor, which PyTorch and CuPy accept."""

    def __init__(self, native: _tessera.Array, store: Store, path: str, space: str = "host") -> None:
        self._native, self._store = native, store
        self.space = space  # of the memory that elements are read into
        self._other: Any = None  # in device memory
        self.path = path
        self._dtype = dtype_if_known(native)
        self._is_of_bytes = is_of_bytes(self._dtype)
        self._shown = shown_by(self._dtype, native.dtype, space)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Raises ExchangeError, if it is one of ml_dtypes, such as bfloat16, which is not installed: use tensors."""
        return dtype_of(self._native) if self._dtype is None else self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """In elements, as it is now: another handle may have resized the array."""
        return self._native.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def nbytes(self) -> int:
        return self.size * (SMALL_NUMBERS[self._native.dtype] if self._dtype is None else self._dtype.itemsize)

    @property
    def chunks(self) -> tuple[int, ...]:
        """The shape, in elements, of the unit of decoding; with shards, of the chunks in them."""
        return self._native.inner_chunk_shape

    @property
    def shards(self) -> tuple[int, ...] | None:
        """The shape of shards, in elements; None without sharding."""
        is_sharded = any(codec["name"] == "sharding_indexed" for codec in self._document["codecs"])
        return self._native.chunk_shape if is_sharded else None

    @property
    def fill_value(self) -> Any:
        """The value of elements that were not written, as NumPy has it: a scalar, `str` or `bytes`. None: an array of
        Zarr v2 has none. If NumPy does not have the type, as in zarr.json."""
        document = self._document
        if document.get("has_no_fill"):
            return None
        return document["fill_value"] if self._dtype is None else fill_of(self._native, self._dtype)

    @property
    def dimension_names(self) -> tuple[str | None, ...] | None:
        """None, if the array has none."""
        names = self._document.get("dimension_names")
        return None if names is None else tuple(names)

    @property
    def info(self) -> ArrayInfo:
        """What its document says, for people: `print(array.info)`. Reads no chunk."""
        return info_of(self._document, self.nbytes, self._store)

    def info_complete(self) -> ArrayInfo:
        """Also how many chunks, or shards, are stored, and their bytes. Lists their keys."""
        return info_of(self._document, self.nbytes, self._store, self._store.native.stored(self.path))

    @property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self._native.document)
        return document

    def read(
        self, selection: Any = ..., *, out: Any = None, stream: Any = None, progress: Progress | None = None
    ) -> Any:
        """Reads `array[selection]` into a Tensor (a DeviceTensor or a PinnedTensor, if the array was opened so;
        Strings, if elements have any length), or into `out`, which is returned: any object with `__dlpack__`,
        `__array_interface__` or `__cuda_array_interface__` of the selection's shape and the array's dtype, in host or
        device memory.

        `progress(done, chunks)` is called as chunks are read; an exception from it ends the read, as Ctrl-C does.

        `stream`, for an `out` in device memory, is the stream that uses `out`, as DLPack numbers streams: None or 1 is
        the legacy default stream, 2 the per-thread one, others are handles. The read comes after the earlier work of
        that stream, and its later work comes after the read; the host waits for neither. With -1 the call returns when
        `out` is filled.
        """
        if stream is not None and (out is None or not _spaces.is_on_device(out)):
            raise ExchangeError("a stream was given, which is for an `out` of a device's memory: the host's has none")
        return self._read(_selection.any_of(self._native, selection), out, progress, stream)

    @property
    def _on_device(self) -> Any:
        if self._other is None:
            self._other = _spaces.on_device(self._native, self.space)
        return self._other

    def empty(self, selection: Any = ...) -> Tensor:
        """Host memory for `array[selection]`, uninitialised: an `out` for `read`, for repeated use. It begins on a
        cache line and requests huge pages, so that large reads fill it faster than memory of `numpy.empty`."""
        return self._native.empty(_selection.any_of(self._native, selection))

    def _read(
        self,
        selection: Selection,
        out: Any = None,
        progress: Progress | None = None,
        stream: Any = None,
        stop: Stop | None = None,
    ) -> Any:
        if self._native.dtype in VARYING and (self.space != "host" or _spaces.is_on_device(out)):
            raise ExchangeError(f"elements of {self._native.dtype} are in host memory: use space='host'")
        if out is None and self.space == "device":
            return self._on_device.read(selection, progress)
        if out is None and self.space == "host":
            return self._native.read(selection, progress, stop)
        if out is None:
            out = _spaces.device().pinned(self._native, selection.shape)
        if isinstance(out, np.generic):  # which lends a copy of itself
            raise ExchangeError(f"found a NumPy scalar {out!r} to read into, expected memory")
        if _spaces.is_on_device(out):
            self._on_device.read_out(selection, out, 1 if stream is None else stream, progress)
        else:
            memory = exchanged(out, self._dtype) if self._is_of_bytes else out
            self._native.read_out(selection, memory, progress, stop)
        return out

    async def read_async(self, selection: Any = ..., out: Any = None) -> Any:
        """As `read` into host memory, but other tasks of the loop go on meanwhile. Any number of reads may be under
        way. A cancelled task ends the read before its next group of chunks, and then does not use `out` any more."""
        return await self._read_async(_selection.any_of(self._native, selection), out)

    async def _read_async(self, selection: Selection, out: Any) -> Any:
        if self._native.dtype in VARYING:  # whose memory is the library's until all of it is known
            return await finished_in_thread(lambda stop: self._read(selection, out, stop=stop))
        if out is None and self.space == "pinned":
            out = _spaces.device().pinned(self._native, selection.shape)
        elif out is None:
            self._expect_host()
            out = self._native.empty(selection)
        memory = exchanged(out, self._dtype) if self._is_of_bytes else out
        await finished(functools.partial(_tessera.start_read, self._native, selection, memory))
        return out

    async def write_async(self, selection: Any, value: Any) -> None:
        """As `array[selection] = value` from host memory, but other tasks of the loop go on meanwhile. A cancelled task
        ends the write; each chunk is then written wholly or not at all."""
        found = _selection.any_of(self._native, selection)
        self._expect_folder()
        _expect_host_memory(value, "write_async")
        if self._native.dtype in VARYING:
            await finished_in_thread(lambda stop: self._write(found, value, stop))
            return
        await finished(functools.partial(_tessera.start_write, self._native, found, self._as_written(found, value)))

    def _expect_host(self) -> None:
        if self.space == "device":
            raise ExchangeError(
                "found an array with space='device', expected 'host' or 'pinned', or an `out`: reads into device "
                "memory return at once without await"
            )

    def _expect_folder(self) -> None:
        """Of a store that may be written. Writes would make the folder anew, as an array without a document."""
        self._store.expect_writable(self.path)
        if self._store.kind == "folder" and not os.path.isdir(self.store_path):
            error = StoreError(f"{self.store_path}: the array's folder is gone")
            error.store, error.key = self._store.folder, self.path
            raise error

    def _write(self, selection: Selection, value: Any, stop: Stop | None = None) -> None:
        self._expect_folder()
        if _spaces.is_on_device(value):
            self._on_device.write(selection, value)
            return
        self._native.write(selection, self._as_written(selection, value), stop=stop)

    def _as_written(self, selection: Selection, value: Any) -> Any:
        """Memory of the selection's shape and the array's type."""
        value = elements_of(value, self._dtype, selection.shape)
        return np.ascontiguousarray(value) if selection.joins else value

    def __getitem__(self, index: Any) -> Any:
        found = self._shown(self._read(_selection.any_of(self._native, index)))
        if self.space == "device" or found.ndim:
            return found
        is_one = self.ndim > 0 or (isinstance(index, tuple) and not index)  # as in NumPy array[...] is none
        return found[()] if is_one else found

    def __setitem__(self, index: Any, value: Any) -> None:
        self._write(_selection.any_of(self._native, index), value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("the elements are in a store: they are read into new memory")
        read = self._native.read(_selection.basic(self._native, ...))
        found: npt.NDArray[Any] = shown_by(self._dtype, self._native.dtype, "host")(read)
        return found if dtype is None else found.astype(dtype, copy=False)

    @property
    def oindex(self) -> _Indexer:
        """Each dimension on its own, by lists too."""
        return _Indexer(self, _selection.orthogonal)

    @property
    def vindex(self) -> _Indexer:
        """Elements one by one: a list of coordinates per dimension, or a mask."""
        return _Indexer(self, _selection.points)

    @property
    def blocks(self) -> _Indexer:
        """Whole chunks, or shards if there are any, by their places in the grid."""
        return _Indexer(self, _selection.blocks)

    def resize(self, shape: int | Sequence[int]) -> None:
        """To that shape, in elements. New elements have the fill value; cut elements are removed."""
        self._store.expect_writable(self.path)
        extents = [int(shape)] if isinstance(shape, (int, np.integer)) else [operator.index(n) for n in shape]
        if any(not 0 <= n < 1 << 63 for n in extents):
            raise SelectionError(f"{self.store_path}: found the shape {extents}, expected numbers from 0 to 2**63 - 1")
        self._native.resize(extents)

    def append(self, data: Any, axis: int = 0) -> tuple[int, ...]:
        """Grows the array along `axis` by `data`, in host memory, whose other dimensions are the array's; -1 is the last
        one. Returns the new shape."""
        self._expect_folder()
        if self.ndim == 0:
            raise SelectionError(f"{self.store_path}: found an array without dimensions, which has no axis to grow along")
        if not -self.ndim <= axis < self.ndim:
            raise SelectionError(f"found axis {axis}, expected one of -{self.ndim} to {self.ndim - 1}")
        _expect_host_memory(data, "append")
        data = elements_of(data, self._dtype)
        self._native.append(np.ascontiguousarray(data) if isinstance(data, np.ndarray) else data, axis % self.ndim)
        return self.shape

    def __reduce__(self) -> tuple[Any, ...]:
        """Of its address and options; the elements stay where they are."""
        return opened, (self._store, self.path, self.space)

    def __len__(self) -> int:
        if not (shape := self.shape):
            raise TypeError("an array without dimensions has no len()")
        return shape[0]

    def __repr__(self) -> str:
        return f"<tessera.Array {self.path or '/'} shape={self.shape} dtype={self._native.dtype}>"


def _expect_host_memory(value: Any, name: str) -> None:
    if _spaces.is_on_device(value):
        raise ExchangeError(f"found memory of a device, expected the host's: array[...] = tensor takes it, {name} does not")


def opened(store: Store, path: str, space: str) -> Array:
    """Raises NodeNotFound, or MetadataError, which names the cause."""
    return Array(store.native.open_array(path), store, path, space)
