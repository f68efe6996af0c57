#!/usr/bin/env python3
"""tessera's kernels, and the functions that launch them, are hidden in a shared library: otherwise the loader would let
two libraries with different versions of tessera run one of the two.

    hidden.py NM LIBRARY
"""
import re
import subprocess
import sys

seen = subprocess.run([sys.argv[1], "-DC", "--defined-only", sys.argv[2]], text=True, capture_output=True, check=True).stdout
assert "add(tessera" in seen, f"nothing is seen of {sys.argv[2]}:\n{seen}"
if kernels := re.findall(r".*detail::(?:call_|start).*", seen):
    sys.exit("seen from without:\n" + "\n".join(kernels))
