#!/usr/bin/env python3
"""docs/mistakes.md: each message is in include/ as the page has it, and each program it names is in tests/reject.

A message ends or begins with … where it is cut. In a message at run time, <word> stands for a value.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
least = 45
problems, count = [], 0

files = [file for ending in ("hpp", "ipp", "tpp", "cuh") for file in root.glob(f"include/tessera/**/*.{ending}")]
joined = "\n".join(re.sub(r'"\s*\n\s*"', "", file.read_text()) for file in files).replace('\\"', '"')

for number, line in enumerate((root / "docs/mistakes.md").read_text().splitlines(), 1):
    if not line.startswith("| `"):
        continue
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    if len(cells) != 3:
        problems.append(f"line {number}: {len(cells)} cells, expected 3")
        continue
    count += 1
    _, says, who = cells
    message = says.strip("`").strip("…").strip()
    for part in re.split(r"<\w+>", message) if who == "at run time" else [message]:
        if part.strip() not in joined:
            problems.append(f"line {number}: include/ lacks: {part.strip()}")
    program = re.search(r"tests/reject/(\w+)\.cpp", who)
    if program is None and who != "at run time":
        problems.append(f"line {number}: names no program of tests/reject")
    elif program:
        file = root / program[0]
        if not file.exists():
            problems.append(f"line {number}: there is no {program[0]}")
        else:
            expected = file.read_text().splitlines()[0].removeprefix("// expect: ")
            if not all(part in joined for part in expected.split(" ... ")):
                problems.append(f"line {number}: {program[0]} expects another message")
            elif message[:40] not in expected and expected not in message:
                problems.append(f"line {number}: {program[0]} expects: {expected}")

if count < least:
    problems.append(f"{count} mistakes, expected at least {least}")
print("\n".join(problems) or f"{count} mistakes, each with its message")
sys.exit(bool(problems))
