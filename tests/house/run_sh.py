#!/usr/bin/env python3
"""The output of tests/run.sh for builds that fail, end early or have no time, with stand-ins for CMake, CTest and nvcc.

    run_sh.py PROJECT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

project = pathlib.Path(sys.argv[1])
CMAKE = """#!/bin/bash
if [[ $1 == --preset ]]; then mkdir -p build/$2/bin; touch -d '1 day ago' build/$2/bin/old; exit; fi
if [[ $1 == --build ]]; then touch build/$3/bin/new; fi
plan=BUILD_${3}; exit ${!plan:-0}
"""
CTEST = """#!/bin/bash
plan=TEST_${2}
case "$*" in
  *" -N") printf '  Test #%d: %s\\n' 1 of-old 2 of-new 3 of-none 4 after-old 5 later ;;
  *--show-only*) sed "s|@|$PWD/build/$2/bin|" <<'END' ;;
{"tests": [
  {"name": "of-old", "command": ["@/old"], "properties": [{"name": "FIXTURES_SETUP", "value": ["made"]}]},
  {"name": "of-new", "command": ["@/new"]},
  {"name": "of-none", "command": ["true"]},
  {"name": "later", "command": ["true"], "properties": [{"name": "FIXTURES_REQUIRED", "value": ["made-after"]}]},
  {"name": "after-old", "command": ["true"], "properties": [
    {"name": "FIXTURES_REQUIRED", "value": ["made"]}, {"name": "FIXTURES_SETUP", "value": ["made-after"]}]}]}
END
  *)
    echo "1/5 Test #2: of-new ......   Passed    2.01 sec"
    if [[ ${!plan:-} == killed ]]; then kill -9 $$; fi
    if [[ ${!plan:-} == late ]]; then exit 124; fi
    if [[ ${!plan:-} == failed ]]; then echo "2/5 Test #3: of-none .....***Failed    0.01 sec"; exit 8; fi
    echo "2/5 Test #3: of-none .....   Passed    0.01 sec"
    if [[ $* != *of-old* ]]; then echo "3/5 Test #1: of-old ......***Skipped   3.01 sec"; fi
    if [[ $* != *after-old* ]]; then echo "4/5 Test #4: after-old ...***Skipped   4.21 sec"; fi
    if [[ $* != *later* ]]; then echo "5/5 Test #5: later .......***Skipped   0.01 sec"; fi ;;
esac
"""
problems = []


def expect(status, last, *lines, arguments=("--all",), **plan):
    """`lines` are in the summary; `last` is the last one."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file in ("tests/run.sh", "tests/not_built.py", ".ci/packages.sh"):
            (root / file).parent.mkdir(exist_ok=True)
            shutil.copy(project / file, root / file)
        (root / "programs").mkdir()
        for name, text in (("cmake", CMAKE), ("ctest", CTEST), ("nvcc", "#!/bin/bash\n")):
            (root / "programs" / name).write_text(text)
            (root / "programs" / name).chmod(0o755)
        variables = os.environ | {"PATH": f"{root / 'programs'}:{os.environ['PATH']}"} | plan
        done = subprocess.run(["bash", root / "tests/run.sh", "--no-install", *arguments], env=variables, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    said = done.stdout.splitlines()
    missing = [one for one in lines if not any(re.fullmatch(one, line) for line in said)]
    if done.returncode != status or said[-1] != last or missing:
        problems.append(f"{plan} {arguments}: expected status {status}, {last!r} and {missing}, found {done.returncode} "
                        f"and\n{done.stdout}")  # fmt: skip


expect(0, "10 passed, 0 failed", r"ran      nvcc.*: 2 passed, 0 failed, 3 skipped",
       r" +built in \d+ s, tested in \d+ s: after-old 4, of-old 3, of-new 2, later 0, of-none 0")
expect(0, "2 passed, 0 failed", r"not run  nvcc \(without --all\)", arguments=())
for preset in ("release", "sanitize", "thread", "cuda", "clang"):
    expect(1, "8 passed, 1 failed", r"FAILED   .*: it did not build", **{f"BUILD_{preset}": "1"})
    expect(1, "9 passed, 1 failed", r"FAILED   .*: 1 passed, 1 failed, 0 skipped", **{f"TEST_{preset}": "failed"})
    expect(1, "9 passed, 1 failed", r"FAILED   .*: ctest itself, with status 137", **{f"TEST_{preset}": "killed"})
    # Programs older than the build are not tested, nor tests that need their output.
    in_time = {"arguments": ("--all", "--minutes", "9")}
    expect(0, "10 passed, 0 failed", r"not run  .*: 3 tests \(the 9 minutes were over: after-old later of-old\)", **in_time,
           **{f"BUILD_{preset}": "124"})  # fmt: skip
    expect(0, "9 passed, 0 failed", r"not run  .*: 4 tests \(the 9 minutes were over: after-old later of-none of-old\)", **in_time,
           **{f"TEST_{preset}": "late"})  # fmt: skip
    expect(1, "9 passed, 1 failed", r"not run  .*: after-old later of-old\)", r"FAILED   .*", **in_time,
           **{f"BUILD_{preset}": "124", f"TEST_{preset}": "failed"})  # fmt: skip
expect(0, "0 passed, 0 failed", r"not run  g\+\+.* \(the 0 minutes were over\)", r"not run  nvcc.* \(the 0 minutes were over\)",
       arguments=("--all", "--minutes", "0"))
for minutes in ("1.5", "x", "-1", ""):
    expect(2, f'--minutes: found "{minutes}", expected a whole number', arguments=("--all", "--minutes", minutes))
sys.exit("\n".join(problems) or None)
