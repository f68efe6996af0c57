#!/usr/bin/env python3
"""tessera beside loops written by hand and beside other libraries:

  run.py FOLDER [--size 1024] [--only NAME...] [--repetitions 9] [--threads 2] [--cold] [--results FILE]
         [--bin build/release/bin] [--environment build/interop-venv]

FOLDER holds the arrays, which make_arrays.py makes there first if they are missing, and takes what is written: about 9 GB
at size 1024, and as much memory; a smaller SIZE (a multiple of 256) is for a try. --only: works whose names begin so;
works.py has them. --bin has the programs loops, measure and bare_loop, and libzarr if it was built; --environment the
other libraries, as tests/run.sh makes it. --cold: before each repetition what is read leaves the page cache, where the system lets it.

In a repetition each program runs in a process of its own, interleaved: the loop, tessera, the loop again, libzarr, the
peers. It does the work once (`warm_ups` in works.py), so that everything is in place, and once more, which counts. All must have read the same.

Written are FILE.json (every figure), FILE.md (tables) and two pictures, FILE.svg and FILE-chunks.svg."""
import argparse
import os
import platform
import random
import shutil
import subprocess
import sys
from pathlib import Path

import report
from works import works_at

here = Path(__file__).resolve().parent
project = here.parents[1]
arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("folder", type=Path)
arguments.add_argument("--size", type=int, default=1024)
arguments.add_argument("--only", nargs="+", default=[""])
arguments.add_argument("--repetitions", type=int, default=9)
arguments.add_argument("--threads", type=int, default=2)
arguments.add_argument("--cold", action="store_true")
arguments.add_argument("--results", type=Path, default=project / "build/benchmark")
arguments.add_argument("--bin", type=Path, default=project / "build/release/bin")
arguments.add_argument("--environment", type=Path, default=project / "build/interop-venv")
options = arguments.parse_args()
if options.size % 256:
    sys.exit("--size is a multiple of 256")
python = options.environment / "bin/python"
has_peers, has_libzarr = python.exists(), (options.bin / "libzarr").exists()
written, picks = options.folder / "written.zarr", options.folder / "picks.txt"


def bare_loop():
    """bare_loop.cpp unchanged; for another size with that one number changed."""
    if options.size == 1024:
        return options.bin / "bare_loop"
    source, program = options.folder / "bare_loop.cpp", options.folder / "bare_loop"
    text, size = (here / "bare_loop.cpp").read_text(), "N = 1024,"
    assert text.count(size) == 1
    source.write_text(text.replace(size, f"N = {options.size},"))
    subprocess.run(["c++", "-O3", "-std=c++20", source, "-o", program, "-lzstd", "-pthread"], check=True)
    return program


