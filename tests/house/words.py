#!/usr/bin/env python3
"""Holds comments, messages and pages to plain words: prints each line of the project that has one of these.

    words.py PROJECT

A reader stops at them: an actor without a name, a place that is a possession, an amount without a number.
"""
import pathlib
import re
import sys

words = [
    r"nobody", r"somebody", r"anybody", r"whoever", r"one's own", r"so many (bytes|elements|chunks|of them)",
    r"(is|are) the host's", r"the host's to", r"of which there (is|are) none", r"what there is",
]
pattern = re.compile(rf"\b({'|'.join(words)})\b", re.IGNORECASE)
folders = ["include", "docs", "emulation", "command", "examples", "cmake"]
endings = {".h", ".hpp", ".ipp", ".tpp", ".cuh", ".cpp", ".cu", ".md", ".py", ".cmake", ".txt", ".sh"}

project = pathlib.Path(sys.argv[1])
files = [project / "README.md", project / "CHANGELOG.md"]
files += [file for folder in folders for file in sorted((project / folder).rglob("*")) if file.suffix in endings]
assert len(files) > 500, f"only {len(files)} files are there"
found = [
    f"{file.relative_to(project)}:{number}: {match[0]}: {line.strip()}"
    for file in files
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1)
    if (match := pattern.search(line))
]
print("\n".join(found))
print(f"{len(files)} files, {len(found)} lines with words that stop a reader")
sys.exit(bool(found))
