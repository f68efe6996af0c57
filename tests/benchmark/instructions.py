#!/usr/bin/env python3
"""Counts tessera's instructions for a chunk, and compares them with RECORD: fails if a case exceeds it by 5 %.

  instructions.py [--write] RECORD PROGRAM COMPILER [VALGRIND]

RECORD is instructions.txt, of all in one unit, or instructions_of_library.txt, of a program that links
tessera::compiled.

PROGRAM is instructions.cpp compiled, COMPILER its compiler, e.g. GNU-12.2.0. Only instructions in the program itself
count: tessera, and its instantiations of the standard library. libc, the allocator and the codecs' libraries do not
count: the processor selects their functions. So the figures depend on the compiler and a Release build, but hardly on
the machine; with another compiler, or without valgrind, nothing is compared (exit 77). --write puts the new figures
into the file: explain the change in the commit."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

writes = "--write" in sys.argv
record, program, compiler, *valgrind = [argument for argument in sys.argv[1:] if argument != "--write"]
file = Path(__file__).with_name(record)
if not valgrind or valgrind[0].endswith("NOTFOUND"):
    print("not run: instructions per chunk (there is no valgrind; on Debian or Ubuntu: apt install valgrind)")
    sys.exit(77)
head = "# Instructions of tessera itself for a chunk, as instructions.py counts them and writes them down.\n"


def count(case, folder):
    """Of one case, in the program itself."""
    profile = Path(folder, case)
    command = [valgrind[0], "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=counted", "--compress-strings=no",
               "--compress-pos=no", f"--callgrind-out-file={profile}", program, case]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    total, is_ours, is_call = 0, False, False
    for line in profile.read_text().splitlines():
        if line.startswith("ob="):
            is_ours = Path(line[3:]) == Path(program).resolve()
        elif line.startswith("calls="):
            is_call = True  # the next line's figure belongs to the callee
        elif re.match(r"[0-9]", line):
            total += 0 if is_call or not is_ours else int(line.split()[-1])
            is_call = False
    assert total > 0, f"nothing was counted of {case}"
    return total


cases = [line.split() for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()]
with tempfile.TemporaryDirectory() as folder:
    found = {case: round(count(case, folder) / int(chunks)) for case, chunks in cases}
if writes:
    file.write_text(head + f"compiler {compiler}\n" + "".join(f"{case} {n}\n" for case, n in found.items()))
lines = dict(line.split() for line in file.read_text().splitlines() if not line.startswith("#"))
if lines.pop("compiler") != compiler:
    for case, n in found.items():
        print(f"{case}: {n}")
    print(f"not compared: {file.name} is of another compiler than {compiler}")
    sys.exit(77)
problems = []
for case, n in found.items():
    before = int(lines[case])
    print(f"{case}: {n} instructions for a chunk, {before} in {file.name}")
    if n > before * 1.05:
        problems.append(f"{case} takes {n / before - 1:.1%} more instructions")
    elif n < before * 0.95:
        print(f"  {1 - n / before:.1%} less: write it down, or it may be lost again unseen")
if problems:
    again = f"tests/benchmark/{Path(__file__).name} --write {record} {program} {compiler} {valgrind[0]}"
    sys.exit("\n".join([*problems, f"If that is worth it, {again} puts them into {file.name}; the commit says why."]))
