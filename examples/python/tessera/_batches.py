"""Random crops of an array, read ahead: what a training loop takes its samples from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _spaces
from ._array import Array
from ._errors import ExchangeError, SelectionError
from ._tessera import Crops
from ._types import numpy_dtype


class _Batch(NamedTuple):
    origins: npt.NDArray[np.int64]
    memory: Any
    read: Future[None]


def _memory(array: Array, crops: Crops, size: int, crop: Sequence[int]) -> Any:
    numpy_dtype(array._native.dtype)  # raises, for what is no NumPy array
    if array.space == "device":
        raise ExchangeError("batches are read into the host's memory: open the array with space='pinned'")
    if array.space == "pinned":
        return _spaces.device().pinned((size, *crop), array._native.dtype)
    return crops.memory(size)


class Batches(Iterator[npt.NDArray[Any]]):
    """What `tessera.batches` returns. `with` or `close()` ends it early; so does letting go of it."""

    origins: npt.NDArray[np.int64]
    """Of the last batch: where each crop begins in the array, in elements, of the shape (batch size, dimensions)."""

    def __init__(
        self,
        array: Array,
        crop: Sequence[int],
        size: int,
        seed: int | None,
        count: int | None,
        ahead: int,
        threads: int | None,
        cache: int,
    ) -> None:
        self._array, self._size, self._left = array, size, count
        self._room = np.asarray(array.shape, np.int64) - np.asarray(crop, np.int64) if len(crop) == array.ndim else None
        if self._room is None or (self._room < 0).any() or min(crop, default=1) < 1:
            raise SelectionError(f"found crops of the shape {tuple(crop)} of an array of the shape {array.shape}")
        if size < 1 or ahead < 1:
            raise ValueError(f"found a batch size of {size} and {ahead} batches ahead, expected at least 1")
        self._random = np.random.default_rng(seed)
        self._crops = Crops(array._native, [int(n) for n in crop], cache, threads or 0)
        self._free = [_memory(array, self._crops, size, crop) for _ in range(ahead + 1)]  # one is the caller's
        self._ahead: deque[_Batch] = deque()
        self._shown: Any = None  # the memory of the last batch
        self._pool = ThreadPoolExecutor(1, "tessera-batches")
        self.origins = np.empty((0, array.ndim), np.int64)
        self._read_ahead(ahead)

    def _read_ahead(self, most: int) -> None:
        while self._free and len(self._ahead) < most and self._left != 0:
            if self._left is not None:
                self._left -= 1
            memory = self._free.pop()
            origins = self._random.integers(0, self._room, (self._size, self._array.ndim), endpoint=True)
            self._ahead.append(_Batch(origins, memory, self._pool.submit(self._crops.read, origins, np.asarray(memory))))

    def __next__(self) -> npt.NDArray[Any]:
        if self._shown is not None:
            self._free.append(self._shown)
            self._shown = None
        self._read_ahead(len(self._free) + len(self._ahead))
        if not self._ahead:
            self.close()
            raise StopIteration
        batch = self._ahead.popleft()
        try:
            batch.read.result()
        except BaseException:
            self.close()
            raise
        self.origins, self._shown = batch.origins, batch.memory
        return np.asarray(batch.memory)  # a new one each time: its shape and dtype are the caller's to change

    @property
    def decoded(self) -> int:
        """Chunks that were decoded so far. Many more than the array has: `cache` is small for it. 0: crops are read one
        by one."""
        return self._crops.decoded

    def close(self) -> None:
        """Ends the read that is under way, between two groups of chunks; those that are not yet begun are not read."""
        self._left = 0
        self._crops.stop()
        self._pool.shutdown(cancel_futures=True)
        self._ahead.clear()
        self._free.clear()

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def batches(
    array: Array,
    crop: Sequence[int],
    size: int,
    *,
    seed: int | None = None,
    count: int | None = None,
    ahead: int = 2,
    threads: int | None = None,
    cache: int = 1 << 30,
) -> Batches:
    """Random crops of `array`, `size` of them at a time, read ahead while the caller works:

        for batch in tessera.batches(t1, (64, 64, 64), 8, seed=0, count=1000):
            step(torch.from_dlpack(batch))  # (8, 64, 64, 64), of the array's dtype

    `crop` is their shape, in elements. A batch is in memory that is used again: it is the caller's until it asks for the
    next one, so copy what has to last. Crops begin anywhere, evenly distributed, where they are inside of the array; the
    same `seed` gives the same crops, whatever `threads` and `ahead` are. `Batches.origins` says where they begin.

    `count` is the number of batches; None: without end. `ahead` batches are being read or are ready at a time, by
    `threads` threads; None: one for each processor. They take (ahead + 1) * size crops of the host's memory, which is
    page-locked where the array was opened with `space="pinned"`.

    Each chunk is decoded once, and kept for later crops: of `cache` bytes of chunks the ones used last, and no more than
    the array has. A batch shows a chunk as it was when it was decoded. Where the chunks of one crop are more than that,
    crops are read one by one; so they are where chunks are stored without compression and not all of them have room.

    Raises SelectionError, if a crop is not inside of the array; and, from the loop, what a read raises.
    """
    return Batches(array, crop, size, seed, count, ahead, threads, cache)
