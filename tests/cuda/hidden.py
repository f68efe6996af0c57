#!/usr/bin/env python3
"""No kernel of tessera's, and nothing that starts one, is seen from without a shared library: the loader would let two
libraries with different versions of tessera run one of the two.

    hidden.py NM LIBRARY
"""
import re
import subprocess
import sys

seen = subprocess.run([sys.argv[1], "-DC", "--defined-only", sys.argv[2]], text=True, capture_output=True, check=True).stdout
assert "add(tessera" in seen, f"nothing is seen of {sys.argv[2]}:\n{seen}"
if kernels := re.findall(r".*detail::(?:call_|start).*", seen):
    sys.exit("seen from without:\n" + "\n".join(kernels))
