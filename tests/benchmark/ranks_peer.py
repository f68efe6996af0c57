"""ranks_peer.py PEER FOLDER REPETITIONS: tensorstore's or zarr-python's side of ranks.py, which says what is printed.

Ranks do not exchange elements: each writes and reads its slab. Rank 0 makes the array. One thread each."""
import os
import shutil
import sys
import time

import numpy as np
from mpi4py import MPI

PEER, FOLDER, REPETITIONS = sys.argv[1], sys.argv[2], int(sys.argv[3])
EDGE, CHUNK = 256, 64
ranks = MPI.COMM_WORLD


class TensorStore:
    def __init__(self):
        import tensorstore

        self.ts = tensorstore
        self.context = {"data_copy_concurrency": {"limit": 1}, "file_io_concurrency": {"limit": 1},
                        "file_io_sync": False}

    def open(self, path, **more):
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}, **more}
        return self.ts.open(spec, context=self.ts.Context(self.context)).result()

    def create(self, path, is_gzip):
        codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
        codecs += [{"name": "gzip", "configuration": {"level": 1}}] * is_gzip
        self.open(path, create=True, metadata={
            "shape": [EDGE] * 3, "data_type": "float32", "codecs": codecs,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [CHUNK] * 3}}})

    def write(self, path, box, memory):
        self.open(path)[box].write(memory).result()

    def read(self, path, box, memory):
        self.ts.array(memory, copy=False, write=True).write(self.open(path)[box]).result()


class ZarrPython:
    def __init__(self):
        import zarr

        self.zarr = zarr
        zarr.config.set({"threading.max_workers": 1})

    def create(self, path, is_gzip):
        compressors = self.zarr.codecs.GzipCodec(level=1) if is_gzip else None
        self.zarr.create_array(store=path, shape=[EDGE] * 3, chunks=[CHUNK] * 3, dtype="float32",
                               compressors=compressors)

    def write(self, path, box, memory):
        self.zarr.open_array(path, mode="r+")[box] = memory

    def read(self, path, box, memory):
        memory[...] = self.zarr.open_array(path, mode="r")[box]


peer = {"tensorstore": TensorStore, "zarr-python": ZarrPython}[PEER]()
for shift, boxes in ((0, "whole"), (10, "cut")):
    ends = [i * EDGE // ranks.size - shift * (0 < i < ranks.size) for i in (ranks.rank, ranks.rank + 1)]
    box = slice(*ends)
    random = np.random.default_rng(ranks.rank)
    noise = random.integers(0, 1 << 16, (box.stop - box.start, EDGE, EDGE), np.uint32) | 0x3F800000
    memory = noise.view(np.float32)
    for codec in ("none", "gzip"):
        path = f"{FOLDER}/{boxes}-{codec}"
        for _ in range(REPETITIONS):
            if ranks.rank == 0:
                shutil.rmtree(path, ignore_errors=True)
            read = np.zeros_like(memory)
            ranks.barrier()
            start, before = MPI.Wtime(), time.process_time()
            if ranks.rank == 0:
                peer.create(path, codec == "gzip")
            ranks.barrier()
            peer.write(path, box, memory)
            ranks.barrier()
            written, between = MPI.Wtime(), time.process_time()
            peer.read(path, box, read)
            ranks.barrier()
            end, after = MPI.Wtime(), time.process_time()
            of_write, of_read = (ranks.allreduce(seconds) for seconds in (between - before, after - between))
            is_same = ranks.allreduce(int(np.array_equal(read, memory)), MPI.MIN)
            if ranks.rank == 0:
                print(f"{boxes}-{codec}", written - start, end - written, of_write, of_read, is_same, flush=True)
MPI.Finalize()
os._exit(0)  # TensorStore's threads may still run, and crash where the interpreter ends
