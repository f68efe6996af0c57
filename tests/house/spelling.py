#!/usr/bin/env python3
"""The spelling of comments, messages and pages, by codespell: prints each line of the project with a common misspelling.

    spelling.py PROJECT [ENVIRONMENT]

ENVIRONMENT is the Python environment that has codespell, made from spelling.txt; without it, the codespell of the
system runs. Exit status 77: there is none.
"""
import pathlib
import shutil
import subprocess
import sys

names = ["advices", "namesspace"]  # identifiers, not misspellings
folders = ["README.md", "CHANGELOG.md", "include", "docs", "emulation", "command", "examples", "cmake", "tests/house",
           "tests/pages"]
skipped = ["*.png", "*.svg", "examples/data", "cmake/dlpack"]  # the last is of another project

project = pathlib.Path(sys.argv[1])
environment = pathlib.Path(sys.argv[2]).absolute() if len(sys.argv) > 2 else None
tool = shutil.which("codespell", path=str(environment / "bin")) if environment else None
tool = tool or shutil.which("codespell")
if tool is None:
    print(f"not run: there is no codespell; tests/run.sh makes its environment, {environment}")
    sys.exit(77)

command = [tool, "--ignore-words-list", ",".join(names), "--skip", ",".join(skipped), *folders]
done = subprocess.run(command, cwd=project, text=True, capture_output=True)
print(done.stdout + done.stderr, end="")
lines = len(done.stdout.splitlines())
if done.returncode not in (0, 65) or (done.returncode == 65) != (lines > 0):
    sys.exit(f"codespell ended with {done.returncode}")
print(f"{lines} lines with a misspelling")
sys.exit(lines > 0)
