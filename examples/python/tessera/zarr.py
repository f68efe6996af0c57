"""zarr-python's arrays, read and written by tessera.

    zarr.config.set({"codec_pipeline.path": "tessera.zarr.CodecPipeline"})

Arrays opened from then on have this pipeline. Each call of zarr-python is one call of tessera, on all processors and
without the interpreter's lock: straight between files and memory in a LocalStore; in other stores zarr-python moves
the bytes, and tessera decodes and encodes them. Where tessera lacks a feature, zarr-python's own pipeline does the
work, with the same result. The logger `tessera.zarr` reports that, once for each array and reason, at level DEBUG.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import zarr.registry
from zarr.abc.codec import Codec
from zarr.abc.store import Store
from zarr.codecs import ShardingCodec
from zarr.codecs._v2 import V2Codec
from zarr.core.codec_pipeline import BatchedCodecPipeline
from zarr.core.common import concurrent_map
from zarr.core.config import config
from zarr.core.metadata.v2 import ArrayV2Metadata
from zarr.storage import LocalStore, MemoryStore, StorePath

from . import _tessera
from ._batch import Shape, Together, Unknown
from ._errors import Error, SelectionError
from ._types import dtype_of, exchanged, in_native_order

_log = logging.getLogger(__name__)
_small = 1 << 16  # elements that are processed without a change of threads, which takes longer


class _Source:
    """An array of zarr-python's as tessera opens it: of the shape that a call needs."""

    def __init__(self, metadata: Any, codecs: Iterable[Codec]) -> None:
        self.dtype: np.dtype[Any] | None = None  # of elements in memory; None: tessera cannot open the array
        self._metadata, self._codecs = metadata, tuple(codecs)
        self._said: set[str] = set()
        self._folders: dict[str, _tessera.Store] = {}
        self._arrays: dict[tuple[str, str, Shape], _tessera.Array] = {}
        is_v2 = isinstance(metadata, ArrayV2Metadata)
        try:
            self._document: dict[str, Any] = json.loads(json.dumps(metadata.to_dict())) | {"attributes": {}}
            grid = self._document.get("chunk_grid", {"name": "regular"})  # Zarr v2 has no others
            if grid["name"] != "regular":
                self.say(f"a chunk grid {grid['name']}")
                return
            self.chunks: Shape = tuple(self._document["chunks"] if is_v2 else grid["configuration"]["chunk_shape"])
            dtype = dtype_of(_tessera.ChunksInMemory(self.document(self.chunks)))
            given = (metadata.dtype if is_v2 else metadata.data_type).to_native_dtype()
            native = in_native_order(given)
            if dtype != native or (given.fields is not None and given != native):  # v3 does not say their byte order
                self.say(f"elements of type {given}")
                return
        except (Error, TypeError, ValueError) as error:
            self.say(str(error))
            return
        for codec in map(type, _all(self._codecs)):
            if not codec.__module__.startswith(("zarr.", "numcodecs.")):
                self.say(f"a codec that is not zarr-python's own: {codec.__name__}")
                return
        self._separator: str = metadata.dimension_separator if is_v2 else metadata.chunk_key_encoding.separator
        self._has_c = not is_v2 and metadata.chunk_key_encoding.name == "default"
        self._levels = max(len(self.chunks) + self._has_c, 1) if self._separator == "/" else 1
        self.is_sharded = not is_v2 and any(codec["name"] == "sharding_indexed" for codec in self._document["codecs"])
        self._least = tuple(max(n, 1) for n in metadata.shape)
        self.dtype = native

    def __reduce__(self) -> tuple[type[_Source], tuple[Any, Any]]:
        return _Source, (self._metadata, self._codecs)

    def say(self, why: str) -> None:
        if why not in self._said:
            self._said.add(why)
            _log.debug("zarr-python's own pipeline is at work: %s", why)

    def document(self, shape: Shape) -> str:
        return json.dumps(self._document | {"shape": shape})

    def place(self, key: str) -> tuple[str, str, Shape]:
        """Of a chunk: the array's path, the chunk's own name, and where it is in the grid."""
        names = key.split("/")
        cut = len(names) - self._levels
        own = "/".join(names[cut:])
        places = own.split(self._separator)[self._has_c :] if self.chunks else ()
        return "/".join(names[:cut]), own, tuple(map(int, places))

    def shape(self, together: Together, complete: Iterable[Shape]) -> Shape:
        """Of whole chunks, since the array's current size is unknown; except at its edge, where chunks that zarr-python
        calls complete end: elements beyond it are dropped. (Shards keep them.)"""
        ends = [[n, c] for n, c in zip(together.reach, self.chunks)]
        at_edge = [False] * len(ends)
        if any(n % c for n, c in ends):
            for place in complete:
                at_edge = [known or p == n // c for known, p, (n, c) in zip(at_edge, place, ends)]
        found = []
        for is_edge, (n, c), least in zip(at_edge, ends, self._least):
            chunks = -(-n // c)
            most = -(-least // c)
            while most < chunks:  # so that few shapes occur
                most *= 2
            found.append(n if is_edge and n % c else most * c)
        return tuple(found)

    def array(self, root: str, path: str, shape: Shape) -> _tessera.Array:
        key = (root, path, shape)
        found = self._arrays.get(key)
        if found is None:
            if len(self._arrays) > 64:
                self._arrays.clear()
            store = self._folders.setdefault(root, _tessera.Store(root, True))
            found = self._arrays[key] = _tessera.array_of(store, path, self.document(shape))
        return found


def _all(codecs: Iterable[Any]) -> Iterable[Any]:
    """Those in shards too, and those of Zarr v2."""
    for codec in codecs:
        yield codec
        if isinstance(codec, ShardingCodec):
            yield from _all([*codec.codecs, *codec.index_codecs])
        if isinstance(codec, V2Codec):
            yield from (one for one in [*(codec.filters or ()), codec.compressor] if one is not None)


async def _run(elements: int, function: Callable[..., None], *arguments: Any) -> None:
    if elements <= _small:
        function(*arguments)
    else:
        await asyncio.to_thread(function, *arguments)


@dataclass(frozen=True)
class CodecPipeline(BatchedCodecPipeline):
    """A codec pipeline of zarr-python (`zarr.abc.codec.CodecPipeline`). One made from codecs alone, such as those in
    shards, does what zarr-python's own does."""

    _source: _Source | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_array_metadata_and_store(cls, array_metadata: Any, store: Store) -> Self:
        is_v2 = isinstance(array_metadata, ArrayV2Metadata)
        codecs = [V2Codec(array_metadata.filters, array_metadata.compressor)] if is_v2 else array_metadata.codecs
        return replace(cls.from_codecs(codecs), _source=_Source(array_metadata, codecs))

    async def read(self, batch_info: Iterable[Any], out: Any, drop_axes: Shape = ()) -> Any:
        """Returns the same as zarr-python's own: from 3.2 on, for each chunk whether it was present, if requested."""
        batch = list(batch_info)
        if await self._is_done(batch, out, drop_axes, self._read):
            return ()
        return await super().read(batch, out, drop_axes)

    async def write(self, batch_info: Iterable[Any], value: Any, drop_axes: Shape = ()) -> None:
        batch = list(batch_info)
        if not await self._is_done(batch, value, drop_axes, self._write):
            await super().write(batch, value, drop_axes)

    async def _is_done(self, batch: list[Any], memory: Any, drop_axes: Shape, work: Any) -> bool:
        source = self._source
        if source is None or source.dtype is None or not batch:
            return False
        elements = memory.as_ndarray_like()
        try:
            if not isinstance(elements, np.ndarray) or in_native_order(elements.dtype) != source.dtype:
                raise Unknown("memory that is not NumPy's, or of another type")
            if not all(isinstance(chunk[0], StorePath) for chunk in batch):
                raise Unknown("chunks that are not in a store")
            await work(source, batch, elements, drop_axes)
        except (Unknown, SelectionError) as error:  # which is found first
            source.say(str(error))
            return False
        return True

    async def _read(self, source: _Source, batch: list[Any], out: np.ndarray[Any, Any], drop_axes: Shape) -> None:
        if not getattr(batch[0][1].config, "read_missing_chunks", True):
            raise Unknown("chunks that must not be missing")
        places = [source.place(chunk[0].path) for chunk in batch]
        together = Together([(p[2], c[2], c[3]) for p, c in zip(places, batch)], source.chunks, drop_axes)
        if together.shape != out.shape:
            raise Unknown("memory of another shape")
        shape = source.shape(together, ())
        selection = together.of(shape)
        target = out if out.dtype == source.dtype else np.empty_like(out, source.dtype)
        memory = exchanged(target, source.dtype)
        store = batch[0][0].store
        if type(store) is LocalStore:
            await _ensure_open(store)
            await _run(out.size, source.array(str(store.root), places[0][0], shape).read_out, selection, memory)
        else:
            chunks = await _fetch(source, store, batch, places, shape, [True] * len(batch))
            await _run(out.size, chunks.read_out, selection, memory)
        if target is not out:
            out[...] = target

    async def _write(self, source: _Source, batch: list[Any], value: np.ndarray[Any, Any], drop_axes: Shape) -> None:
        places = [source.place(chunk[0].path) for chunk in batch]
        together = Together([(p[2], c[2], c[3]) for p, c in zip(places, batch)], source.chunks, drop_axes)
        if value.shape == ():
            value = np.broadcast_to(value, together.shape)
        if together.shape != value.shape:
            raise Unknown("memory of another shape")
        if together.has_repeats():
            raise Unknown("elements that are written more than once")  # zarr-python does not tell which is the last
        value = exchanged(value.astype(source.dtype, copy=False), source.dtype)
        complete = () if self.supports_partial_encode else (p[2] for p, c in zip(places, batch) if c[4])
        shape = source.shape(together, complete)
        selection = together.of(shape)
        keep = batch[0][1].config.write_empty_chunks
        store = batch[0][0].store
        if type(store) is LocalStore:
            await _ensure_open(store)
            store._check_writable()
            array = source.array(str(store.root), places[0][0], shape)
            await _run(value.size, array.write, selection, value, None, keep)
            return
        wanted = [not chunk[4] or (source.is_sharded and not _is_whole(chunk[2], source.chunks)) for chunk in batch]
        chunks = await _fetch(source, store, batch, places, shape, wanted)
        await _run(value.size, chunks.write, selection, value, keep)

        async def put(setter: Any, prototype: Any, name: str) -> None:
            found = chunks.get(name)
            if found is None:
                await setter.delete()
            else:
                await setter.set(prototype.buffer.from_bytes(found))

        changed = [(chunk[0], chunk[1].prototype, place[1]) for chunk, place in zip(batch, places)]
        await concurrent_map(changed, put, config.get("async.concurrency"))


def _is_whole(selection: Any, chunks: Shape) -> bool:
    """Whether a chunk's selection leaves out nothing, beyond the array's edge too, where shards keep their elements."""
    return all(
        range(*one.indices(n)) == range(n) if isinstance(one, slice) else n == 1 and np.ndim(one) == 0
        for one, n in zip(selection, chunks)
    )


async def _ensure_open(store: Store) -> None:
    if not store._is_open:
        await store._open()


async def _fetch(
    source: _Source, store: Store, batch: list[Any], places: list[tuple[str, str, Shape]], shape: Shape, wanted: list[bool]
) -> _tessera.ChunksInMemory:
    """The bytes of the requested chunks."""
    if source.is_sharded and not isinstance(store, MemoryStore) and not all(chunk[4] for chunk in batch):
        raise Unknown("parts of shards in a store that is not local")  # zarr-python reads only what it needs from it
    chunks = _tessera.ChunksInMemory(source.document(shape))

    async def get(getter: Any, prototype: Any, name: str) -> None:
        found = await getter.get(prototype)
        if found is not None:
            chunks.put(name, found.as_numpy_array().view(np.uint8))

    asked = [(chunk[0], chunk[1].prototype, place[1]) for chunk, place, is_wanted in zip(batch, places, wanted) if is_wanted]
    await concurrent_map(asked, get, config.get("async.concurrency"))
    return chunks


zarr.registry.register_pipeline(CodecPipeline)
