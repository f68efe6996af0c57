#!/usr/bin/env python3
"""The whole sequence of a record on a GPU, with the programs that were built for it, carried as tests/gpu/run.sh
--build-only carries them. Without a GPU it stops there: each part of each page says that it was not run.

    carried.py RUN.SH BUILD FOLDER PROGRAM...

BUILD has the programs in bin/. Each PROGRAM is one of them, so that tests/not_built.py sees whether all are there.
FOLDER is removed and made anew.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

run_sh, build, folder, *programs = (Path(path).resolve() for path in sys.argv[1:])
shutil.rmtree(folder, ignore_errors=True)
carried, out = folder / "carried", folder / "out"
carried.mkdir(parents=True)
for name in re.search(r"^programs=\((.*?)\)", run_sh.read_text(), flags=re.DOTALL | re.MULTILINE)[1].split():
    assert build / "bin" / name in programs, f"{name} of {run_sh} is not among the programs of this test"
    shutil.copy(build / "bin" / name, carried)
of_nvcomp = [build / "bin" / name for name in ("test-cuda-nvcomp", "decoding")]
for program in filter(Path.exists, of_nvcomp):
    shutil.copy(program, carried)
if (build / "lib/libtimeline.so").exists():
    shutil.copy(build / "lib/libtimeline.so", carried)
(carried / "commit").write_text("of a test\n")

done = subprocess.run([run_sh, "--run-only", "--carried", carried], env={**os.environ, "OUT": str(out)}, text=True,
                      capture_output=True)
print(done.stdout + done.stderr)

PAGES = {"01-suites": 10, "02-end-to-end": 7, "03-placement": 5, "04-memcheck": 4, "06-cache": 1, "07-sharing": 4,
         "08-decoding": 2 if of_nvcomp[1].exists() else 1, "09-primitives": 1, "10-python": 1}  # parts
problems = []
texts = {name: (out / f"{name}.md").read_text() if (out / f"{name}.md").exists() else "" for name in PAGES}
there_is_a_gpu = not any("| GPUs | none |" in text for text in texts.values())
for name, text in texts.items():
    head, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    if "of commit of a test. " not in head:
        problems.append(f"{name} does not say its commit")
    if len(parts) not in (PAGES[name], PAGES[name] + (name == "03-placement")):  # a timeline is made with its files
        problems.append(f"{name} has {len(parts)} parts")
    for part in parts:
        endings = re.findall(r"^\*\*(.*)\*\*$", part, flags=re.MULTILINE)
        right = "passed, |not run: there is no (?!GPU)" if there_is_a_gpu else "not run: there is no "
        if len(endings) != 1 or not re.match(right, endings[0]):
            problems.append(f"{name}: {part.splitlines()[0]} ends with {endings}")
if done.returncode != (0 if there_is_a_gpu else 77):
    problems.append(f"it ended with {done.returncode}")
for problem in problems:
    print("FAILED:", problem)
if problems:
    sys.exit(1)
shutil.rmtree(folder)
