"""One other program, as volume.cpp is tessera: peers.py PEER read PATH | PEER write raw|zstd PATH

PEER is zarr-python, zarrs or tensorstore. Reads or writes the whole array once, with two threads, the memory of its
elements mapped before; prints the seconds. The 1024^3 uint16 elements are make_arrays.py's."""
import sys
import time

import numpy as np

N, C = 1024, 256
peer, action, *rest = sys.argv[1:]
kind, path = rest if action == "write" else (None, rest[0])

elements = np.empty((N, N, N), np.uint16)  # NumPy asks for huge pages
elements[...] = 0
if action == "write":
    g = np.arange(N, dtype=np.uint64)
    for first in range(0, N, C):
        slab = g[None, None, :] + (g * g // 32)[None, :, None] + (g[first : first + C] ** 3)[:, None, None]
        elements[first : first + C] = (slab % 65536).astype(np.uint16)

if peer == "tensorstore":
    import tensorstore

    context = tensorstore.Context({"cache_pool": {"total_bytes_limit": 0}, "data_copy_concurrency": {"limit": 2},
                                   "file_io_concurrency": {"limit": 2}})
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}
    memory = tensorstore.array(elements, copy=False, write=True)
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
    if kind == "zstd":
        codecs.append({"name": "zstd", "configuration": {"level": 0}})
    grid = {"name": "regular", "configuration": {"chunk_shape": [C] * 3}}

    def read():
        memory.write(tensorstore.open(spec, context=context).result()).result()

    def write():
        metadata = {"shape": [N] * 3, "data_type": "uint16", "chunk_grid": grid, "codecs": codecs}
        array = tensorstore.open(spec | {"metadata": metadata}, create=True, delete_existing=True, context=context).result()
        array.write(elements, can_reference_source_data_indefinitely=True).result()
else:
    import zarr
    from zarr.core.buffer.cpu import NDBuffer

    zarr.config.set({"threading.max_workers": 2, "async.concurrency": 2})
    if peer == "zarrs":
        import zarrs  # noqa: F401

        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
    compressors = zarr.codecs.ZstdCodec(level=0) if kind == "zstd" else None

    def read():
        zarr.open_array(path, mode="r").get_basic_selection(out=NDBuffer.from_ndarray_like(elements))

    def write():
        array = zarr.create_array(path, shape=(N,) * 3, chunks=(C,) * 3, dtype="uint16", compressors=compressors,
                                  overwrite=True)
        array[...] = elements

began = time.perf_counter()
{"read": read, "write": write}[action]()
print(f"{time.perf_counter() - began:.3f}")
if action == "read":
    at = np.arange(0, N**3, 1009, dtype=np.uint64)  # a prime: every chunk, every column
    x, y, z = at // N**2, at // N % N, at % N
    assert (elements.ravel()[at] == (z + y * y // 32 + x**3) % 65536).all(), "not the array of make_arrays.py"
