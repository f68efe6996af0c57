#!/usr/bin/env python3
"""What compiling costs: prints seconds and memory of the units beside this file, with -O2, and fails if one takes over a
tenth more memory than is written here. Seconds are printed only: they are the machine's.

    compile.py COMPILER [REPETITIONS]

COMPILER is g++, or nvcc, which compiles for one architecture what uses device memory.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
compiler = sys.argv[1]
repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 3
if pathlib.Path(compiler).name == "nvcc":
    options = ["-arch=sm_90"]
    recorded = {"device_stores": 536, "device_read": 867}  # MB, of nvcc 13.0 with g++ 12
    bounds = {"device_stores": 600, "device_read": 900}  # MB that no change may pass
else:
    options = []
    recorded = {"json": None, "four_types": 600, "no_metadata": 271}  # MB, of g++ 12
    bounds = {"four_types": 630, "no_metadata": 300}


def cost(name, folder):
    """Seconds of the processor, and MB."""
    source, = here.glob(f"{name}.c*")
    command = [compiler, "-std=c++20", "-O2", *options, "-I", here.parents[1] / "include", "-c", source, "-o", f"{folder}/{name}.o"]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)  # of the compiler and what it ran
    process.returncode = status
    assert status == 0, f"{source.name} does not compile"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


names = list(recorded)
if "json" in names and not pathlib.Path("/usr/include/nlohmann/json.hpp").exists():
    print("not run: json.cpp (there is no nlohmann/json.hpp in /usr/include), so no ratio")
    names.remove("json")
results = {name: [] for name in names}
with tempfile.TemporaryDirectory() as folder:
    for _ in range(repetitions):
        for name in names:
            results[name].append(cost(name, folder))
seconds = {name: statistics.median(one[0] for one in results[name]) for name in names}
megabytes = {name: max(one[1] for one in results[name]) for name in names}
problems = []
for name in names:
    ratio = f", {seconds[name] / seconds['json']:.2f} times json" if "json" in names else ""
    print(f"{name}: {seconds[name]:.2f} s{ratio}, {megabytes[name]:.0f} MB")
    if recorded[name] and megabytes[name] > min(1.1 * recorded[name], bounds[name]):
        problems.append(f"{name} takes {megabytes[name]:.0f} MB, {recorded[name]} when it was last looked at")
sys.exit("\n".join(problems) or 0)
