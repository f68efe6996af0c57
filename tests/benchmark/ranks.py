#!/usr/bin/env python3
"""ranks.py [--ranks N] [--rounds N] [--folder FOLDER] [--build BUILD]: MPI ranks of one thread write and read an array.

256^3 float32 in chunks of 64^3, noise that gzip halves; slabs of whole chunks, and slabs that cut chunks. Beside
tessera stand parallel HDF5 (collective), ADIOS2, and TensorStore and zarr-python in each rank, if they are there.
ADIOS2 has no gzip and no chunks: BP5 stores each rank's slab as it is. Each round starts each program once; of all repetitions
the medians are compared, with the quarters of the ratios of a repetition. Compared are elapsed times, and the processor
times of all ranks together: those hardly change when other programs keep the cores busy, while each wait of a rank for
the other then lasts long. A round takes half a minute of processor time. A peer that crashes is started again, and the
table says so. Needs Open MPI, the target `ranks` of the build, h5pcc (libhdf5-openmpi-dev), and build/parallel-venv:

    cmake --build build/release --target ranks
    python3 -m venv build/parallel-venv
    build/parallel-venv/bin/pip install mpi4py tensorstore zarr

ADIOS2 must be built from source, since PyPI's is built without MPI and Debian 12 has only ADIOS 1.13; its adios2-config
must be in PATH:

    pip download --no-binary adios2 --no-deps adios2 && tar xf adios2-*.tar.gz && cd adios2-*/
    cmake -B build -D ADIOS2_USE_MPI=ON -D ADIOS2_USE_Fortran=OFF -D ADIOS2_USE_SST=OFF -D BUILD_TESTING=OFF
    cmake --build build && cmake --install build --prefix $HOME/adios2

The programs print a line for each repetition: NAME, seconds of the write and of the read, processor seconds of both,
and whether each rank read what it wrote. The times include creating, opening and closing.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--ranks", type=int, default=2, choices=(1, 2, 4))
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--folder", default="/dev/shm", help="where the arrays are made, by default in memory")
parser.add_argument("--build", type=pathlib.Path, default=root / "build/release")
asked = parser.parse_args()
os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
               "OMPI_MCA_mpi_yield_when_idle": "1"}  # a rank that waits leaves its processor to others
mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
if not mpirun:
    sys.exit("there is no mpirun: apt install openmpi-bin")
python = root / "build/parallel-venv/bin/python"


def programs():
    """The command of each program that is there, by name."""
    own = asked.build / "bin/ranks"
    if not own.exists():
        own = next(asked.build.rglob("ranks"), None) or sys.exit(f"there is no program ranks in {asked.build}")
    found = {"tessera": [own]}
    if shutil.which("h5pcc"):
        made = asked.build / "ranks_hdf5"
        subprocess.run(["h5pcc", "-O2", "-std=c99", root / "tests/benchmark/ranks_hdf5.c", "-o", made], check=True,
                       cwd=asked.build)
        found["parallel HDF5"] = [made]
    if shutil.which("adios2-config"):
        made = asked.build / "ranks_adios"
        flags = subprocess.run(["adios2-config", "--mpi", "--cxx"], capture_output=True, text=True, check=True)
        subprocess.run(["mpicxx.openmpi", "-O2", "-std=c++17", root / "tests/benchmark/ranks_adios.cpp",
                        *flags.stdout.split(), "-o", made], check=True)
        found["ADIOS2"] = [made]
    for peer in ("tensorstore", "zarr-python"):
        if python.exists():
            found[peer] = [python, root / "tests/benchmark/ranks_peer.py", peer]
    return found


def size_of(path):
    """Files and bytes."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return len(files), sum(file.stat().st_size for file in files)


def spread(values):
    """The median, and the quarters if there are enough values."""
    if len(values) < 2:
        return f"{values[0]:.2f}"
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{statistics.median(values):.2f} ({low:.2f} to {high:.2f})"


def run(command, folder):
    command = [mpirun, "-n", str(asked.ranks), *command, folder, "2"]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


commands, times, sizes, lost, crashes = programs(), {}, {}, set(), {}
for _ in range(asked.rounds):
    for name, command in commands.items():
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            done = run(command, folder)
            while done.returncode and name != "tessera" and crashes.get(name, 0) < 5:
                crashes[name] = crashes.get(name, 0) + 1
                done = run(command, folder)
            if done.returncode:
                sys.exit(f"{name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
            for line in done.stdout.splitlines():
                case, *seconds, is_same = line.split()
                times.setdefault((case, name), []).append([float(one) for one in seconds])
                sizes[case, name] = size_of(pathlib.Path(folder) / case)
                if is_same != "1":
                    lost.add((case, name))

print("Seconds of tessera, multiples of them for the others; the processor time is that of all ranks.\n")
print("| slabs, codec | program | write | read | write, processor | read, processor | files | MiB |")
print("|---|---|---|---|---|---|---|---|")
for case in ("whole-none", "whole-gzip", "cut-none", "cut-gzip"):
    for name in commands:
        if (case, name) not in times:
            continue
        runs, own = times[case, name], times[case, "tessera"]
        columns = [f"{statistics.median(run[i] for run in runs):.2f} s" if name == "tessera" else
                   spread([run[i] / base[i] for run, base in zip(runs, own)]) for i in range(4)]
        files, size = sizes[case, name]
        said = f"{name}: other elements were read than written" if (case, name) in lost else name
        print(f"| {case} | {said} | {' | '.join(columns)} | {files} | {size / 2**20:.1f} |")
for name, count in crashes.items():
    print(f"{name} crashed {count} times in {asked.rounds + count} runs")
