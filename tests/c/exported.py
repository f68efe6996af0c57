#!/usr/bin/env python3
"""The shared library exports the functions that tessera.h declares, and nothing else.

    exported.py LIBRARY HEADER
"""
import pathlib
import re
import subprocess
import sys

library, header = sys.argv[1:]
lines = subprocess.run(["nm", "-D", "--defined-only", library], text=True, check=True, capture_output=True).stdout
exported = {line.split()[-1] for line in lines.splitlines()}
declared = set(re.findall(r"^TESSERA_C_API .*?(tessera_\w+)\(", pathlib.Path(header).read_text(), re.M))
assert len(declared) > 10, declared
differ = f"exported alone: {sorted(exported - declared)}\ndeclared alone: {sorted(declared - exported)}"
assert exported == declared, differ
print(f"{len(declared)} functions")
