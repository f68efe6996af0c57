#!/usr/bin/env python3
"""tessera beside loops written by hand and beside other programs: run.py BIN FOLDER [ENVIRONMENT] [--rounds 9] [--peers 3]
[--only read|write|place] [--kind raw|zstd]

BIN has the programs (build/release/bin). FOLDER holds the arrays, which make_arrays.py makes there first if they are
missing, and takes what is written: about 7 GB. ENVIRONMENT is a Python environment as tests/run.sh makes it
(build/interop-venv): it makes the arrays, and has the other programs.

A round runs, each in a process of its own with two threads and its memory mapped before: the loop, tessera, the loop
again, and in the first rounds the peers. So the pair of loops and tessera see the same machine. Printed are medians,
the least and the most, and tessera's ratio to the larger median of the pair. Placing alone, transposed and swapped, is
what the program `transposed` measures."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("bin", type=Path)
arguments.add_argument("folder", type=Path)
arguments.add_argument("environment", type=Path, nargs="?")
arguments.add_argument("--rounds", type=int, default=9)
arguments.add_argument("--peers", type=int, default=3)
arguments.add_argument("--only", choices=["read", "write", "place"])
arguments.add_argument("--kind", choices=["raw", "zstd"])
options = arguments.parse_args()
here = Path(__file__).parent
python = options.environment / "bin/python" if options.environment else Path(sys.executable)
limit = 1.10


def seconds(*command):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return float(done.stdout.split()[0])


def warm(folder):
    """Every chunk is in the page cache."""
    for chunk in folder.rglob("*"):
        if chunk.is_file():
            chunk.read_bytes()


def rivals(action, kind):
    """Name -> a function that runs it once and gives its seconds; the peers by themselves."""
    array, made = options.folder / f"{kind}.zarr", options.folder / "written.zarr"

    def fresh(*command):
        shutil.rmtree(made, ignore_errors=True)
        return seconds(*command)

    if action == "read":
        loop = lambda: seconds(options.bin / "bare_loop", array, kind, 64, 2, 1)
        tessera = lambda: seconds(options.bin / "volume", "read", array, 2, 1)
        peer = lambda name: lambda: seconds(python, here / "peers.py", name, "read", array)
    else:
        loop = lambda: fresh(options.bin / "bare_write_loop", kind, made, 2, 1)
        tessera = lambda: fresh(options.bin / "volume", "write", kind, made, 2, 1)
        peer = lambda name: lambda: fresh(python, here / "peers.py", name, "write", kind, made)
    peers = {}
    if options.environment:
        for name in ("zarrs", "tensorstore", "zarr-python"):
            peers[name] = peer(name)
    return {"loop": loop, "tessera": tessera, "loop again": loop}, peers


def measure(action, kind):
    ours, peers = rivals(action, kind)
    taken = {name: [] for name in [*ours, *peers]}
    for round in range(options.rounds):
        for name, run in {**ours, **(peers if round < options.peers else {})}.items():
            taken[name].append(run())
    medians = {name: statistics.median(times) for name, times in taken.items() if times}
    larger = max(medians["loop"], medians["loop again"])
    print(f"{action} {kind}: {options.rounds} rounds, {os.cpu_count()} processors")
    for name, median in medians.items():
        print(f"  {name:12} {median:7.3f} s [{min(taken[name]):.3f} to {max(taken[name]):.3f}]  {median / larger:5.2f}")
    ratio = medians["tessera"] / larger
    good = ratio <= limit
    print(f"  tessera is {ratio:.3f} of the larger of the pair, at most {limit:.2f}: {'yes' if good else 'NO'}", flush=True)
    return good


results = []
if options.only in (None, "place"):
    results.append(subprocess.run([options.bin / "transposed", str(options.rounds)]).returncode == 0)
if options.only == "place":
    sys.exit(0 if all(results) else 1)
missing = [kind for kind in ("raw", "zstd") if not (options.folder / f"{kind}.zarr" / "zarr.json").exists()]
if missing:
    subprocess.run([python, here / "make_arrays.py", options.folder, *missing], check=True, stdout=subprocess.DEVNULL)
for action in ("read", "write"):
    if options.only in (None, action):
        for kind in [options.kind] if options.kind else ["raw", "zstd"]:
            if action == "read":
                warm(options.folder / f"{kind}.zarr")
            results.append(measure(action, kind))
shutil.rmtree(options.folder / "written.zarr", ignore_errors=True)
sys.exit(0 if all(results) else 1)
