#!/usr/bin/env python3
"""The memory resources of others meet tessera's concept as they are: the toolkit's cuda::mr and RMM's, against their own
headers.

    run.py {cccl|rmm} COMPILER TOOLKIT

COMPILER is g++; TOOLKIT is CUDA's folder. RMM is the Python package librmm-cu13, of this Python or of the environment
build/rmm-venv. Exit status 77: what is needed is not there.
"""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
which, compiler, toolkit = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
source = root / f"tests/resources/{which}.cpp"
command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", root / "include"]


def not_run(why):
    print(f"not run: {source.name}: {why}")
    sys.exit(77)


if which == "cccl":
    header = toolkit / "include/cccl/cuda/__memory_resource/resource_ref.h"
    if not header.exists() or "async_resource_ref" not in header.read_text():
        not_run("cuda::mr of this toolkit is not the one of CCCL 3.0")
    subprocess.run([*command, "-DLIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE", "-isystem", toolkit / "include/cccl",
                    "-isystem", toolkit / "include", "-fsyntax-only", source], check=True)
    sys.exit()

environments = [*sys.path, *(root / "build/rmm-venv").glob("lib/python3*/site-packages")]
rmm = next((pathlib.Path(one) / "librmm" for one in environments if (pathlib.Path(one) / "librmm/include/rmm").is_dir()), None)
if rmm is None:
    not_run("the Python package librmm-cu13 is not installed: python3 -m venv build/rmm-venv && "
            "build/rmm-venv/bin/pip install --no-deps librmm-cu13 rapids-logger")
logger = rmm.parent / "rapids_logger"
libraries = [rmm / "lib64", logger / "lib64", toolkit / "lib64"]
with tempfile.TemporaryDirectory() as folder:
    # RMM brings a newer CCCL than the toolkit's.
    subprocess.run([*command, "-isystem", rmm / "include/rapids", "-isystem", rmm / "include", "-isystem", logger / "include",
                    "-isystem", toolkit / "include", source, "-o", f"{folder}/program",
                    *(f"-Wl,-rpath,{one}" for one in libraries), *(f"-L{one}" for one in libraries),
                    "-lrmm", "-lrapids_logger", "-lcudart"], check=True)
    subprocess.run([f"{folder}/program"], check=True)
