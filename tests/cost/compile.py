#!/usr/bin/env python3
"""What compiling costs, with -O2, and whether docs/performance.md says so: its tables are the record, this is the gate.

    compile.py COMPILER [--repetitions 1] [--write]

COMPILER is g++, or nvcc, which compiles for one architecture what uses device memory; one unit of that g++ compiles,
too. A unit fails that takes more
memory than its row allows, or a twentieth more or less than its row says: --write puts what was measured into the page.
Seconds are the compiler's processor time, the median of the repetitions. They are the machine's; how many times those of
the unit of json.hpp in the same run they are is the unit's. Some rows are held to that, within two fifths: a first
measurement off by a tenth is followed by two more of both units, and the median of the three counts.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
project = here.parents[1]
page = project / "docs/performance.md"
arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("compiler")
arguments.add_argument("--repetitions", type=int, default=1)
arguments.add_argument("--write", action="store_true")
options = arguments.parse_args()
is_nvcc = Path(options.compiler).name == "nvcc"
tolerance = 1.05
json_unit, held_to_json = "these and `nlohmann/json.hpp`", (
    "`tests/cost/four_types.cpp`", "the first program of README", "the same with `tessera/compiled.hpp`")

standard = ("algorithm array atomic charconv concepts condition_variable cstdint exception functional map memory mutex "
            "optional ranges span string string_view thread tuple variant vector").split()

by_gxx = "the same with `tessera/compiled.cuh`, by g++"


def including(*headers):
    return "".join(f"#include <{header}>\n" for header in headers)


def first_program():
    return re.search(r"```cpp\n(.*?)```", (project / "README.md").read_text(), re.S)[1]


# The text of each unit, by the name that its row has.
if is_nvcc:
    units = {f"`tests/cost/{name}.cu`": (here / f"{name}.cu").read_text() for name in ("device_stores", "device_read")}
    read = re.sub("#include <tessera/.*\n", "", (here / "device_read.cu").read_text())
    units[by_gxx] = including("tessera/compiled.cuh", "tessera/with/zstd.hpp") + read
else:
    units = {
        "21 of the usual standard headers": including(*standard),
        json_unit: including(*standard, "nlohmann/json.hpp"),
        **{f"`tessera/{header}`": including(f"tessera/{header}")
           for header in ("store/local_store.hpp", "pipeline/pipeline.hpp", "with/zstd.hpp", "with/all.hpp",
                          "with/nlohmann_json.hpp", "tessera.hpp")},
        "`tessera/tessera.hpp`, `tessera/with/all.hpp`": including("tessera/tessera.hpp", "tessera/with/all.hpp"),
        "`tests/cost/no_metadata.cpp`": (here / "no_metadata.cpp").read_text(),
        "`tests/cost/four_types.cpp`": (here / "four_types.cpp").read_text(),
        "the first program of README": first_program(),
        "the same with `tessera/compiled.hpp`": first_program().replace("tessera/tessera.hpp", "tessera/compiled.hpp"),
    }


def row(name):
    return re.compile(rf"^\| {re.escape(name)} \| ([\d.]+) \| (\d+) \| (\d*) \|$", re.M)


def record(name):
    """Seconds, MB, and how many MB at most, as the page says."""
    found = row(name).findall(text)
    assert len(found) == 1, f"{page.name} has {len(found)} rows for {name}"
    seconds, megabytes, most = found[0]
    return float(seconds), int(megabytes), most


def differs(one, other, by):
    return not other / by <= one <= other * by


def cost(text, folder, nvcc=is_nvcc):
    """Seconds of the processor, and MB."""
    unit = Path(folder) / ("unit.cu" if nvcc else "unit.cpp")
    unit.write_text(text)
    toolkit = Path(options.compiler).resolve().parents[1]
    compiler, more = options.compiler, []
    if nvcc:
        more = ["-arch=sm_90"]
    elif is_nvcc:
        compiler, more = "g++", ["-isystem", toolkit / "include"]
    process = subprocess.Popen([compiler, "-std=c++20", "-O2", *more, "-I", project / "include", "-c", unit,
                                "-o", f"{folder}/unit.o"])
    _, status, usage = os.wait4(process.pid, 0)  # of the compiler and what it ran
    process.returncode = status
    assert status == 0, "it does not compile"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def times_json(seconds, seconds_of_json, wanted, unit, folder):
    """How many times the seconds of json.hpp's unit are the unit's."""
    measured = [seconds / seconds_of_json]
    if differs(measured[0], wanted, 1.1):
        for _ in range(2):
            seconds_of_json = cost(units[json_unit], folder)[0]
            measured.append(cost(unit, folder)[0] / seconds_of_json)
    return statistics.median(measured)


text = page.read_text()
version = subprocess.run([options.compiler, "--version" if is_nvcc else "-dumpversion"], capture_output=True, text=True,
                         check=True).stdout
version = "nvcc " + re.search(r"release (\d+\.\d+)", version)[1] if is_nvcc else "g++ " + version.split(".")[0].strip()
is_of_page = f"{version}, `-O2`" in text
if not is_of_page:
    print(f"not held to {page.name}: its figures are not of {version}")
problems = []
seconds_of_json = None
with tempfile.TemporaryDirectory() as folder:
    for name, unit in units.items():
        if "nlohmann" in name and not Path("/usr/include/nlohmann/json.hpp").exists():
            print(f"not run: {name} (there is no nlohmann/json.hpp in /usr/include)")
            continue
        taken = [cost(unit, folder, is_nvcc and name != by_gxx) for _ in range(options.repetitions)]
        seconds, megabytes = statistics.median(one[0] for one in taken), max(one[1] for one in taken)
        print(f"{name}: {seconds:.1f} s, {megabytes:.0f} MB", flush=True)
        recorded_seconds, recorded, most = record(name)
        if options.write:
            text = row(name).sub(f"| {name} | {seconds:.1f} | {megabytes:.0f} | {most} |", text)
        elif is_of_page and differs(megabytes, recorded, tolerance):
            problems.append(f"{name} takes {megabytes:.0f} MB, and {page.name} says {recorded}: if that is to be so, "
                            f"write it there with --write")
        if is_of_page and most and megabytes > int(most):
            problems.append(f"{name} takes {megabytes:.0f} MB, at most {most} are wanted")
        if name == json_unit:
            seconds_of_json = seconds
        if name in held_to_json and is_of_page and seconds_of_json and not options.write:
            wanted = recorded_seconds / record(json_unit)[0]
            times = times_json(seconds, seconds_of_json, wanted, unit, folder)
            print(f"    {times:.1f} times the seconds of json.hpp's unit; {page.name} says {wanted:.1f}", flush=True)
            if differs(times, wanted, 1.4):
                problems.append(f"{name} takes {times:.1f} times the seconds of json.hpp's unit, and {page.name} says "
                                f"{wanted:.1f}: if that is to be so, write it there with --write")
if options.write:
    page.write_text(text)
sys.exit("\n".join(problems) or 0)
