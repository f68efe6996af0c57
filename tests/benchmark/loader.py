"""Random crops by a Loader beside the loop of crop_loop.hpp, TensorStore and zarr-python:

  loader.py PROGRAM FOLDER [--crop 64] [--batch 16] [--batches 12] [--repetitions 5] [--threads 2]

PROGRAM is loader.cpp, and FOLDER has the arrays that it wrote. All take turns, with the default cache of the Loader,
one of half of the array, and none. The loop decodes and keeps the same chunks as the Loader. TensorStore has 64 reads
in flight, each into new memory, and a cache pool of as many bytes, or none. zarr-python reads crop by crop. The batches
that fill a cache are not counted. Printed are medians, and medians of the ratios of runs that follow each other, with
the least and the greatest: first of crops a second, then of the time that the processors need for a crop, on which
other programs have less influence."""
import argparse
import collections
import importlib.metadata
import os
import re
import statistics
import subprocess
import time

import numpy as np
import tensorstore
import zarr
import zarr.core.codec_pipeline

arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("program")
arguments.add_argument("folder")
arguments.add_argument("--crop", type=int, default=64)
arguments.add_argument("--batch", type=int, default=16)
arguments.add_argument("--batches", type=int, default=12)
arguments.add_argument("--repetitions", type=int, default=5)
arguments.add_argument("--threads", type=int, default=2)
options = arguments.parse_args()
warm = 6  # batches, as in loader.cpp
fused = hasattr(zarr.core.codec_pipeline, "FusedCodecPipeline")  # of newer versions
zarr_pipeline = f"zarr.core.codec_pipeline.{'Fused' if fused else 'Batched'}CodecPipeline"
usual = 8 * options.batch * options.crop**3 * 4  # bytes: the default of the Loader


def opened(kind, cache):
    driver = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{options.folder}/{kind}/"}}
    context = {
        "cache_pool": {"total_bytes_limit": cache},
        "data_copy_concurrency": {"limit": options.threads},
        "file_io_concurrency": {"limit": 64},
    }
    spec = {**driver, "context": context, "recheck_cached_data": "open", "recheck_cached_metadata": "open"}
    return tensorstore.open(spec, open=True).result()


def measured(take, count):
    """Crops a second, and seconds of the processors for each."""
    start, busy = time.perf_counter(), time.process_time()
    take(count)
    return count / (time.perf_counter() - start), (time.process_time() - busy) / count


def drawn(shape):
    random = np.random.default_rng()
    while True:
        first = [int(random.integers(0, n - options.crop + 1)) for n in shape]
        yield tuple(slice(n, n + options.crop) for n in first)


def by_tensorstore(kind, cache):
    array = opened(kind, cache)
    crops = drawn(array.shape)

    def take(count):
        under_way = collections.deque()
        for _ in range(count):
            under_way.append(array[next(crops)].read())
            if len(under_way) == 64:
                under_way.popleft().result()
        for one in under_way:
            one.result()

    take(warm * options.batch)
    return measured(take, options.batches * options.batch)


def by_zarr(kind):
    workers = {"threading.max_workers": options.threads, "codec_pipeline.max_workers": options.threads}
    zarr.config.set({**workers, "codec_pipeline.path": zarr_pipeline})
    array = zarr.open_array(f"{options.folder}/{kind}", mode="r")
    crops = drawn(array.shape)

    def take(count):
        for _ in range(count):
            array[next(crops)]

    take(2)
    return measured(take, 2 * options.batch)


def by_program(kind, cache, seed):
    numbers = (options.batches, options.crop, options.batch, options.threads, seed)
    command = [options.program, options.folder, kind, cache, *map(str, numbers)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate, decoded, busy, total = map(float, re.findall(r"-?[\d.]+(?=[ )])", output))
    return rate, busy / 1e3, decoded, total


def spread(numbers, digits=2):
    return f"{statistics.median(numbers):.{digits}f} [{min(numbers):.{digits}f}–{max(numbers):.{digits}f}]"


def ratios(mine, others):
    """Of rates, and of processors' time: more is better for those in `mine`."""
    rates = [one[0] / other[0] for one, other in zip(mine, others)]
    times = [other[1] / one[1] for one, other in zip(mine, others)]
    return f"{spread(rates)}, {spread(times)}"


peers = (f"{one} {importlib.metadata.version(one)}" for one in ("tensorstore", "zarr"))
print(*peers, zarr_pipeline, sep=", ", end="\n\n")
columns = ["array", "cache", "crops a second, ms", "decoded", "loop", "TensorStore, same cache", "none", "zarr-python"]
print("| " + " | ".join(columns) + " |")
print("|---" * len(columns) + "|")
for kind in ("zstd", "zstd-shards"):
    half = int(np.prod(opened(kind, 0).shape)) * 4 // 2
    caches = {"default": usual, str(half): half, "0": 0}
    runs = collections.defaultdict(list)
    for seed in range(options.repetitions):
        for name, cache in caches.items():
            runs["Loader", cache].append(by_program(kind, name, seed))
            runs["loop", cache].append(by_program(kind, f"loop:{name}", seed))
            assert runs["Loader", cache][-1][3] == runs["loop", cache][-1][3], "other crops"
            runs["TensorStore", cache].append(by_tensorstore(kind, cache))
        runs["zarr"].append(by_zarr(kind))
    for name, cache in caches.items():
        mine = runs["Loader", cache]
        rate, busy, decoded, _ = map(statistics.median, zip(*mine))
        print(
            f"| {kind} | {name} | {rate:.0f}, {1e3 * busy:.2f} | {decoded:.2f} | {ratios(mine, runs['loop', cache])} "
            f"| {ratios(mine, runs['TensorStore', cache])} | {ratios(mine, runs['TensorStore', 0])} "
            f"| {ratios(mine, runs['zarr'])} |",
            flush=True,
        )
