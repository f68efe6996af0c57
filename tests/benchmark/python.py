#!/usr/bin/env python3
"""tessera from Python beside tessera from C++, and beside other libraries from Python:

  python.py FOLDER MODULE [--size 512] [--repetitions 5] [--threads 2] [--bin build/release/bin]
            [--environment build/rectilinear-venv]

FOLDER takes the arrays, which make_arrays.py makes. MODULE is the folder into which the Python module was installed, with
the interpreter of --environment, which has the other libraries: TensorStore, zarrs, and a zarr-python that has its fused
pipeline. Needs the program `measure` in --bin. Printed is a table:
seconds of the C++ program, and what each of the others takes of that, as the median and the spread of the ratios of one
repetition. In a repetition each runs in a process of its own, does the work once, and once more, which counts; all must
have read the same. The module's queue has a thread per processor, whatever --threads is."""
import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
project = here.parents[1]
arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("folder", type=Path)
arguments.add_argument("module", type=Path)
arguments.add_argument("--size", type=int, default=512)
arguments.add_argument("--repetitions", type=int, default=5)
arguments.add_argument("--threads", type=int, default=2)
arguments.add_argument("--bin", type=Path, default=project / "build/release/bin")
arguments.add_argument("--environment", type=Path, default=project / "build/rectilinear-venv")
options = arguments.parse_args()
python = options.environment / "bin/python"
variables = os.environ | {"PYTHONPATH": str(options.module.absolute())}

KINDS = ["raw", "zstd", "shard64", "brain-zstd"]
WORKS = [*(("read", kind) for kind in KINDS), ("new", "zstd"), ("slab", "zstd"), ("slab", "shard64"), ("small", "small"),
         *(("round-trip", kind) for kind in ("raw", "zstd", "shard64"))]
PEERS = ["module", "pipeline", "zarrs", "tensorstore", "fused", "zarr-python"]
SMALL = """
import sys, numpy, zarr
array = zarr.create_array(sys.argv[1], shape=(64,) * 3, chunks=(16,) * 3, dtype="uint16", compressors=None)
array[...] = numpy.arange(64**3).reshape((64,) * 3) % 65521
"""


def make_arrays():
    missing = [kind for kind in KINDS if not (options.folder / f"{kind}.zarr").exists()]
    if missing:
        subprocess.run([python, here / "make_arrays.py", options.folder, *missing, "--size", str(options.size)], check=True)
    if not (options.folder / "small.zarr").exists():
        subprocess.run([python, "-c", SMALL, options.folder / "small.zarr"], check=True)


def run(action, kind, program):
    """Seconds of the second read, and its elements."""
    where = ["written.zarr", "no-fsync"] if action == "round-trip" else [f"{kind}.zarr"]
    command = [*program, action, kind, options.size, options.threads, 2, options.folder / where[0], *where[1:]]
    ended = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=variables)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {ended.stderr}")
    words = ended.stdout.split()
    return float(words[1]), words[-1]


def duration(seconds):
    return f"{seconds:.3f} s" if seconds > 0.01 else f"{seconds * 1e6:.1f} µs"


make_arrays()
programs = {"C++": [options.bin / "measure"]} | {peer: [python, here / "peers.py", peer] for peer in PEERS}
print("| work | C++ |", " | ".join(PEERS), "|\n|---|---|" + "---|" * len(PEERS))
for action, kind in WORKS:
    taken = {name: [] for name in programs}
    for _ in range(options.repetitions):
        results = {name: run(action, kind, program) for name, program in programs.items()}
        if len({read for _, read in results.values()}) > 1:
            sys.exit(f"{action} {kind}: not all have read the same: {results}")
        for name, (seconds, _) in results.items():
            taken[name].append(seconds)
    cells = [duration(statistics.median(taken["C++"]))]
    for peer in PEERS:
        ratios = [theirs / cpp for theirs, cpp in zip(taken[peer], taken["C++"])]
        cells.append(f"{statistics.median(taken[peer]) / statistics.median(taken['C++']):.2f} [{min(ratios):.2f} to {max(ratios):.2f}]")
        if action == "small":
            cells[-1] += f", {duration(statistics.median(taken[peer]))}"
    print(f"| {action} {kind} | {' | '.join(cells)} |", flush=True)
