"""One other program's side of the benchmark: peers.py PEER ACTION KIND N THREADS REPETITIONS PATH [MORE...]

PEER is zarr-python, `fused`, which is its newer pipeline, zarrs or tensorstore; or tessera's Python module, as `module`
by itself and as `pipeline` below zarr-python; the rest and the output are as in work.hpp. The time includes opening the array, not the interpreter and
imports. Each gets that number of threads. TensorStore reads by writing the array into a wrapped one (its own way into
existing memory), without a cache except for the indexes of shards, in one batch if many boxes are read in one call;
zarr-python and zarrs read into `out`. zarrs is told to refuse work that it would leave to zarr-python."""
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

PEER, ACTION, KIND, N, THREADS, REPETITIONS, PATH, *MORE = sys.argv[1:]
N, THREADS, REPETITIONS = int(N), int(THREADS), int(REPETITIONS)
IS_BRAIN = KIND.startswith("brain")
CHUNK, DTYPE = (128, np.uint8) if IS_BRAIN else (256, np.uint16)
EDGE, PLANES = 32, 4  # of an inner chunk that is picked; of the slab
WHOLE = (slice(0, N),) * 3


class TensorStore:
    def __init__(self):
        import tensorstore

        self.ts = tensorstore
        limit = {"limit": THREADS}
        kept = 16 << 20 if ACTION == "each" else 0  # indexes of shards; no inner chunk is read twice
        self.context = {"cache_pool": {"total_bytes_limit": kept}, "data_copy_concurrency": limit, "file_io_concurrency": limit}

    def spec(self):
        return {"driver": "zarr" if KIND.startswith("v2") else "zarr3", "kvstore": {"driver": "file", "path": PATH}}

    def open(self):
        return self.ts.open(self.spec(), context=self.ts.Context(self.context)).result()

    def wrap(self, memory):
        return self.ts.array(memory, copy=False, write=True)

    def read(self, array, box, memory):
        self.wrap(memory).write(array[box]).result()

    read_part = read

    def read_one(self, array, box):
        return array[box].read().result()

    def read_new(self, array):
        return array.read().result()

    def read_boxes(self, array, boxes, parts):
        with self.ts.Batch() as batch:
            reads = [self.wrap(part).write(array[box], batch=batch) for box, part in zip(boxes, parts)]
        for read in reads:
            read.result()

    def write(self, memory, syncs):
        codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
        if KIND != "raw":
            codecs.append({"name": "zstd", "configuration": {"level": 0}})
        if KIND == "shard64":
            checked = [codecs[0], {"name": "crc32c"}]
            codecs = [{"name": "sharding_indexed",
                       "configuration": {"chunk_shape": [64] * 3, "codecs": codecs, "index_codecs": checked}}]
        grid = {"name": "regular", "configuration": {"chunk_shape": [CHUNK] * 3}}
        metadata = {"shape": [N] * 3, "data_type": "uint16", "chunk_grid": grid, "codecs": codecs}
        context = self.ts.Context(self.context | {"file_io_sync": syncs})
        array = self.ts.open(self.spec() | {"metadata": metadata}, create=True, context=context).result()
        array.write(memory, can_reference_source_data_indefinitely=True).result()


    def plane(self, elements):
        grid = {"name": "regular", "configuration": {"chunk_shape": [512] * 2}}
        metadata = {"shape": list(elements.shape), "data_type": "uint16", "chunk_grid": grid,
                    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
        array = self.ts.open({"driver": "zarr3", "kvstore": {"driver": "memory"}, "metadata": metadata}, create=True,
                             context=self.ts.Context(self.context)).result()
        array.write(elements).result()
        return array

    def selected(self, array, selection):
        if KIND == "points":
            return array.vindex[selection]
        return array.oindex[selection] if KIND == "lists" else array[selection]

    def pick(self, array, selection, memory):
        self.wrap(memory).write(self.selected(array, selection)).result()

    def put(self, array, selection, memory):
        self.selected(array, selection).write(memory).result()


def new_array():
    shape = dict(shards=(CHUNK,) * 3, chunks=(64,) * 3) if KIND == "shard64" else dict(chunks=(CHUNK,) * 3)
    return dict(shape=(N,) * 3, dtype="uint16", **shape)


class ZarrPython:
    def __init__(self):
        import zarr
        from zarr.core.buffer.cpu import NDBuffer

        self.zarr, self.buffer = zarr, NDBuffer.from_ndarray_like
        zarr.config.set({"threading.max_workers": THREADS, "async.concurrency": THREADS})
        if PEER == "zarrs":
            import zarrs  # noqa: F401

            zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
        if PEER == "pipeline":
            zarr.config.set({"codec_pipeline.path": "tessera.zarr.CodecPipeline"})
        if PEER == "fused":
            zarr.config.set({"codec_pipeline.path": "zarr.core.codec_pipeline.FusedCodecPipeline"})

    def open(self):
        return self.zarr.open_array(PATH, mode="r")

    def read(self, array, box, memory):
        array.get_basic_selection(box, out=self.buffer(memory))

    def read_one(self, array, box):
        return array[box]

    def read_part(self, array, box, part):
        if PEER == "zarrs":  # which refuses memory that is not contiguous
            part[...] = array[box]
        else:
            self.read(array, box, part)

    def read_new(self, array):
        return array[...]

    def read_boxes(self, array, boxes, parts):  # there is no call for many boxes; these form a product along the axes
        lists = [np.concatenate([np.arange(p * EDGE, (p + 1) * EDGE) for p in places]) for places in PLACES]
        array.get_orthogonal_selection(tuple(lists), out=self.buffer(PICKED))

    def write(self, memory, syncs):
        assert not syncs, "zarr-python does not sync files"
        compressors = None if KIND == "raw" else self.zarr.codecs.ZstdCodec(level=0)
        self.zarr.create_array(PATH, compressors=compressors, **new_array())[...] = memory


    def plane(self, elements):
        """A plane of those elements, in memory."""
        array = self.zarr.create_array(self.zarr.storage.MemoryStore(), shape=elements.shape, chunks=(512, 512),
                                       dtype="uint16", compressors=None)
        array[...] = elements
        return array

    def pick(self, array, selection, memory):
        if KIND == "points":
            array.get_coordinate_selection(selection, out=self.buffer(memory))
        elif KIND == "lists":
            array.get_orthogonal_selection(selection, out=self.buffer(memory))
        else:
            array.get_mask_selection(selection, out=self.buffer(memory))

    def put(self, array, selection, memory):
        if KIND == "points":
            array.set_coordinate_selection(selection, memory)
        elif KIND == "lists":
            array.set_orthogonal_selection(selection, memory)
        else:
            array.set_mask_selection(selection, memory)


class Module:
    """It uses threads for all processors."""

    def __init__(self):
        import tessera

        self.tessera = tessera

    def open(self):
        return self.tessera.open(PATH)

    def write(self, memory, syncs):
        assert not syncs, "the module does not sync files"
        compressors = None if KIND == "raw" else [{"name": "zstd", "configuration": {"level": 0}}]
        self.tessera.create_array(PATH, compressors=compressors, **new_array())[...] = memory

    def read(self, array, box, memory):
        array.read(box, out=memory)

    read_part = read

    def read_new(self, array):
        return array[...]

    def read_one(self, array, box):
        return array[box]


peer = TensorStore() if PEER == "tensorstore" else Module() if PEER == "module" else ZarrPython()


def mapped(shape):
    """It begins on a huge page, as the C++ programs' memory does, for each peer."""
    size, page = int(np.prod(shape)) * np.dtype(DTYPE).itemsize, 2 << 20
    memory = np.empty(size + page, np.uint8)  # NumPy requests huge pages
    first = -memory.ctypes.data % page
    memory = memory[first : first + size].view(DTYPE).reshape(shape)
    memory[...] = 0
    return memory


def repeat(f, prepare=lambda: None, times=1):
    for _ in range(REPETITIONS):
        prepare()
        start = time.perf_counter()
        f()
        print(f"{(time.perf_counter() - start) / times:.9f}", end=" ", flush=True)


def sum_of(elements):
    sample = elements.reshape(-1)[::1009].astype(np.uint64)
    return int((sample * np.arange(1, sample.size + 1, dtype=np.uint64)).sum(dtype=np.uint64))


def box_at(place, edge):
    return tuple(slice(p * edge, (p + 1) * edge) for p in place)


def whole():
    memory = mapped((N,) * 3)
    repeat(lambda: peer.read(peer.open(), WHOLE, memory))
    return sum_of(memory)


def new():
    made = []
    repeat(lambda: made.append(peer.read_new(peer.open())), made.clear)
    return sum_of(made[0])


def chunks():
    places = list(np.ndindex((N // CHUNK,) * 3))
    idle = [mapped((CHUNK,) * 3) for _ in range(THREADS)]
    sums = []

    def read():
        array = peer.open()

        def one(i):
            memory = idle.pop()
            peer.read(array, box_at(places[i], CHUNK), memory)
            idle.append(memory)
            return (i + 1) * int(memory.reshape(-1)[CHUNK**3 // 3 * 2])

        with ThreadPoolExecutor(THREADS) as pool:
            sums.append(sum(pool.map(one, range(len(places)))))

    repeat(read)
    return sums[-1]


def slab():
    memory = mapped((PLANES, N, N))
    first = N - CHUNK // 2
    repeat(lambda: peer.read(peer.open(), (slice(first, first + PLANES), *WHOLE[1:]), memory))
    return sum_of(memory)


if ACTION in ("inner", "each"):
    *PLACES, ORDER = [[int(word) for word in line.split()] for line in Path(MORE[0]).read_text().splitlines()]
    PICKED = mapped([len(places) * EDGE for places in PLACES])
    to = list(np.ndindex(*map(len, PLACES)))
    PARTS = [PICKED[box_at(place, EDGE)] for place in to]
    BOXES = [box_at([places[i] for places, i in zip(PLACES, place)], EDGE) for place in to]


def inner():
    repeat(lambda: peer.read_boxes(peer.open(), BOXES, PARTS))
    return sum_of(PICKED)


def each():
    def read():
        array = peer.open()
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in pool.map(lambda i: peer.read_part(array, BOXES[i], PARTS[i]), ORDER):
                pass

    repeat(read)
    return sum_of(PICKED)


def round_trip():
    elements, back = mapped((N,) * 3), mapped((N,) * 3)
    g = np.arange(N, dtype=np.uint64)
    for first in range(0, N, CHUNK):
        values = g[None, None, :] + (g * g // 32)[None, :, None] + (g[first : first + CHUNK] ** 3)[:, None, None]
        elements[first : first + CHUNK] = (values % 65536).astype(np.uint16)

    def write_and_read():
        peer.write(elements, MORE[0] == "fsync")
        peer.read(peer.open(), WHOLE, back)

    repeat(write_and_read, lambda: shutil.rmtree(PATH, ignore_errors=True))
    return sum_of(back)


def opening(times=100):
    repeat(lambda: [peer.open() for _ in range(times)], times=times)
    return 1000 * N


def small(times=1000):
    """A chunk of 16^3 into new memory, as seconds of one."""
    array, box = peer.open(), (slice(16, 32), slice(0, 16), slice(32, 48))
    read = []

    def many():
        for _ in range(times):
            read[:] = [peer.read_one(array, box)]

    repeat(many, times=times)
    return sum_of(read[0])


def noise(i):
    z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def scattered():
    """As `Scattered` of work.hpp."""
    edge = 4 * N
    x, y = np.arange(edge, dtype=np.uint64)[:, None], np.arange(edge, dtype=np.uint64)[None, :]
    array = peer.plane(((y + x * x // 32) % 65536).astype(np.uint16))
    if KIND == "points":
        i = np.arange(edge * edge // 16, dtype=np.uint64)
        selection = tuple((noise(2 * i + d) % edge).astype(np.int64) for d in (0, 1))
        memory = mapped(selection[0].shape)
    elif KIND == "lists":
        order = np.argsort(noise(np.arange(edge, dtype=np.uint64)))
        selection, memory = (order, order), mapped((edge, edge))
    else:
        selection = ((noise(np.arange(edge * edge, dtype=np.uint64)) & 1) == 1).reshape(edge, edge)
        memory = mapped((int(selection.sum()),))
    if ACTION == "pick":
        repeat(lambda: peer.pick(array, selection, memory))
        return sum_of(memory)
    peer.pick(array, selection, memory)
    memory ^= 0x5555
    repeat(lambda: peer.put(array, selection, memory))
    whole = array[...] if PEER == "zarr-python" else array.read().result()
    return sum_of(whole)


ACTIONS = {"read": whole, "new": new, "chunks": chunks, "slab": slab, "inner": inner, "each": each,
           "round-trip": round_trip, "open": opening, "small": small, "pick": scattered, "put": scattered}
print("sum", ACTIONS[ACTION]())
