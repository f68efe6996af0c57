#!/usr/bin/env python3
"""What compiling costs, with -O2, and whether docs/performance.md says so: its tables are the record, this is the gate.

    compile.py COMPILER [--repetitions 1] [--write] [--memory]

COMPILER is g++, or nvcc, which compiles for one architecture what uses device memory; one unit of that g++ compiles,
too. A unit fails that takes more
memory than its row allows, or a twentieth more or less than its row says: --write puts what was measured into the page.
Seconds are the compiler's processor time, the median of the repetitions. They depend on the machine; their ratio to those
of json.hpp's unit in the same run depends on the unit. Some rows are held to that ratio, within a half: the same unit
took 11.2 and 16.3 times json.hpp's in two runs. A first measurement off by a tenth is followed by two
more of both units, and the median of the three counts. --memory checks no seconds: memory does not change beside other
programs, and seconds do. The tests check memory; run the whole script on an idle machine.

Units of other libraries are measured in the same run, for scale, and not held to their rows. If a unit's header is
missing, the script says so and goes on. On Debian 12: apt install libeigen3-dev libfmt-dev libboost1.81-dev; where the
release's libboost-dev is 1.75 or newer, that. Thrust is in the CUDA toolkit.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

here = Path(__file__).resolve().parent
project = here.parents[1]
page = project / "docs/performance.md"
arguments = argparse.ArgumentParser(usage=__doc__)
arguments.add_argument("compiler")
arguments.add_argument("--repetitions", type=int, default=1)
arguments.add_argument("--write", action="store_true")
arguments.add_argument("--memory", action="store_true")
options = arguments.parse_args()
is_nvcc = Path(options.compiler).name == "nvcc"
tolerance = 1.05
json_unit, held_to_json = "these and `nlohmann/json.hpp`", (
    "`tests/cost/four_types.cpp`", "the first program of README", "the same with `tessera::compiled`")

standard = ("algorithm array atomic charconv concepts condition_variable cstdint exception functional map memory mutex "
            "optional ranges span string string_view thread tuple variant vector").split()

separate, separate_cuda = "#define TESSERA_SEPARATE\n", "#define TESSERA_SEPARATE_CUDA\n"
precompiled = "precompiled.hpp"  # the name of the unit that makes the precompiled header


@dataclass
class Unit:
    text: str
    flags: tuple = ()  # after -O2
    by_nvcc: bool = is_nvcc
    precompiles: bool = False  # it makes the precompiled header, for the units after it
    needs: str = ""  # a header that a machine may lack
    cure: str = ""  # how to install it
    is_held: bool = True  # into its row


def including(*headers):
    return "".join(f"#include <{header}>\n" for header in headers)


def first_program():
    return re.search(r"```cpp\n(.*?)```", (project / "README.md").read_text(), re.S)[1]


def program(name, *flags, before="", **more):
    return Unit(before + (here / name).read_text(), flags, **more)


# Each unit, by the name that its row has.
if is_nvcc:
    read = re.sub("#include <tessera/.*\n", "", (here / "device_read.cu").read_text())
    whole = separate + separate_cuda + including("tessera/tessera.cuh", "tessera/with/zstd.hpp") + read
    units = {
        **{f"`tests/cost/{name}.cu`": program(f"{name}.cu") for name in ("device_stores", "device_read")},
        "the same with `tessera::compiled_cuda`": Unit(whole),
        "the same with `tessera::compiled_cuda`, by g++": Unit(whole, by_nvcc=False),
        "an empty `main`": Unit("int main() {}\n", is_held=False),
        "Thrust: a sort (`tests/cost/thrust_sort.cu`)":
            program("thrust_sort.cu", needs="thrust/sort.h", cure="install the CUDA toolkit", is_held=False),
    }
else:
    json = dict(needs="nlohmann/json.hpp", cure="apt install nlohmann-json3-dev")
    eigen = dict(needs="Eigen/LU", cure="apt install libeigen3-dev", is_held=False)
    fmt = dict(needs="fmt/format.h", cure="apt install libfmt-dev", is_held=False)
    boost = dict(needs="boost/json/src.hpp", cure="apt install libboost1.81-dev", is_held=False)
    units = {
        "21 of the usual standard headers": Unit(including(*standard)),
        json_unit: Unit(including(*standard, "nlohmann/json.hpp"), **json),
        **{f"`tessera/{header}`": Unit(including(f"tessera/{header}"), **(json if "nlohmann" in header else {}))
           for header in ("store/local_store.hpp", "pipeline/pipeline.hpp", "with/zstd.hpp", "with/all.hpp",
                          "with/nlohmann_json.hpp", "tessera.hpp")},
        "`tessera/tessera.hpp`, `tessera/with/all.hpp`": Unit(including("tessera/tessera.hpp", "tessera/with/all.hpp")),
        "`tests/cost/no_metadata.cpp`": program("no_metadata.cpp"),
        "`tests/cost/four_types.cpp`": program("four_types.cpp"),
        "four_types.cpp with `tessera::compiled`": program("four_types.cpp", before=separate),
        "`tests/cost/seventy_lines.cpp` with `tessera::compiled`: two formats, shards, attributes, groups":
            program("seventy_lines.cpp", before=separate),
        "`tests/cost/own_parts.cpp`, a store and a codec of your own, with `tessera::compiled`":
            program("own_parts.cpp", before=separate),
        "`tessera/src.hpp`": Unit(including("tessera/src.hpp")),
        "the first program of README": Unit(first_program()),
        "the same with `-Og`": Unit(first_program(), ("-Og",)),
        "the same with `tessera::compiled`": Unit(separate + first_program()),
        "the same with `tessera::compiled` and `-Og`": Unit(separate + first_program(), ("-Og",)),
        "`tessera/tessera.hpp` as a precompiled header, with `tessera::compiled`":
            Unit(separate + including("tessera/tessera.hpp"), precompiles=True),
        "the first program with `tessera::compiled` and this header":
            Unit(first_program(), ("-include", precompiled, "-Werror=invalid-pch")),
        "Eigen: LU of a matrix (`tests/cost/eigen_lu.cpp`)":
            program("eigen_lu.cpp", "-isystem", "/usr/include/eigen3", **eigen),
        "{fmt}, header-only: `tests/cost/fmt_lines.cpp`":
            program("fmt_lines.cpp", before="#define FMT_HEADER_ONLY\n", **fmt),
        "the same with {fmt}'s library": program("fmt_lines.cpp", **fmt),
        "Boost.JSON: `boost/json/src.hpp`, which is its library": Unit(including("boost/json/src.hpp"), **boost),
        "`tests/cost/boost_json.cpp`, with that library": program("boost_json.cpp", **boost),
    }


def row(name):
    return re.compile(rf"^\| {re.escape(name)} \| ([\d.]+) \| (\d+) \|(?: (\d*) \|)?$", re.M)


def record(name):
    """Seconds, MB, and maximum MB, in the page's format."""
    found = row(name).findall(text)
    assert len(found) == 1, f"{page.name} has {len(found)} rows for {name}"
    seconds, megabytes, most = found[0]
    return float(seconds), int(megabytes), most


