#!/usr/bin/env python3
"""run.py FOLDER LIBRARY...: the program of program.cpp, whose object is in a library, under each MPI and by 1 to 7 ranks."""
import os
import pathlib
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
folder, libraries = pathlib.Path(sys.argv[1]), sys.argv[2:]
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
kinds = [kind for kind in (".openmpi", ".mpich") if shutil.which(f"mpicxx{kind}") and shutil.which(f"mpirun{kind}")]
if not kinds and shutil.which("mpicxx") and shutil.which("mpirun"):
    kinds = [""]
if not kinds:
    print("not run: there is no mpicxx; on Debian or Ubuntu: apt install libopenmpi-dev openmpi-bin")
    sys.exit(0)


def run(*command, ends_well=True):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if (done.returncode == 0) != ends_well:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


for kind in kinds:
    program = folder / f"program{kind}"
    run(f"mpicxx{kind}", "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-DTESSERA_SEPARATE", "-DOMPI_SKIP_MPICXX",
        "-DMPICH_SKIP_MPICXX", f"-I{root}/include", f"-I{root}/tests", root / "tests/mpi/ranks.cpp", *libraries,
        "-pthread", "-o", program)
    for ranks in (1, 2, 3, 4, 7):
        arrays = folder / f"arrays{kind}-{ranks}"
        arrays.mkdir()
        run(f"mpirun{kind}", "-n", str(ranks), program, "arrays", arrays)
    arrays = folder / f"killed{kind}"
    arrays.mkdir()
    run(f"mpirun{kind}", "-n", "3", program, "killed", arrays, ends_well=False)
    run(f"mpirun{kind}", "-n", "1", program, "opens", arrays)
    print(f"mpirun{kind}: 1, 2, 3, 4 and 7 ranks; a killed rank")
