"""Random crops beside one read of the whole array, both by the Python module:

  batches.py ARRAY MODULE [--crops 32 64 128] [--batch-bytes 33554432] [--repetitions 7] [--ahead 2] [--cache 1073741824]

ARRAY is a folder, of three dimensions; MODULE is the folder into which the module was installed. Printed is a table: the
rate of `tessera.batches`, in bytes of elements, over that of a read of the whole array into memory that is there, as the
median and the spread of pairs that follow each other; how many chunks were decoded; and the rates. The first batches, which
decode what later ones find, are a column of their own."""
import argparse
import statistics
import sys
import time

import numpy as np

arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("array")
arguments.add_argument("module")
arguments.add_argument("--crops", type=int, nargs="*", default=[32, 64, 128])
arguments.add_argument("--batch-bytes", type=int, default=32 << 20)
arguments.add_argument("--repetitions", type=int, default=7)
arguments.add_argument("--ahead", type=int, default=2)
arguments.add_argument("--cache", type=int, default=1 << 30)
options = arguments.parse_args()
sys.path.insert(0, options.module)
import tessera  # noqa: E402

array = tessera.open(options.array)
memory = np.asarray(array.empty())
memory.fill(0)


def rate_of(work):
    start = time.perf_counter()
    return work() / (time.perf_counter() - start)


def whole():
    array.read(out=memory)
    return memory.nbytes


print("| crop | first | then | chunks decoded | whole, GB/s | crops, GB/s |\n|---|---|---|---|---|---|")
for edge in options.crops:
    size = max(1, options.batch_bytes // (edge**3 * array.dtype.itemsize))
    many = max(1, memory.nbytes // (edge**3 * array.dtype.itemsize * size))  # about as much as the whole array
    with tessera.batches(array, (edge,) * 3, size, seed=0, ahead=options.ahead, cache=options.cache) as batches:

        def crops():
            return sum(next(batches).nbytes for _ in range(many))

        whole()
        first = rate_of(crops) / rate_of(whole)
        wholes, rates = zip(*[(rate_of(whole), rate_of(crops)) for _ in range(options.repetitions)])
        ratios = [mine / other for mine, other in zip(rates, wholes)]
        print(
            f"| {edge}^3 | {first:.2f} | {statistics.median(ratios):.2f} [{min(ratios):.2f} to {max(ratios):.2f}] "
            f"| {batches.decoded} | {statistics.median(wholes) / 1e9:.2f} | {statistics.median(rates) / 1e9:.2f} |",
            flush=True,
        )
