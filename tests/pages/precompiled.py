#!/usr/bin/env python3
"""Reads once what most blocks of pages include first: precompiled headers in FOLDER, for run.py.

    precompiled.py FOLDER COMPILER

They are tessera's with all templates that a library has instantiated, so that blocks compile the typed front alone.
"""
import hashlib
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
options = ["-std=c++20", *"-O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split(), "-I", f"{root}/include",
           "-isystem", f"{root}/cmake/dlpack/include"]
of_emulation = ["-I", f"{root}/emulation/include"]
# ccache asks what is beside the precompiled header which of them it is: two that are made of the same are not the same.
ccache = {"CCACHE_SLOPPINESS": "pch_defines,time_macros", "CCACHE_PCH_EXTSUM": "1"}


def first(folder, source):
    """How a block is compiled: with the header that it includes read already, the same and no more."""
    if "#include <tessera/tessera.cuh>" in source:
        return [*of_emulation, "-include", f"{folder}/compiled_emulated.hpp"]
    if "#include <tessera/tessera.hpp>" in source or "#include <tessera/all.hpp>" in source:
        return ["-include", f"{folder}/compiled.hpp"]
    return []


def make(folder, compiler):
    folder.mkdir(parents=True, exist_ok=True)
    made_of = hashlib.sha256(repr([compiler, options]).encode())
    for header in sorted([*root.glob("include/**/*.*"), *root.glob("emulation/include/*.h*")]):
        made_of.update(header.read_bytes())
    for name, header, more in [("compiled", "compiled.hpp", []), ("compiled_emulated", "compiled.cuh", of_emulation)]:
        (folder / f"{name}.hpp").write_text(f"#include <tessera/{header}>\n")
        made = folder / f"{name}.hpp.gch"
        subprocess.run([compiler, *options, *more, "-x", "c++-header", folder / f"{name}.hpp", "-o", made], check=True)
        pathlib.Path(f"{made}.sum").write_text(made_of.hexdigest())


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]), sys.argv[2])
