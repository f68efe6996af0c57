"""Boxes of an array in batches that are read ahead, such as random crops for training."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, cast, overload

import numpy.typing as npt

from . import _spaces
from ._array import Array, Progress
from ._conversion import ScaleByIndex, conversion
from ._errors import ExchangeError
from ._padding import Padding, around
from ._tessera import (
    Batch,
    BatchMemory,
    Draw,
    LoaderOptions,
    LoaderStatistics,
    Orientation,
    RandomOrientations,
    ShuffledGrid,
    UniformBoxes,
    WeightedBoxes,
    read_boxes_out,
)
from ._tessera import Loader as _HostLoader
from ._tessera import read_boxes as _read_boxes

Box = tuple[slice, ...] | tuple[tuple[slice, ...], Orientation]
Sampler = (
    UniformBoxes | ShuffledGrid | WeightedBoxes | RandomOrientations | Iterable[Box] | Callable[[], Box | None]
)
B = TypeVar("B")


class _Boxes:
    """The boxes of a sampler in Python. A Loader owns it, and the compiled half refers to it weakly: a sampler may
    refer to its loader, and both end when the program drops them."""

    def __init__(self, sampler: Iterable[Box] | Callable[[], Box | None]) -> None:
        if isinstance(sampler, Iterable):
            boxes = iter(sampler)
            self.next: Callable[[], Box | None] = lambda: next(boxes, None)
        elif callable(sampler):
            self.next = sampler
        else:
            expected = "expected a sampler: one of tessera's, an iterable or a function of boxes"
            raise TypeError(f"found {sampler!r}, {expected}")


def _draw(sampler: Sampler) -> tuple[Draw, _Boxes | None]:
    """Also what the Loader has to keep."""
    if isinstance(sampler, (UniformBoxes, ShuffledGrid, WeightedBoxes, RandomOrientations)):
        return Draw(sampler), None
    boxes = _Boxes(sampler)
    weak = weakref.ref(boxes)

    def drawn() -> Box | None:
        there = weak()
        return None if there is None else there.next()

    return Draw(drawn), boxes


def _expect_array(value: Any) -> Array:
    if not isinstance(value, Array):  # others may be iterable, element by element
        raise TypeError(f"found an array of type {type(value).__name__}, expected a tessera.Array")
    return value


def _each(value: Any, count: int, name: str) -> list[Any]:
    """A list has one for each array."""
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"found {len(value)} of {name}, expected {count}, one for each array")
    return list(value)


def _close(natives: list[Any]) -> None:
    for native in natives:
        native.cancel()
    for native in natives:
        native.close()


class Loader(Iterator[B], Generic[B]):
    """Reads batches ahead of the program:

        boxes = tessera.UniformBoxes(t1.shape, (64, 64, 64), seed=7)
        for batch in tessera.Loader(t1, boxes, batch=16, cache=1 << 28):
            step(torch.from_dlpack(batch))  # (16, 64, 64, 64), of the array's dtype

    A thread takes boxes from the sampler and reads them. A `Batch` is a Tensor with `boxes`; if the array was opened
    with `space="device"`, a `DeviceBatch`, which is a DeviceTensor; with `space="pinned"` its memory is page-locked.
    Its memory is the program's as long as anything refers to it, also after the loader's end; then a later batch uses
    it. Every chunk that a batch touches is fetched and decoded once for all of its boxes.

    `sampler` is a UniformBoxes, a ShuffledGrid, a WeightedBoxes or a RandomOrientations, of which the loader uses a
    copy; or an iterable of boxes, or a function that returns the next box and None at the end. A box is a tuple of
    slices of numbers from 0 on, one for each dimension, or a pair of one and the Orientation in which it is placed. The
    boxes of a batch have one shape there. The loader's thread calls Python for them.

    Of several arrays a Loader yields tuples, of a batch of each with the same boxes:

        for image, label in tessera.Loader([images, labels], boxes, batch=16):

    Boxes, and `padding`, have the dimensions of the array with the fewest; of the others, such as those with channels,
    every index of the first dimensions is read. Each has a thread and a cache of its own. `padding`, `dtype`, `scale`,
    `offset` and `by_index` may be lists, one for each array.

    `batch`: boxes in a batch; the last one may have fewer. `ahead`: batches that are ready or being read, at most.
    `together`: batches that are read at once, at most `ahead`: each of their chunks is fetched and decoded once.
    `cache`: bytes of chunks that are kept from batch to batch, with 0 none; by default those of 2 (ahead + 2) batches.
    `keep`: "decoded", their elements, as they were when the chunk was read; "stored", their bytes in the store, which
    are decoded again and not fetched: no other program may write an array of a remote store meanwhile; or "either",
    elements if `cache` has room for those of all chunks, otherwise stored bytes. `horizon`: batches whose boxes are
    drawn early, to know which decoded chunks to keep. `on_error`: what follows a batch that could not be read, "end",
    nothing, or "go_on", the next batch.

    `padding`: around the array; then boxes are those of `padding.padded(array.shape)`. `dtype`: of the batches,
    "float32", "float16" or "float64"; each element is converted while it is placed, to `scale * element + offset`,
    computed in double and rounded once. So is the padding's value, which is an element of the array. `by_index`, a
    ScaleByIndex, has a scale and an offset for each index of an axis instead, along which there is no padding. Not in
    device memory.

    The error of a batch is raised where the program asks for it. Ctrl-C ends a wait. The loader ends with the `with`
    block, by `close()`, or when the program drops it, and then waits for an answer of the store and of a sampler of
    Python's. It does not work in a child of `fork()`: make one there.

    Raises SelectionError, if the padding does not suit the array; ConversionError, if the array's elements or `dtype`
    are not among those that are converted, and at its batch for a number that does not fit; ValueError, TypeError for
    wrong arguments.
    """

    @overload
    def __init__(
        self: Loader[Batch],
        array: Array,
        sampler: Sampler,
        *,
        batch: int = 1,
        ahead: int = 2,
        together: int = 1,
        cache: int | None = None,
        keep: str = "decoded",
        horizon: int = 32,
        on_error: str = "end",
        padding: Padding | None = None,
        dtype: npt.DTypeLike | None = None,
        scale: float = 1,
        offset: float = 0,
        by_index: ScaleByIndex | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Loader[tuple[Batch, ...]],
        array: Sequence[Array],
        sampler: Sampler,
        *,
        batch: int = 1,
        ahead: int = 2,
        together: int = 1,
        cache: int | None = None,
        keep: str = "decoded",
        horizon: int = 32,
        on_error: str = "end",
        padding: Padding | Sequence[Padding | None] | None = None,
        dtype: npt.DTypeLike | Sequence[npt.DTypeLike | None] | None = None,
        scale: float | Sequence[float] = 1,
        offset: float | Sequence[float] = 0,
        by_index: ScaleByIndex | Sequence[ScaleByIndex | None] | None = None,
    ) -> None: ...
    def __init__(
        self,
        array: Array | Sequence[Array],
        sampler: Sampler,
        *,
        batch: int = 1,
        ahead: int = 2,
        together: int = 1,
        cache: int | None = None,
        keep: str = "decoded",
        horizon: int = 32,
        on_error: str = "end",
        padding: Any = None,
        dtype: Any = None,
        scale: Any = 1,
        offset: Any = 0,
        by_index: Any = None,
    ) -> None:
        if on_error not in ("end", "go_on"):
            raise ValueError(f"found on_error={on_error!r}, expected 'end' or 'go_on'")
        if keep not in ("decoded", "stored", "either"):
            raise ValueError(f"found keep={keep!r}, expected 'decoded', 'stored' or 'either'")
        if batch < 1 or ahead < 1:
            raise ValueError(f"found batch={batch} and ahead={ahead}, expected at least 1")
        if not 1 <= together <= ahead:
            raise ValueError(f"found together={together}, expected at least 1, and at most ahead={ahead}")
        goes_on = on_error == "go_on"
        options = LoaderOptions(
            batch=batch, ahead=ahead, together=together, cache=cache, keep=keep, horizon=horizon, goes_on=goes_on
        )
        self._is_one = isinstance(array, Array)
        several: Any = array if isinstance(array, Iterable) and not hasattr(array, "shape") else [array]
        arrays = [_expect_array(one) for one in several]
        if not arrays:
            raise ValueError("found no array, expected one or more")
        n, rank = len(arrays), min(one.ndim for one in arrays)
        draw, self._boxes = _draw(sampler)
        draws = [draw] if n == 1 else draw.shared([one.ndim for one in arrays])
        each = zip(
            arrays,
            draws,
            _each(padding, n, "padding"),
            _each(dtype, n, "dtype") if not self._is_one else [dtype],
            _each(scale, n, "scale"),
            _each(offset, n, "offset"),
            _each(by_index, n, "by_index"),
            strict=True,
        )
        checked = [
            (one, drawn, around(one, around_it, rank), conversion(one, *of, on_device=one.space == "device"))
            for one, drawn, around_it, *of in each
        ]
        self._natives: list[Any] = []
        weakref.finalize(self, _close, self._natives)  # at the latest when the interpreter ends
        for one, drawn, padded, converted in checked:
            what = (drawn, options, padded)
            if one.space == "device":
                self._natives.append(_spaces.device().Loader(one._on_device, *what))
            else:
                memory = _spaces.device().pinned_batches() if one.space == "pinned" else BatchMemory()
                self._natives.append(_HostLoader(one._native, *what, converted, memory))
        self._lock, self._taken = threading.Lock(), list[Any]()

    def __next__(self) -> B:
        if self._is_one:
            batch = self._natives[0].next()
            if batch is None:
                raise StopIteration
            return cast(B, batch)
        with self._lock:
            while len(self._taken) < len(self._natives):  # goes on where a signal ended the wait
                if self._taken and self._taken[-1] is None:
                    break
                native = self._natives[len(self._taken)]
                position = native.position
                try:
                    self._taken.append(native.next())
                except Exception as error:
                    if native.position == position:  # of no batch
                        raise
                    self._taken.append(error)
            taken, self._taken = self._taken, []
        for one in taken:
            if isinstance(one, Exception):
                raise one
        if any(one is None for one in taken):
            raise StopIteration
        return cast(B, tuple(taken))

    def cancel(self) -> None:
        """Ends the read in progress as soon as it can: `next`, also one that waits in another thread, raises Cancelled
        from now on. Does not wait. From any thread."""
        for native in self._natives:
            native.cancel()

    def close(self) -> None:
        """Cancels, and waits until the loader's threads have ended."""
        _close(self._natives)

    @property
    def position(self) -> int:
        """Boxes of the batches that the program got: where to `seek` an equal sampler to go on behind them."""
        position: int = self._natives[0].position
        return position

    def statistics(self, i: int = 0) -> LoaderStatistics:
        """What the loader did so far, for the i-th array."""
        found: LoaderStatistics = self._natives[i].statistics()
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Loader has threads of this process: make one in each process that reads")

    def __enter__(self) -> Loader[B]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_boxes(
    array: Array,
    boxes: Iterable[Box],
    *,
    out: Any = None,
    stream: Any = None,
    progress: Progress | None = None,
    padding: Padding | None = None,
    dtype: npt.DTypeLike | None = None,
    scale: float = 1,
    offset: float = 0,
    by_index: ScaleByIndex | None = None,
) -> Any:
    """Reads boxes of one shape, each as for a Loader a tuple of slices of numbers from 0 on, or a pair of one and an
    Orientation, into a Tensor of the shape [boxes, box...], or into `out`, which is returned: arguments and result are
    as those of `Array.read`. Every chunk is fetched and decoded once for all boxes. `padding`, `dtype`, `scale`,
    `offset` and `by_index` are those of a Loader; `out` is of `dtype`, if that is given.

    Raises SelectionError, if a box reaches beyond the array, with its padding, or has another shape than the first;
    ConversionError as a Loader; otherwise as a read.
    """
    _expect_array(array)
    on_device = array.space == "device" if out is None else _spaces.is_on_device(out)
    if stream is not None and (out is None or not on_device):
        raise ExchangeError("a stream was given, which is for an `out` of a device's memory: the host's has none")
    padded = around(array, padding)
    converted = conversion(array, dtype, scale, offset, by_index, on_device=on_device)
    if out is None:
        if on_device:
            return _spaces.device().read_boxes(array._on_device, boxes, padded, progress)
        memory = _spaces.device().pinned_batches() if array.space == "pinned" else BatchMemory()
        return _read_boxes(array._native, boxes, memory, padded, converted, progress)
    if on_device:
        _spaces.device().read_boxes_out(array._on_device, boxes, out, 1 if stream is None else stream, padded, progress)
    else:
        read_boxes_out(array._native, boxes, out, padded, converted, progress)
    return out
