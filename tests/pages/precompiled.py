#!/usr/bin/env python3
"""Reads the first includes of most blocks of pages once: precompiled headers in FOLDER, for run.py.

    precompiled.py FOLDER COMPILER

A library has the code that depends on no type of a program, so that blocks compile only the typed interface.
"""
import hashlib
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
options = ["-std=c++20", *"-O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split(), "-I", f"{root}/include",
           "-isystem", f"{root}/cmake/dlpack/include"]
separate = ["-DTESSERA_SEPARATE"]
of_emulation = [*separate, "-DTESSERA_SEPARATE_CUDA", "-I", f"{root}/emulation/include"]
# ccache compares the file beside the precompiled header: two builds from the same source differ.
ccache = {"CCACHE_SLOPPINESS": "pch_defines,time_macros", "CCACHE_PCH_EXTSUM": "1"}


def first(folder, source):
    """Options that compile a block: with the header that it includes precompiled, and nothing else."""
    if "#include <tessera/tessera.cuh>" in source:
        return [*of_emulation, "-include", f"{folder}/separate_emulated.hpp"]
    if "#include <tessera/tessera.hpp>" in source or "#include <tessera/all.hpp>" in source:
        return [*separate, "-include", f"{folder}/separate.hpp"]
    return []


def make(folder, compiler):
    folder.mkdir(parents=True, exist_ok=True)
    made_of = hashlib.sha256(repr([compiler, options]).encode())
    for header in sorted([*root.glob("include/**/*.*"), *root.glob("emulation/include/*.h*")]):
        made_of.update(header.read_bytes())
    for name, header, more in [("separate", "tessera.hpp", separate), ("separate_emulated", "tessera.cuh", of_emulation)]:
        (folder / f"{name}.hpp").write_text(f"#include <tessera/{header}>\n")
        made = folder / f"{name}.hpp.gch"
        subprocess.run([compiler, *options, *more, "-x", "c++-header", folder / f"{name}.hpp", "-o", made], check=True)
        pathlib.Path(f"{made}.sum").write_text(made_of.hexdigest())


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]), sys.argv[2])
