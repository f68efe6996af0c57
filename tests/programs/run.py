#!/usr/bin/env python3
"""run.py FOLDER: the five programs of a new user: their output, and how much there is to write.

FOLDER has the programs built. Lines are those with code; template arguments are counted in the program's own text.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

programs = {  # lines and template arguments at most; the output
    "read_to_host": (7, 2, "198\n"),
    "read_to_device": (9, 5, "[197, 233, 189]\n"),
    "write_sharded": (7, 4, ""),
    "own_codec": (23, 11, "5\n"),
    "own_store": (25, 8, "t\n"),
}


def template_arguments(code):
    """The arguments between < and >, at every depth."""
    code = re.sub(r'R"\(.*?\)"|"[^"\n]*"|\'.\'|#include[^\n]*|<<|->|<=|>=', " ", code, flags=re.S)
    count = 0
    while found := re.search(r"\b[\w:]+<([^<>;(){}]*)>", code):
        count += found[1].count(",") + 1
        code = code[:found.start()] + "T" + code[found.end():]
    return count


problems = []
for name, (lines_at_most, arguments_at_most, output) in programs.items():
    code = pathlib.Path(__file__).with_name(f"{name}.cpp").read_text()
    lines = sum(bool(line.strip()) and not line.strip().startswith("//") for line in code.splitlines())
    arguments = template_arguments(code)
    print(f"{name}: {lines} lines, {arguments} template arguments")
    if lines > lines_at_most or arguments > arguments_at_most:
        problems.append(f"{name}: expected at most {lines_at_most} lines and {arguments_at_most} template arguments")
    program = pathlib.Path(sys.argv[1]) / f"program-{name}"
    if not program.exists():
        print(f"{name} is not built: a library is missing")
        continue
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, pathlib.Path(folder) / "made.zarr"], capture_output=True, text=True)
    if run.returncode != 0 or run.stdout != output:
        problems.append(f"{name} ended with {run.returncode}: {run.stdout!r} {run.stderr!r}, expected {output!r}")
sys.exit("\n".join(problems) if problems else 0)
