"""Random crops beside one read of the whole array, both by the Python module:

  batches.py ARRAY MODULE [--crops 32 64 128] [--batch-bytes 33554432] [--repetitions 7] [--ahead 2] [--cache 1073741824]
             [--bare bare_crops]

ARRAY is a folder, of three dimensions; MODULE is the folder into which the module was installed. Printed is a table: the
rate of `tessera.Loader`, in bytes of elements, over that of a read of the whole array into memory that is there, as the
median and the spread of pairs that follow each other; how many chunks were decoded; and the rates. The first batches, which
decode what later ones find, are a column of their own. With --bare, the program bare_crops.cpp, the rate of a loop that
only copies such crops out of chunks in memory is there too, over that of the whole read before it."""
import argparse
import statistics
import subprocess
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
arguments.add_argument("--bare")
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


def bare(edge):
    """Of an array of uint16, of as many bytes and with the same chunks."""
    size, chunk = array.shape[0], array.chunks[0]
    command = [options.bare, *(str(n) for n in (edge, size, chunk, options.batch_bytes))]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def middle(ratios):
    return f"{statistics.median(ratios):.2f} [{min(ratios):.2f} to {max(ratios):.2f}]"


print("| crop | first | then | bare loop | chunks decoded | whole, GB/s | crops, GB/s |\n|---|---|---|---|---|---|---|")
for edge in options.crops:
    size = max(1, options.batch_bytes // (edge**3 * array.dtype.itemsize))
    many = max(1, memory.nbytes // (edge**3 * array.dtype.itemsize * size))  # about as much as the whole array
    boxes = tessera.UniformBoxes(array.shape, (edge,) * 3)
    with tessera.Loader(array, boxes, batch=size, ahead=options.ahead, cache=options.cache) as batches:

        def crops():
            return sum(np.asarray(next(batches)).nbytes for _ in range(many))

        whole()
        first = rate_of(crops) / rate_of(whole)
        rates = [(rate_of(whole), rate_of(crops), bare(edge) if options.bare else 0) for _ in range(options.repetitions)]
        wholes, mine, loops = zip(*rates)
        print(
            f"| {edge}^3 | {first:.2f} | {middle([m / w for m, w in zip(mine, wholes)])} "
            f"| {middle([b / w for b, w in zip(loops, wholes)]) if options.bare else '-'} | {batches.statistics().decoded} "
            f"| {statistics.median(wholes) / 1e9:.2f} | {statistics.median(mine) / 1e9:.2f} |",
            flush=True,
        )
