"""Random crops by a Loader beside the loop of crop_loop.hpp, TensorStore and zarr-python:

  loader.py PROGRAM FOLDER [--short] [--size 512] [--arrays zstd zstd-shards ...] [--crops 32 64 128]
            [--orders uniform shuffled] [--together 4] [--batches 12] [--repetitions 5] [--threads 2]

PROGRAM is loader.cpp, which writes arrays of SIZE^3 into FOLDER/SIZE, if they are missing: FOLDER is best in memory.
The whole table takes hours; --short, in minutes, has arrays of 256^3, every codec and layout once, and of zstd each
crop and order once, with fewer batches and repetitions.

All take turns, with a cache of half of the array, and without one. A batch has 16 crops, of 128^3 four. The Loader
reads TOGETHER batches at once: with four it has as many crops under way as TensorStore, which has 64 reads in flight,
each into new memory, and a cache pool of as many bytes, or none; its zarr3 driver lacks lz4. The loop decodes and keeps the
same chunks as the Loader; it reads whole chunks also of raw arrays. zarr-python reads crop by crop. The batches that
fill a cache are not counted. Printed are medians, and medians of the ratios of runs that follow each other, with the
least and the greatest: first of crops a second, then of the time that the processors need for a crop, on which other
programs have less influence. Above 1 the Loader is better."""
import argparse
import collections
import importlib.metadata
import itertools
import os
import re
import statistics
import subprocess
import time

import numpy as np
import tensorstore
import zarr
import zarr.core.codec_pipeline

codecs = ("raw", "lz4", "blosc", "zstd")
every = [codec + layout for codec in codecs for layout in ("", "-shards")]
arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("program")
arguments.add_argument("folder")
arguments.add_argument("--short", action="store_true")
arguments.add_argument("--size", type=int)
arguments.add_argument("--arrays", nargs="+", default=every)
arguments.add_argument("--crops", nargs="+", type=int, default=[32, 64, 128])
arguments.add_argument("--orders", nargs="+", default=["uniform", "shuffled"])
arguments.add_argument("--together", type=int, default=4)
arguments.add_argument("--batches", type=int)
arguments.add_argument("--repetitions", type=int)
arguments.add_argument("--threads", type=int, default=2)
options = arguments.parse_args()
size = options.size or (256 if options.short else 512)
batches = options.batches or (8 if options.short else 12)
repetitions = options.repetitions or (3 if options.short else 5)
folder = f"{options.folder}/{size}"
cache = size**3 * 4 // 2  # bytes
warm = 8  # batches, as in loader.cpp
fused = hasattr(zarr.core.codec_pipeline, "FusedCodecPipeline")  # of newer versions
zarr_pipeline = f"zarr.core.codec_pipeline.{'Fused' if fused else 'Batched'}CodecPipeline"


def batch_of(crop):
    return 16 if crop < 128 else 4


def opened(kind, kept):
    driver = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{folder}/{kind}/"}}
    context = {
        "cache_pool": {"total_bytes_limit": kept},
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


def drawn(crop, order):
    random = np.random.default_rng()
    while True:
        if order == "uniform":
            firsts = [random.integers(0, size - crop + 1, 3)]
        else:
            firsts = random.permutation(list(np.ndindex((size // crop,) * 3))) * crop
        for first in firsts:
            yield tuple(slice(int(n), int(n) + crop) for n in first)


def by_tensorstore(kind, crop, order, kept):
    array = opened(kind, kept)
    crops = drawn(crop, order)

    def take(count):
        under_way = collections.deque()
        for _ in range(count):
            under_way.append(array[next(crops)].read())
            if len(under_way) == 64:
                under_way.popleft().result()
        for one in under_way:
            one.result()

    take(warm * batch_of(crop))
    return measured(take, batches * batch_of(crop))


def by_zarr(kind, crop, order):
    workers = {"threading.max_workers": options.threads, "codec_pipeline.max_workers": options.threads}
    zarr.config.set({**workers, "codec_pipeline.path": zarr_pipeline})
    array = zarr.open_array(f"{folder}/{kind}", mode="r")
    crops = drawn(crop, order)

    def take(count):
        for _ in range(count):
            array[next(crops)]

    take(2)
    return measured(take, batch_of(crop))


def by_program(kind, crop, order, way, seed):
    numbers = (batches, crop, batch_of(crop), options.threads, seed)
    command = [options.program, folder, kind, way, *map(str, numbers), order, str(options.together)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate, decoded, busy, total = map(float, re.findall(r"-?[\d.]+(?=[ )])", output))
    return rate, busy / 1e3, decoded, total


def spread(numbers, digits=2):
    return f"{statistics.median(numbers):.{digits}f} [{min(numbers):.{digits}f}–{max(numbers):.{digits}f}]"


def ratios(mine, others):
    """Of rates, and of processors' time: more is better for those in `mine`."""
    if not others:
        return "-"
    rates = [one[0] / other[0] for one, other in zip(mine, others)]
    times = [other[1] / one[1] for one, other in zip(mine, others)]
    return f"{spread(rates)}, {spread(times)}"


def rows():
    if not options.short:
        return list(itertools.product(options.arrays, options.crops, options.orders))
    return [(kind, 64, "uniform") for kind in every] + [
        ("zstd", 32, "uniform"),
        ("zstd", 128, "uniform"),
        ("zstd", 64, "shuffled"),
        ("raw", 32, "uniform"),
    ]


if not os.path.exists(f"{folder}/zstd-shards/zarr.json"):
    os.makedirs(folder, exist_ok=True)
    subprocess.run([options.program, folder, "write", str(size)], check=True)
peers = (f"{one} {importlib.metadata.version(one)}" for one in ("tensorstore", "zarr"))
print(*peers, zarr_pipeline, f"arrays of {size}^3", sep=", ", end="\n\n")
columns = ["array", "crops", "cache", "crops a second, ms", "decoded", "loop", "TensorStore", "zarr-python"]
print("| " + " | ".join(columns) + " |")
print("|---" * len(columns) + "|")
for kind, crop, order in rows():
    runs = collections.defaultdict(list)
    for seed in range(repetitions):
        for kept in (cache, 0):
            runs["Loader", kept].append(by_program(kind, crop, order, str(kept), seed))
            runs["loop", kept].append(by_program(kind, crop, order, f"loop:{kept}", seed))
            assert runs["Loader", kept][-1][3] == runs["loop", kept][-1][3], "other crops"
            if not kind.startswith("lz4"):
                runs["TensorStore", kept].append(by_tensorstore(kind, crop, order, kept))
        runs["zarr"].append(by_zarr(kind, crop, order))
    for kept in (cache, 0):
        mine = runs["Loader", kept]
        rate, busy, decoded, _ = map(statistics.median, zip(*mine))
        print(
            f"| {kind} | {crop}^3, {order} | {kept >> 20} MiB | {rate:.0f}, {1e3 * busy:.2f} | {decoded:.2f} "
            f"| {ratios(mine, runs['loop', kept])} | {ratios(mine, runs['TensorStore', kept])} "
            f"| {ratios(mine, runs['zarr'])} |",
            flush=True,
        )
