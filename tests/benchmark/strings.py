#!/usr/bin/env python3
"""Strings of 16 bytes on average, read and written by tessera and by zarr-python: strings.py PROGRAM FOLDER [N]
[THREADS]

PROGRAM is built from strings.cpp. N strings (2^20), a multiple of 64, in 64 chunks of vlen-utf8 and zstd; both programs
take turns, and for each the fastest of five rounds counts, including opening the array. The Python package of zarrs has
no strings, nor has TensorStore."""
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import zarr

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
N = int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 20
THREADS = int(sys.argv[4]) if len(sys.argv) > 4 else 2
ROUNDS = 5
PATH = str(FOLDER / "strings.zarr")


def strings():
    """Of 0 to 32 letters."""
    random = np.random.default_rng(1)
    letters = random.integers(97, 123, 40 * N, dtype="u1").tobytes().decode()
    lengths, starts = random.integers(0, 33, N), random.integers(0, 39 * N, N)
    return np.array([letters[a : a + n] for a, n in zip(starts, lengths)], dtype=np.dtypes.StringDType())


def create(path):
    return zarr.create_array(path, shape=(N,), chunks=(N // 64,), dtype="string", overwrite=True,
                             compressors={"name": "zstd", "configuration": {"level": 0, "checksum": False}})


def of_tessera(action):
    done = subprocess.run([PROGRAM, action, str(N), PATH, str(THREADS), "1"], check=True, text=True, stdout=subprocess.PIPE)
    seconds, total = done.stdout.split()
    return float(seconds), int(total)


def of_zarr_python(action):
    begin = time.perf_counter()
    if action == "read":
        found = zarr.open_array(PATH, mode="r")[...]
    else:
        create(PATH + "-zarr-python")[...] = found = elements
    return time.perf_counter() - begin, int(np.strings.str_len(found).sum())


zarr.config.set({"threading.max_workers": THREADS, "async.concurrency": THREADS})
elements = strings()
create(PATH)[...] = elements
for action in ("read", "write"):
    best = {}
    for _ in range(ROUNDS):
        for name, measure in (("tessera", of_tessera), ("zarr-python", of_zarr_python)):
            seconds, total = measure(action)
            assert total == int(np.strings.str_len(elements).sum()), (name, total)
            best[name] = min(best.get(name, seconds), seconds)
    print(f"{action} {N} strings, {THREADS} threads: tessera {best['tessera']:.4f} s, zarr-python {best['zarr-python']:.4f} s, "
          f"ratio {best['zarr-python'] / best['tessera']:.1f}", flush=True)
written = zarr.open_array(PATH + "-tessera", mode="r")[...]
assert (written == elements).all()