def run(command, repetitions):
    """Seconds of the last repetition, peak memory in MB, and the output."""
    process = subprocess.Popen([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {errors or output}")
    words = output.split()
    read = words[words.index("sum") + 1] if "sum" in words else None
    return float(words[repetitions - 1]), usage.ru_maxrss / 1000, read


def programs(work):
    """Name -> command without the number of repetitions, in the order of a round."""
    size = work.grid * 16 or options.size
    path = options.folder / f"{work.array}.zarr" if work.array else written
    threads = work.threads or options.threads
    more = [picks if work.more == "picks" else work.more] if work.more else []

    def of(*program):
        return lambda repetitions: [*program, work.action, work.kind, size, threads, repetitions, path, *more]

    def bare(repetitions):
        inner = work.kind[5:] if work.kind.startswith("shard") else 64
        return [bare_program, path, "shards" if work.kind.startswith("shard") else work.kind, inner, threads, repetitions]

    by_hand = of(options.bin / "loops")
    result = {"loop": bare if work.is_bare else by_hand, "tessera": of(options.bin / "measure")}
    result["loop again"] = result["loop"]
    if work.is_bare:
        result["loop, scratch kept"] = by_hand
    if work.grid:
        result["loop, placed"] = lambda repetitions: [*by_hand(repetitions), "placed"]
    if has_libzarr and work.is_libzarrs:
        result["libzarr"] = of(options.bin / "libzarr")
    if has_peers:
        result |= {peer: of(python, here / "peers.py", peer) for peer in work.peers}
    return result


def read_ahead(folder):
    piece = bytearray(1 << 20)  # a child process counts this one's peak of memory as its own
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.readinto(piece):
                    pass


def evict(folder):
    """Evicts the files from the page cache; False: the system keeps them."""
    gone = True
    for file in (file for file in folder.rglob("*") if file.is_file()):
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        try:
            gone = gone and os.preadv(descriptor, [bytearray(1)], 0, os.RWF_NOWAIT) == 0
        except BlockingIOError:
            pass
        os.close(descriptor)
    return gone


def measure(work):
    commands = programs(work)
    array = options.folder / f"{work.array}.zarr" if work.array else None
    repetitions = 1 if options.cold else work.warm_ups + 1  # they would warm the cache
    if options.cold and not evict(array):
        return None
    if array and not options.cold:
        read_ahead(array)
    taken = {name: {"seconds": [], "memory": []} for name in commands}
    for _ in range(options.repetitions):
        reads = set()
        for name, command in commands.items():
            shutil.rmtree(written, ignore_errors=True)
            if options.cold:
                evict(array)
            seconds, memory, read = run(command(repetitions), repetitions)
            taken[name]["seconds"].append(seconds)
            taken[name]["memory"].append(memory)
            reads |= {read} - {None}
        if len(reads) > 1:
            sys.exit(f"{work.name}: not all have read the same")
    return taken


def draw_picks(across):
    """1,024 inner chunks: 16, 8 and 8 places along the axes, and an order; fewer in small arrays."""
    draw = random.Random(1)
    places = [draw.sample(range(across), min(most, across)) for most in (16, 8, 8)]
    order = list(range(len(places[0]) * len(places[1]) * len(places[2])))
    draw.shuffle(order)
    picks.write_text("".join(" ".join(map(str, line)) + "\n" for line in [*places, order]))


works = [work for work in works_at(options.size) if work.name.startswith(tuple(options.only))]
if options.cold:
    works = [work for work in works if work.array and work.action != "open"]
options.folder.mkdir(parents=True, exist_ok=True)
for program in [options.bin / name for name in ("measure", "loops", "bare_loop")]:
    if not program.exists():
        sys.exit(f"{program} is missing: cmake --preset release && cmake --build --preset release --target {program.name}")
if not has_peers:
    print(f"not run: the peers, for there is no {python} (tests/run.sh makes it)")
if not has_libzarr:
    print(f"not run: libzarr, for there is no {options.bin / 'libzarr'} (docs/performance.md says how it is built)")
needed = dict.fromkeys(work.array for work in works if work.array)
size_file = options.folder / "size.txt"
if not size_file.exists() or size_file.read_text() != str(options.size):
    for name in needed:
        shutil.rmtree(options.folder / f"{name}.zarr", ignore_errors=True)
    size_file.write_text(str(options.size))
missing = [name for name in needed
           if not any((options.folder / f"{name}.zarr" / document).exists() for document in ("zarr.json", ".zarray"))]
if missing:
    print("making", *missing, flush=True)
    subprocess.run([python, here / "make_arrays.py", options.folder, *missing, "--size", str(options.size)], check=True,
                   stdout=subprocess.DEVNULL)
draw_picks(options.size // 32)
bare_program = bare_loop()

about = {"size": options.size, "threads": options.threads, "repetitions": options.repetitions, "cold": options.cold,
         "processors": os.cpu_count(), "machine": platform.machine(), "system": platform.platform()}
options.results.parent.mkdir(parents=True, exist_ok=True)
results = []


for work in works:
    taken = measure(work)
    if taken is None:
        print(f"not run: {work.name} with a cold cache, for the system keeps the pages", flush=True)
        continue
    results.append(report.Result(work, taken))
    print(results[-1].line(), flush=True)
    report.write(options.results, about, results)  # after each: an early end keeps the results so far
shutil.rmtree(written, ignore_errors=True)
print(f"written: {options.results}.json, .md, .svg and -chunks.svg")
sys.exit(0 if all(result.is_good() for result in results) else 1)
