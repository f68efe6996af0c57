#!/usr/bin/env python3
"""Checks the code of a Markdown page against the page's text.

    run.py PAGE.md FOLDER COMPILER [LAUNCHER] --headers FOLDER --compiled LIBRARY --compiled-emulated LIBRARY
           [--emulation OBJECTS...] [--nvcomp OBJECTS...] [--nvcc NVCC]

Every block that begins with ```cpp is a unit of its own and compiles without a warning, most with one of the headers
that precompiled.py precompiled, and then linked with its library. A word after it says more:

    ```cpp prints     is a program; run where examples/ is, it prints the ```text block that follows it
    ```cpp fails      does not compile; its errors are the ```text block that follows it
    ```cpp emulated   is a program of the CUDA runtime; on the emulated one, of OBJECTS, it prints the ```text block;
                      with the stand-in for nvCOMP, if it includes that header
    ```cpp nvcc       is a program for a GPU: NVCC builds it; with a GPU it prints the ```text block
    ```cpp kernels    is such a program, whose kernels the emulated runtime runs too (kernels.hpp): it prints the same

A program that is followed by a g++ command in a ```sh block is built and run with that command, and prints the ```text
block that follows, if one does. If the command compiles the emulated runtime, the program prints the same at -O1, -O2
and -O3.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import precompiled

root = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument("page", type=pathlib.Path)
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("compiler")
parser.add_argument("launcher", nargs="*")
parser.add_argument("--headers", required=True)
parser.add_argument("--compiled", required=True)
parser.add_argument("--compiled-emulated", required=True)
parser.add_argument("--emulation", nargs="+", default=[])
parser.add_argument("--nvcomp", nargs="+", default=[])
parser.add_argument("--nvcc")
given = parser.parse_args()
page, folder, compiler, launcher, first_headers, compiled, compiled_emulated, emulation, nvcomp, nvcc = vars(given).values()
os.environ.update(precompiled.ccache)
libraries = "-lzstd -lblosc -ldeflate -llz4 -lbz2 -llzma -ldl -lpthread".split()
of_zip = ["-lzip"]
toolkit = pathlib.Path(nvcc).resolve().parents[1] if nvcc else None
of_cccl = ["-DPAGE_HAS_CCCL", "-DCCCL_DISABLE_FP16_SUPPORT", "-DCCCL_DISABLE_BF16_SUPPORT",
           "-isystem", f"{toolkit}/include/cccl", "-isystem", f"{toolkit}/include"]
of_headers = {"cufft": "cufft.h", "cublas": "cublas_v2.h"}  # libraries of the toolkit
of_nvcomp = ["-I", f"{root}/emulation/nvcomp/include"], ["-llz4", "-lz"]  # of the stand-in for nvCOMP
blocks = [(*match[0].split(), "")[:2] + (match[1],) for match in re.findall(r"^```(\S.*)\n((?:.*\n)*?)```$", page.read_text(), re.M)]


def of_mpi():
    """Options that find MPI's header; none: there is no MPI."""
    if not shutil.which("mpicxx"):
        return []
    shown = subprocess.run(["mpicxx", "-show"], text=True, capture_output=True, check=True).stdout
    folders = [word[2:] for word in shown.split() if word.startswith("-I")]
    return ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", *(f"-isystem{folder}" for folder in folders)]


