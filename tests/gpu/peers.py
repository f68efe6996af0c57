#!/usr/bin/env python3
"""Times of other libraries for reading the arrays of end_to_end into device memory, if their wheels are installed.

    peers.py kvikio FOLDER [ALONG=1024] [REPETITIONS=3]        raw chunks' files, in its mode without GPUDirect Storage
    peers.py tensorstore FOLDER [ALONG=1024] [REPETITIONS=3]   raw and zstd, into host memory, and one copy
    peers.py zarr FOLDER [ALONG=1024] [REPETITIONS=3]          raw and zstd, into CuPy's arrays (enable_gpu)

By the number of threads. Every element is checked. Exits with 77 without a GPU, or if a wheel is missing.
"""
import importlib
import os
import statistics
import sys
import time

os.environ.setdefault("KVIKIO_COMPAT_MODE", "ON")
CUBE = 64


def need(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"there is no {name} ({error}): nothing was measured", flush=True)
        sys.exit(77)


def expected(cupy, shape):
    """The elements, as in measured::number."""
    i = cupy.arange(shape[0] * shape[1] * shape[2], dtype=cupy.uint64)
    i = (i ^ (i >> cupy.uint64(31))) * cupy.uint64(0x9E3779B97F4A7C15)
    return ((i ^ (i >> cupy.uint64(29))) & cupy.uint64(0xFFFF)).astype(cupy.float32).reshape(shape)


def of_kvikio(cupy, kvikio, folder, shape, threads):
    """A function that reads the whole into a new array and returns it."""
    defaults = importlib.import_module("kvikio.defaults")
    try:
        defaults.set({"num_threads": threads})
    except (AttributeError, TypeError):
        defaults.num_threads_reset(threads)
    along = [n // CUBE for n in shape]
    names = [f"{folder}/c/{z}/{y}/{x}" for z in range(along[0]) for y in range(along[1]) for x in range(along[2])]
    chunks = cupy.empty((len(names), CUBE, CUBE, CUBE), dtype=cupy.float32)
    array = cupy.empty(shape, dtype=cupy.float32)

    def read():
        files = [kvikio.CuFile(name, "r") for name in names]
        for future in [file.pread(chunks[i]) for i, file in enumerate(files)]:
            future.get()
        for file in files:
            file.close()
        parts = array.reshape(along[0], CUBE, along[1], CUBE, along[2], CUBE)
        parts[...] = chunks.reshape(*along, CUBE, CUBE, CUBE).transpose(0, 3, 1, 4, 2, 5)
        return array

    return read


def of_tensorstore(cupy, tensorstore, folder, shape, threads):
    context = tensorstore.Context({"data_copy_concurrency": {"limit": threads}, "file_io_concurrency": {"limit": threads}})
    source = tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": folder + "/"}}, open=True,
                              context=context).result()
    array = cupy.empty(shape, dtype=cupy.float32)

    def read():
        array.set(source.read().result())
        return array

    return read


def of_zarr(cupy, zarr, folder, shape, threads):
    zarr.config.enable_gpu()
    zarr.config.set({"threading.max_workers": threads, "async.concurrency": threads})
    source = zarr.open_array(folder, mode="r")
    return lambda: source[...]


def measure(cupy, name, kind, make, library, folder, shape, repetitions):
    wanted = expected(cupy, shape)
    right = True
    for threads in (16, 8, 4, 2, 1):
        read = make(cupy, library, f"{folder}/{kind}", shape, threads)
        taken = []
        for _ in range(repetitions + 1):
            cupy.cuda.Device().synchronize()
            begin = time.perf_counter()
            array = read()
            cupy.cuda.Device().synchronize()
            taken.append(time.perf_counter() - begin)
        good = bool((array == wanted).all())
        right = right and good
        ms = sorted(1e3 * t for t in taken[1:])
        middle = statistics.median(ms)
        print(f"| {threads} | {kind} | {name} | {middle:.3f} | {ms[0]:.3f} to {ms[-1]:.3f} | "
              f"{1e-6 * wanted.nbytes / middle:.2f} |{'' if good else ' WRONG'}", flush=True)
        array.fill(-1)
    return right


def main(which, folder, along=1024, repetitions=3):
    cupy = need("cupy")
    library = need(which)
    try:
        cupy.cuda.Device().synchronize()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        print(f"there is no GPU ({error}): nothing was measured")
        sys.exit(77)
    along = int(along) // CUBE * CUBE
    shape = (max(CUBE, along // 2 // CUBE * CUBE), along, along)
    print("| threads | array | program | ms | least to most | GB/s |\n|---|---|---|---|---|---|")
    if which == "kvikio":
        right = measure(cupy, "KvikIO", "raw", of_kvikio, library, folder, shape, int(repetitions))
    elif which == "zarr":
        right = all([measure(cupy, "zarr-python", kind, of_zarr, library, folder, shape, int(repetitions))
                     for kind in ("raw", "zstd")])
    else:
        right = all([measure(cupy, "TensorStore and a copy", kind, of_tensorstore, library, folder, shape, int(repetitions))
                     for kind in ("raw", "zstd")])
    sys.exit(0 if right else 1)


main(*sys.argv[1:])
