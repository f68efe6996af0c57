#!/usr/bin/env python3
"""Runs fuzzers of this folder by AFL++, whose mutations and feedback are not libFuzzer's.

    afl.py SECONDS [NAME...]

NAME: document, shard, blosc, zip and icechunk, unless others are named; each runs for SECONDS, after it is built in
build/afl. Its corpus stays in build/afl/NAME, and a later run goes on from there. Prints the executions of each, and
fails when AFL++ found something. Needs clang++, and Debian's afl++.
"""
import os
import pathlib
import shutil
import subprocess
import sys

from run import seeds

root = pathlib.Path(__file__).resolve().parents[2]
build = root / "build" / "afl"
compiler = shutil.which("afl-clang-fast++")
if not compiler or len(sys.argv) < 2:
    sys.exit(__doc__ if compiler else "there is no afl-clang-fast++. On Debian or Ubuntu: apt install afl++")
seconds, names = sys.argv[1], sys.argv[2:] or ["document", "shard", "blosc", "zip", "icechunk"]
sanitizers = "abort_on_error=1:symbolize=0:detect_leaks=0:max_allocation_size_mb=512"  # as run.py limits memory
options = ("QUIET", "NO_UI", "NO_COLOR", "SKIP_CPUFREQ", "NO_AFFINITY",
           "I_DONT_CARE_ABOUT_MISSING_CRASHES", "AUTORESUME")
os.environ.update({f"AFL_{name}": "1" for name in options}, ASAN_OPTIONS=sanitizers, UBSAN_OPTIONS=sanitizers)

# Not through ccache: it knows nothing of AFL's passes.
subprocess.run(["cmake", "-S", root, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
                "-DCMAKE_CXX_COMPILER_LAUNCHER=", "-DTESSERA_FUZZ=ON", "-DTESSERA_BUILD_EXAMPLES=OFF"],
               check=True, stdout=subprocess.DEVNULL)
failed = 0
for name in names:
    subprocess.run(["cmake", "--build", build, "-j1", "--target", f"fuzz-{name}"], check=True,
                   stdout=subprocess.DEVNULL)
    first, found = build / name / "seeds", build / name / "found"
    first.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(seeds(name)):
        (first / f"seed-{i}").write_bytes(seed)
    run = subprocess.run(["afl-fuzz", "-i", first, "-o", found, "-m", "none", "-t", "5000", "-G", "4096", "-V", seconds,
                          "--", build / "bin" / f"fuzz-{name}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace")
    if run.returncode:
        sys.exit(f"{run.stdout[-4000:]}\n{name}: AFL++ did not run")
    stats = dict(line.split(":", 1) for line in (found / "default/fuzzer_stats").read_text().splitlines())
    stats = {key.strip(): value.strip() for key, value in stats.items()}
    cases = [case for kind in ("crashes", "hangs") for case in sorted((found / "default" / kind).glob("id:*"))]
    for case in cases:
        print(f"{case}: {case.read_bytes().hex()}")
    failed += len(cases)
    print(f"{name}: {stats['execs_done']} executions in {stats['run_time']} seconds, {stats['corpus_count']} in the "
          f"corpus, {len(cases)} found", flush=True)
sys.exit(failed > 0)
