"""run.py SOURCE ENVIRONMENT FOLDER PEER COMPILER [LAUNCHER]: makes the source distribution of the Python module in
FOLDER, builds it there with pip, for the emulated CUDA runtime, and runs the module's tests, which share arrays with the
program PEER. All is built from what the source distribution has."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

source, environment, folder, peer = (pathlib.Path(argument) for argument in sys.argv[1:5])
compiler, launcher = sys.argv[5], sys.argv[6:]
python = environment / "bin" / "python"
if not python.exists():
    print(f"not run: the Python module, because there is no Python environment {environment}; tests/run.sh makes it")
    sys.exit(77)



def unpack(archive: tarfile.TarFile, folder: pathlib.Path) -> None:
    """A file that is the same keeps its time, so that only what has changed is compiled."""
    members = {folder / member.name.partition("/")[2]: member for member in archive if member.isfile()}
    for path, member in members.items():
        data = archive.extractfile(member).read()
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for path in folder.rglob("*"):
        if path.is_file() and path not in members:
            path.unlink()


tests = source / "examples" / "python" / "tests"
installed, wheels, module = folder / "installed", folder / "wheels", folder / "source"
defines = [f"cmake.define.CMAKE_CXX_COMPILER={compiler}", "cmake.define.TESSERA_PYTHON_CUDA=EMULATED",
           "cmake.define.TESSERA_PYTHON_NVCOMP=ON"]
if launcher:
    defines.append(f"cmake.define.CMAKE_CXX_COMPILER_LAUNCHER={launcher[0]}")
variables = os.environ | {"PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"}
for old in (wheels, installed):  # of another tag or name
    shutil.rmtree(old, ignore_errors=True)
# As `python -m build --sdist` calls it, without another environment.
make = "import sys, scikit_build_core.build as backend; print(backend.build_sdist(sys.argv[1]))"
made = subprocess.run([python, "-c", make, folder.absolute()], cwd=source, check=True, capture_output=True, text=True)
with tarfile.open(folder / made.stdout.split()[-1]) as archive:
    unpack(archive, module)
pip, options = [python, "-m", "pip"], ["-q", "--disable-pip-version-check", "--no-deps"]
subprocess.run(
    [*pip, "wheel", *options, "--no-build-isolation", "--wheel-dir", wheels, "-C", f"build-dir={folder / 'build'}"]
    + [part for define in defines for part in ("-C", define)] + [module],
    check=True, env=variables,
)  # fmt: skip
subprocess.run([*pip, "install", *options, "--upgrade", "--target", installed, *wheels.glob("*.whl")], check=True)
variables |= {"PYTHONPATH": str(installed), "TESSERA_PYTHON_PEER": str(peer)}
subprocess.run([python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", tests], check=True, env=variables)
subprocess.run([python, "-m", "mypy", "--strict", "--cache-dir", folder / "mypy", installed / "tessera"], check=True)

# Compares the stubs with the module at run time. nanobind's functions and classes are not Python's own, which is all
# that these lines report.
OF_NANOBIND = r"metaclass differs$|is not a function$|is a staticmethod but runtime is not$|does not have \*args parameter"
stubs = subprocess.run([environment / "bin" / "stubtest", "--concise", "--ignore-disjoint-bases", "tessera"],
                       env=variables | {"MYPYPATH": str(installed)}, cwd=folder, capture_output=True, text=True)  # fmt: skip
wrong = [line for line in stubs.stdout.splitlines() if not re.search(OF_NANOBIND, line)]
if stubs.returncode not in (0, 1) or wrong:
    print(*wrong, stubs.stderr, sep="\n")
    sys.exit(1)
print(f"stubtest: {len(stubs.stdout.splitlines())} lines of what nanobind is, none of other kinds")
