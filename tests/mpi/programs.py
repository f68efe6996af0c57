"""The MPI libraries that are installed, and test programs compiled with each."""
import os
import pathlib
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def kinds():
    """What follows `mpicxx` and `mpirun` in their names. Ends the test, if there is no MPI."""
    found = [kind for kind in (".openmpi", ".mpich") if shutil.which(f"mpicxx{kind}") and shutil.which(f"mpirun{kind}")]
    if not found and shutil.which("mpicxx") and shutil.which("mpirun"):
        found = [""]
    if not found:
        print("not run: there is no mpicxx; on Debian or Ubuntu: apt install libopenmpi-dev openmpi-bin")
        sys.exit(0)
    return found


def run(*command, ends_well=True):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if (done.returncode == 0) != ends_well:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def on_two_nodes(kind, folder):
    """The command that starts four ranks on two nodes, which are both this machine; None, if this MPI has no such way.
    Open MPI starts the daemon of each node by a program in place of ssh. Its ranks use no shared memory: the files of
    the two nodes would have the same names."""
    version = subprocess.run([f"mpirun{kind}", "--version"], capture_output=True, text=True).stdout
    if "HYDRA" in version:
        return ["env", "MPIR_CVAR_NUM_CLIQUES=2", f"mpirun{kind}", "-n", "4"]
    if "OpenRTE" not in version:
        return None
    agent = folder / "start_here"
    agent.write_text('#!/bin/sh\nshift\nexec /bin/sh -c "$*"\n')  # without the name of the host
    agent.chmod(0o755)
    options = {"plm": "rsh", "plm_rsh_agent": agent, "oob_tcp_if_include": "lo", "btl_tcp_if_include": "lo",
               "btl": "self,tcp"}
    named = [word for name, value in options.items() for word in ("--mca", name, value)]
    return [f"mpirun{kind}", "--host", "first:2,second:2", *named, "-n", "4"]


def empty(folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def compiled(folder, kind, libraries):
    """ranks.cpp and a program of its `test::run`, which is in a library."""
    program = folder / f"program{kind}"
    run(f"mpicxx{kind}", "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-DTESSERA_SEPARATE", "-DOMPI_SKIP_MPICXX",
        "-DMPICH_SKIP_MPICXX", f"-I{root}/include", f"-I{root}/tests", root / "tests/mpi/ranks.cpp", *libraries,
        "-pthread", "-o", program)
    return program
