#!/usr/bin/env python3
"""What including a header costs: a unit that includes it and no more, and one that uses it, compiled with -O2, as a table in Markdown.

    includes.py [COMPILER] [REPETITIONS]

Seconds are the compiler's processor time, the median of the repetitions; the memory is the most it held.
"""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

include = pathlib.Path(__file__).resolve().parents[2] / "include"
compiler = sys.argv[1] if len(sys.argv) > 1 else "g++"
repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 5
standard = ("algorithm array atomic charconv concepts condition_variable cstdint exception functional map memory mutex "
            "optional ranges span string string_view thread tuple variant vector").split()
units = [
    ("21 of the usual standard headers", standard),
    ("these and `nlohmann/json.hpp`", [*standard, "nlohmann/json.hpp"]),
    ("`tessera/store/local_store.hpp`", ["tessera/store/local_store.hpp"]),
    ("`tessera/pipeline/pipeline.hpp`", ["tessera/pipeline/pipeline.hpp"]),
    ("`tessera/with/zstd.hpp`", ["tessera/with/zstd.hpp"]),
    ("`tessera/with/all.hpp`", ["tessera/with/all.hpp"]),
    ("`tessera/with/nlohmann_json.hpp`", ["tessera/with/nlohmann_json.hpp"]),
    ("`tessera/tessera.hpp`", ["tessera/tessera.hpp"]),
    ("`tessera/tessera.hpp`, `tessera/with/all.hpp`", ["tessera/tessera.hpp", "tessera/with/all.hpp"]),
    ("the first program of README, which opens and reads", None),
]
first_program = re.search(r"```cpp\n(.*?)```", (include.parent / "README.md").read_text(), re.S)[1]


def cost(headers, folder):
    """Seconds and megabytes."""
    unit = pathlib.Path(folder) / "unit.cpp"
    unit.write_text("".join(f"#include <{header}>\n" for header in headers) if headers else first_program)
    process = subprocess.Popen([compiler, "-std=c++20", "-O2", "-I", include, "-c", unit, "-o", f"{folder}/unit.o"])
    _, status, usage = os.wait4(process.pid, 0)  # of the compiler and what it ran
    process.returncode = status
    assert status == 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


results = [[] for _ in units]
with tempfile.TemporaryDirectory() as folder:
    for _ in range(repetitions):
        for (_, headers), result in zip(units, results):
            result.append(cost(headers, folder))
print("| the unit includes | seconds | MB |\n|---|---|---|")
for (name, _), result in zip(units, results):
    seconds, megabytes = zip(*result)
    print(f"| {name} | {statistics.median(seconds):.1f} | {max(megabytes):.0f} |")
