"""The compiled half of tessera for device memory, which is there if it was built with TESSERA_PYTHON_CUDA."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _tessera

_Progress = Callable[[int, int], None]

class _Tensor:  # what both have; at run time it is not there
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str:
        """The data type's name in Zarr, e.g. 'float32'."""

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class DeviceTensor(_Tensor):
    """Elements in a device's memory: `torch.from_dlpack(t)` and `cupy.from_dlpack(t)` show that memory and copy nothing;
    `numpy.from_dlpack(t, device='cpu')` is a copy. Who takes it is ordered, on its stream, after what fills it."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __arrow_c_device_array__(
        self, requested_schema: object | None = None, **kwargs: object
    ) -> tuple[object, object]: ...
    def wait(self) -> None:
        """Returns when the elements are there. Raises DeviceError, if the device could not make them."""

class DeviceBatch(DeviceTensor):
    """A DeviceTensor of the elements of some boxes, of the shape [boxes, box...]."""

    @property
    def boxes(self) -> list[tuple[slice, ...]]:
        """Which boxes these are, each a tuple of slices."""
    @property
    def orientations(self) -> list[_tessera.Orientation]:
        """How each of the boxes is turned; empty, if the sampler turned none of them."""
    @property
    def first(self) -> int:
        """The number of boxes in all batches before this one."""

class PinnedTensor(_Tensor):
    """Elements in page-locked memory of the host's, for NumPy and for copies to a device."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def raw(self) -> PinnedTensor:
        """The same memory as raw bytes."""

class Array:
    def __init__(self, array: _tessera.Array, device: int | None, decode: str, trusted: bool) -> None: ...
    def read(self, selection: _tessera.Selection, progress: _Progress | None = None) -> DeviceTensor: ...
    def read_out(
        self, selection: _tessera.Selection, out: object, stream: int, progress: _Progress | None = None
    ) -> None: ...
    def write(self, selection: _tessera.Selection, value: object, progress: _Progress | None = None) -> None: ...

class Loader:
    def __init__(
        self,
        array: Array,
        draw: _tessera.Draw,
        options: _tessera.LoaderOptions,
        padding: _tessera.Padding | None,
    ) -> None: ...
    def next(self) -> DeviceBatch | None: ...
    def cancel(self) -> None: ...
    def close(self) -> None: ...
    @property
    def position(self) -> int: ...
    def statistics(self) -> _tessera.LoaderStatistics: ...

class Attached:
    def __init__(self, consumer: _tessera.Consumer, descriptor: _tessera.Descriptor, writes: bool) -> None: ...
    @property
    def descriptor(self) -> _tessera.Descriptor: ...
    def tensor(self) -> DeviceTensor: ...
    def close(self) -> None: ...

def open_device(device: int | None) -> None: ...
def has_nvcomp() -> bool: ...
def pinned(array: _tessera.Array, shape: Sequence[int]) -> PinnedTensor:
    """Memory for elements of the array."""

def pinned_batches() -> _tessera.BatchMemory: ...
def read_boxes(
    array: Array,
    boxes: Iterable[tuple[slice, ...] | tuple[tuple[slice, ...], _tessera.Orientation]],
    padding: _tessera.Padding | None,
    progress: _Progress | None = None,
) -> DeviceTensor: ...
def read_boxes_out(
    array: Array,
    boxes: Iterable[tuple[slice, ...] | tuple[tuple[slice, ...], _tessera.Orientation]],
    out: object,
    stream: int,
    padding: _tessera.Padding | None,
    progress: _Progress | None = None,
) -> None: ...
def arrow_column(
    consumer: _tessera.Consumer, descriptor: _tessera.ColumnDescriptor, requested_schema: object | None = None
) -> tuple[object, object]: ...
def publish(producer: _tessera.Producer, value: object, copy: bool) -> _tessera.Published: ...
def publish_read(producer: _tessera.Producer, array: Array, selection: _tessera.Selection) -> _tessera.Published: ...
def source_of(producer: _tessera.Producer, array: Array) -> _tessera.Source: ...