def differs(one, other, by):
    return not other / by <= one <= other * by


def start(unit, folder, *more, **how):
    """Runs the unit's compiler with its flags and more, in the folder."""
    toolkit = Path(options.compiler).resolve().parents[1]
    compiler, own = options.compiler, []
    if unit.by_nvcc:
        own = ["-arch=sm_90"]
    elif is_nvcc:
        compiler, own = "g++", ["-isystem", toolkit / "include"]
    return subprocess.Popen([compiler, "-std=c++20", "-O2", *own, "-I", project / "include", *unit.flags, *more],
                            cwd=folder, **how)


def is_missing(unit, folder):
    """Whether the compiler cannot find the header that the unit needs."""
    if not unit.needs:
        return False
    name = "asks.cu" if unit.by_nvcc else "asks.cpp"
    (Path(folder) / name).write_text(f"#if !__has_include(<{unit.needs}>)\n#error\n#endif\n")
    return start(unit, folder, "-E", name, "-o", os.devnull, stderr=subprocess.DEVNULL).wait() != 0


def cost(unit, folder):
    """Seconds of the processor, and MB."""
    name = precompiled if unit.precompiles else "unit.cu" if unit.by_nvcc else "unit.cpp"
    (Path(folder) / name).write_text(unit.text)
    made = ["-x", "c++-header", name, "-o", f"{name}.gch"] if unit.precompiles else ["-c", name, "-o", "unit.o"]
    process = start(unit, folder, *made)
    _, status, usage = os.wait4(process.pid, 0)  # of the compiler and its child processes
    process.returncode = status
    assert status == 0, "it does not compile"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def times_json(seconds, seconds_of_json, wanted, unit, folder):
    """The ratio of the unit's seconds to those of json.hpp's unit."""
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
        if is_missing(unit, folder):
            print(f"not run: {name} (missing {unit.needs}: {unit.cure})", flush=True)
            continue
        taken = [cost(unit, folder) for _ in range(options.repetitions)]
        seconds, megabytes = statistics.median(one[0] for one in taken), max(one[1] for one in taken)
        if name == json_unit:
            seconds_of_json = seconds
        times = f", {seconds / seconds_of_json:.1f} times json.hpp's unit" if seconds_of_json else ""
        print(f"{name}: {seconds:.1f} s, {megabytes:.0f} MB{times}", flush=True)
        recorded_seconds, recorded, most = record(name)
        if options.write:
            bound = f" {most} |" if unit.is_held else ""
            text = row(name).sub(f"| {name} | {seconds:.1f} | {megabytes:.0f} |{bound}", text)
        elif is_of_page and unit.is_held and differs(megabytes, recorded, tolerance):
            problems.append(f"{name} takes {megabytes:.0f} MB, and {page.name} says {recorded}: if that is to be so, "
                            f"write it there with --write")
        if is_of_page and most and megabytes > int(most):
            problems.append(f"{name} takes {megabytes:.0f} MB, at most {most} are wanted")
        if name in held_to_json and is_of_page and seconds_of_json and not (options.write or options.memory):
            wanted = recorded_seconds / record(json_unit)[0]
            times = times_json(seconds, seconds_of_json, wanted, unit, folder)
            print(f"    {times:.1f} times the seconds of json.hpp's unit; {page.name} says {wanted:.1f}", flush=True)
            if differs(times, wanted, 1.5):
                problems.append(f"{name} takes {times:.1f} times the seconds of json.hpp's unit, and {page.name} says "
                                f"{wanted:.1f}: if that is to be so, write it there with --write")
if options.write:
    page.write_text(text)
sys.exit("\n".join(problems) or 0)
