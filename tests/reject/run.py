#!/usr/bin/env python3
"""A program that must not compile: fails with one error, the one its first line expects; cured, it compiles.

    run.py PROGRAM.cpp COMPILER [OPTIONS...]
"""
import pathlib
import re
import subprocess
import sys

program, command = sys.argv[1], sys.argv[2:]
first = pathlib.Path(program).read_text().splitlines()[0]
expected = first.removeprefix("// expect: ")
assert expected != first and expected.startswith("tessera: "), f"{program} expects nothing"


def compile(*options):
    return subprocess.run([*command, "-fsyntax-only", *options, program], text=True, capture_output=True)


wrong, cured = compile(), compile("-DCURED")
errors = [line for line in wrong.stderr.splitlines() if re.search(r"\berror: ", line)]
problems = []
if cured.returncode:
    problems.append(f"the cured program does not compile:\n{cured.stderr}")
if not wrong.returncode:
    problems.append("the wrong program compiles")
elif len(errors) != 1 or expected not in errors[0]:
    problems.append(f"expected one error with\n  {expected}\nfound {len(errors)}:\n{wrong.stderr}")
if problems:
    sys.exit("\n".join(problems))
print(re.sub(r"^.*?error: ", "error: ", errors[0]))
