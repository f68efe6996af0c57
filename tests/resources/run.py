#!/usr/bin/env python3
"""Types of other libraries, against their own headers: the memory resources of the toolkit's cuda::mr and of RMM; RMM's
containers; CCCL's and Kokkos's mdspans; and the oldest supported CUDA runtime.

    run.py {cccl|rmm|containers|mdspan|cuda12} COMPILER [TOOLKIT]
    run.py {emulated|cufile} COMPILER OBJECTS...

cufile is cuFile's own library, which reports the lack of a GPU. COMPILER is g++ or clang++; TOOLKIT is CUDA's
folder; OBJECTS are those of the emulated runtime. The libraries are the packages of requirements.txt, of this Python or
of the environment build/resources-venv. A source's lines `WRONG == n  // expect: text` are programs that must not
compile, -D WRONG=n, with that text in their one error; `expect of nvcc: text` are those that only nvcc refuses. Exit
status 77: a requirement is missing, for example a GPU.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
which, compiler = sys.argv[1:3]
source = root / f"tests/resources/{which}.cpp"
command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", root / "include", "-I", root / "tests"]


def not_run(why):
    print(f"not run: {source.name}: {why}")
    sys.exit(77)


def package(name, holds):
    for one in (*sys.path, *(root / "build/resources-venv").glob("lib/python3*/site-packages")):
        if (pathlib.Path(one) / name / holds).exists():
            return pathlib.Path(one) / name
    not_run(f"the Python package that has {name}/{holds} is not installed: python3 -m venv build/resources-venv && "
            "build/resources-venv/bin/pip install --no-deps -r tests/resources/requirements.txt")


def refuse_the_wrong(*options):
    refuse([*command, *options, "-fsyntax-only"], "expect")


def refuse(compile, mark):
    for number, expected in re.findall(rf"WRONG == (\d+)  // {mark}: (.*)", source.read_text()):
        done = subprocess.run([*compile, f"-DWRONG={number}", source], text=True, capture_output=True)
        errors = [line for line in done.stderr.splitlines() if re.search(r"\berror: ", line)]
        # The tests are static_asserts.
        found = [line for line in errors if "tessera: " in line]
        others = [line for line in errors if line not in found and "static assertion failed" not in line
                  and "static_assert failed" not in line]
        if len(found) != 1 or expected not in found[0] or others:
            sys.exit(f"{source.name}, WRONG == {number}: expected one error with\n  {expected}\nfound\n{done.stderr}")
        print(found[0][found[0].index("tessera: ") :])


if which == "mdspan":
    basix = package("basix", "include/basix/mdspan.hpp")
    for namespace in ("Kokkos", "std"):
        options = ["-isystem", basix / "include", f"-DMDSPAN_IMPL_STANDARD_NAMESPACE={namespace}"]
        refuse_the_wrong(*options)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([*command, *options, source, "-pthread", "-o", f"{folder}/program"], check=True)
            subprocess.run([f"{folder}/program"], check=True)
    sys.exit()

if which == "emulated":
    options = ["-DMDSPAN_IMPL_STANDARD_NAMESPACE=Kokkos"]
    for one in (package("librmm", "include/rapids/cuda/mdspan") / "include/rapids",
                package("nvidia/cu13", "include/cuda_runtime_api.h") / "include",
                package("nvidia/cu13", "include/crt/host_defines.h") / "include",
                package("basix", "include/basix/mdspan.hpp") / "include"):
        options += ["-isystem", one]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, *options, source, *sys.argv[3:], "-pthread", "-ldl", "-o", f"{folder}/program"], check=True)
        subprocess.run([f"{folder}/program"], check=True)
    sys.exit()

if which == "cufile":
    cuda = package("nvidia/cu13", "include/cufile.h")
    if not (cuda / "include/cuda.h").exists() or not (cuda / "include/crt/host_defines.h").exists():
        not_run("the packages of the CUDA runtime are not there")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, "-isystem", cuda / "include", source, *sys.argv[3:], "-pthread", "-ldl", "-o",
                        f"{folder}/program"], check=True)
        subprocess.run([f"{folder}/program", cuda / "lib/libcufile.so.0", f"{folder}/store"], check=True, timeout=60,
                       env={**os.environ, "CUFILE_LOGFILE_PATH": "/dev/null"})
    sys.exit()

toolkit = pathlib.Path(sys.argv[3])
if which == "cccl":
    header = toolkit / "include/cccl/cuda/__memory_resource/resource_ref.h"
    if not header.exists() or "async_resource_ref" not in header.read_text():
        not_run("cuda::mr of this toolkit is not the one of CCCL 3.0")
    subprocess.run([*command, "-DLIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE", "-isystem", toolkit / "include/cccl",
                    "-isystem", toolkit / "include", "-fsyntax-only", source], check=True)
    sys.exit()

if which == "cuda12":
    # The package has no crt/, whose declarations are the compiler's own.
    oldest = package("nvidia/cuda_runtime", "include/cuda_runtime_api.h") / "include"
    if "define CUDART_VERSION  12080" not in (oldest / "cuda_runtime_api.h").read_text():
        not_run("the package nvidia-cuda-runtime-cu12 is not 12.8's")
    for unit in (root / "tests/resources/cuda12.cpp", root / "tests/emulation/contract/memory.cpp"):
        subprocess.run([*command, "-isystem", oldest, "-isystem", toolkit / "include",
                        "-fsyntax-only", unit], check=True)
    sys.exit()

rmm = package("librmm", "include/rmm")
logger = package("rapids_logger", "include")
# RMM includes a newer CCCL than the toolkit's.
options = ["-isystem", rmm / "include/rapids", "-isystem", rmm / "include", "-isystem", logger / "include",
           "-isystem", toolkit / "include"]
if which == "containers":
    refuse_the_wrong(*options)
    subprocess.run([*command, *options, "-fsyntax-only", source], check=True)
    # nvcc checks more: which functions are device functions. It looks for its own CCCL after -I, and before -isystem.
    if (toolkit / "bin/nvcc").exists():
        nvcc = [toolkit / "bin/nvcc", "-std=c++20", "-arch=sm_90", "-x", "cu", "-ccbin", compiler, "-I", root / "include",
                "-I", root / "tests", *("-I" if one == "-isystem" else one for one in options), "-c", "-o", "/dev/null"]
        refuse(nvcc, "expect of nvcc")
        subprocess.run([*nvcc, source], check=True)
    sys.exit()
libraries = [rmm / "lib64", logger / "lib64", toolkit / "lib64"]
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([*command, *options, source, "-o", f"{folder}/program",
                    *(f"-Wl,-rpath,{one}" for one in libraries), *(f"-L{one}" for one in libraries),
                    "-lrmm", "-lrapids_logger", "-lcudart"], check=True)
    sys.exit(subprocess.run([f"{folder}/program"]).returncode)
