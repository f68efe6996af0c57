#!/usr/bin/env python3
"""Whether a page has the lines that a program prints, one after the other.

    has.py PAGE.md PROGRAM
"""
import pathlib
import subprocess
import sys

page = pathlib.Path(sys.argv[1]).read_text()
printed = subprocess.run([sys.argv[2]], text=True, capture_output=True, check=True).stdout
if not printed or printed not in page:
    sys.exit(f"{sys.argv[1]} lacks\n{printed}")
