#!/usr/bin/env python3
"""Four blocks of a kernel that places in tiles run on a processor at a time: no thread of theirs has more than 64
registers, and none keeps registers in memory.

    registers.py NVCC [OPTIONS...]
"""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(__file__).with_suffix(".cu")
done = subprocess.run([*sys.argv[1:], "-std=c++20", "-arch=sm_90", "-Xptxas", "-v", "-cubin", "-o", "/dev/null", source],
                      text=True, capture_output=True)
if done.returncode != 0:
    sys.exit(done.stdout + done.stderr)
# ptxas's report on each kernel, by the size of its words.
said = dict(re.findall(r"entry function '\w*PlaceTilesILj(\d+)E(.*?Used .*?)$", done.stdout + done.stderr,
                       flags=re.DOTALL | re.MULTILINE))
failed = sorted(said, key=int) != ["1", "2", "4", "8", "16"]
for word, text in said.items():
    registers = int(re.search(r"Used (\d+) registers", text)[1])
    spilled = sum(int(n) for n in re.findall(r"(\d+) bytes spill", text))
    print(f"PlaceTiles of words of {word} bytes: {registers} registers, {spilled} bytes kept in memory")
    failed = failed or registers > 64 or spilled > 0
if failed:
    sys.exit(f"expected at most 64 registers, and nothing in memory, of five kernels:\n{done.stdout}{done.stderr}")