def run(command, shell=False):
    done = subprocess.run(command, shell=shell, cwd=folder, text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def succeed(command, shell=False):
    status, output = run(command, shell)
    assert status == 0, f"{command if shell else ' '.join(command)}\nended with {status}:\n{output}"
    return output


def follower(number, language):
    """The next block, if it is in that language."""
    after = blocks[number + 1] if number + 1 < len(blocks) else ("", "", "")
    return after[2] if after[0] == language else None


def errors(output):
    """The compiler's errors, without their places; the text of a failed static_assert."""
    found = re.findall(r"error: (.*)", output)
    return [re.sub(r"^static[ _]assert(ion)? failed.*?(?=tessera: )", "", line).rstrip('"') for line in found]


def build_for_gpu(name, source, expected):
    if not nvcc:
        return "NOT COMPILED by nvcc: there is none"
    for header in re.findall(r"#include <((?:cub|thrust|cufft|cublas)[^>]*)>", source):
        if not any((toolkit / "include" / folder / header).exists() for folder in ("", "cccl")):
            return f"NOT COMPILED: this toolkit has no <{header}>"
    (folder / f"{name}.cu").write_text(source)
    compile = ["-std=c++20", "-arch=sm_80", "-Werror=all-warnings", "-I", "include", "-c", f"{name}.cu", "-o", f"{name}.o"]
    succeed([*launcher, nvcc, *compile])
    of_toolkit = [f"-l{library}" for library, header in of_headers.items() if f"#include <{header}>" in source]
    if of_toolkit:  # which are shared libraries
        of_toolkit += ["-Xlinker", f"-rpath={toolkit / 'lib64'}"]
    succeed([nvcc, "-arch=sm_80", f"{name}.o", *libraries, *of_toolkit, "-o", name])
    _, output = run([f"./{name}"])
    if re.search("driver version is insufficient|no CUDA-capable device|cudaError(InsufficientDriver|NoDevice)", output):
        return "nvcc builds it; NOT RUN: there is no GPU"
    assert output == expected, f"expected\n{expected}\nfound\n{output}"
    return "nvcc builds it, and it prints what is said"


def for_the_emulation(source):
    return re.sub(r"(\w+)<<<(.*?)>>>\(", r"emulated::Grid{\2}(\1, ", source)


def check(number, says, source):
    name = f"block{number}"
    (folder / f"{name}.cpp").write_text(for_the_emulation(source) if says == "kernels" else source)
    is_of_nvcomp = "tessera/with/nvcomp" in source
    first = precompiled.first(first_headers, source)
    compile = [*launcher, compiler, *precompiled.options, *first, "-c", f"{name}.cpp", "-o", f"{name}.o"]
    if is_of_nvcomp:
        compile[-4:-4] = ["-I", f"{root}/emulation/include", *of_nvcomp[0]]
    if "tessera/with/cufile" in source:
        compile[-4:-4] = ["-I", f"{root}/emulation/include", "-I", f"{root}/emulation/cufile/include"]
    if "tessera/with/mpi.hpp" in source:
        if not of_mpi():
            print(f"{page.name}, block {number}: NOT COMPILED: there is no MPI", flush=True)
            return
        compile[-4:-4] = of_mpi()
    shell = follower(number, "sh")
    command = next((line for line in (shell or "").splitlines() if line.startswith("g++ ")), None)
    if says == "fails":
        status, output = run(compile)
        assert status != 0, f"it compiles:\n{source}"
        expected = errors(follower(number, "text"))
        assert errors(output) == expected, f"expected the errors {expected}\nfound {errors(output)} in\n{output}"
    elif says == "kernels" and "#include <cuda/std/" in source and not nvcc:
        says = "NOT COMPILED: there is no toolkit, and no <cuda/std/...>"
    elif says in ("prints", "emulated", "kernels"):
        objects = [compiled] if first else []
        if says != "prints":
            objects = [*emulation, *(nvcomp + of_nvcomp[1] if is_of_nvcomp else []), compiled_emulated, compiled]
            compile[-4:-4] = ["-I", f"{root}/emulation/include"]
        if says == "kernels":
            compile[-4:-4] = ["-include", f"{root}/tests/pages/kernels.hpp", *(of_cccl if "<cuda/std/" in source else [])]
        succeed(compile)
        more = of_zip if "tessera/with/zip.hpp" in source else []
        succeed([compiler, f"{name}.o", *objects, *libraries, *more, "-o", name])
        _, output = run([f"./{name}"])
        expected = follower(number, "text")
        assert output == expected, f"expected\n{expected}\nfound\n{output}"
        if says == "kernels":
            says = f"runs on the emulation; {build_for_gpu(name, source, expected)}"
    elif says == "nvcc":
        says = build_for_gpu(name, source, follower(number, "text"))
    elif command and "int main(" in source:
        (folder / "main.cpp").write_text(source)
        output = succeed(command.replace("g++", compiler, 1), shell=True)
        expected = follower(number + 1, "text")
        assert expected in (None, output), f"expected\n{expected}\nfound\n{output}"
        for level in ["-O1", "-O2", "-O3"] if emulation and "emulation/runtime" in command else []:
            headers = ["-I", f"{root}/emulation/include"]
            succeed([compiler, "-std=c++20", level, *headers, "main.cpp", *emulation, *libraries, "-o", "main"])
            found = succeed(["./main"])
            assert found == output, f"without an option\n{output}\nfound with {level}\n{found}"
    else:
        assert says == "", f"a block says {says!r}"
        succeed(compile)
    print(f"{page.name}, block {number}: {says or command or 'compiles'}", flush=True)


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
for used in ["include", "emulation", "cmake"]:
    (folder / used).symlink_to(root / used)
shutil.copytree(root / "examples/data", folder / "examples/data")  # a copy: programs write too
(folder / "volume.zarr.zip").symlink_to(root / "tests/zip/data/stored.zarr.zip")
failed = 0
for number, (language, says, source) in enumerate(blocks):
    if language == "cpp":
        try:
            check(number, says, source)
        except AssertionError as problem:
            failed += 1
            print(f"FAILED: {page.name}, block {number}: {problem}", flush=True)
sys.exit(1 if failed else 0)
