"""wheel_tests.py SOURCE ENVIRONMENT FOLDER: installs the wheel that run.py has put into FOLDER/wheels, with the pip of
another Python's ENVIRONMENT, and runs some of the module's tests there: the stable ABI makes one wheel for both."""

import os
import pathlib
import shutil
import subprocess
import sys

# All would need a minute more. zarr-python is another version here, too.
FILES = ["test_exchange.py", "test_selection.py", "test_nodes.py", "test_cost.py", "test_zarr.py", "test_device.py", "test_end.py"]

source, environment, folder = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
python, installed = environment / "bin" / "python", folder / "installed-by-another"


def skip(why: str) -> None:
    print(f"not run: the Python module's wheel with another Python, because {why}")
    sys.exit(77)


found = sorted((folder / "wheels").glob("*.whl"))
if not python.exists():
    skip(f"there is no Python environment {environment}; tests/run.sh makes it, if it finds Python 3.12 or newer")
if not found:
    skip(f"there is none in {folder / 'wheels'}; the test python-module makes it")
if subprocess.run([python, "-c", "import nanobind_backend, pytest, zarr"], capture_output=True).returncode:
    skip(f"{environment} lacks what the tests import; tests/run.sh makes it anew")
version = subprocess.run([python, "-VV"], check=True, capture_output=True, text=True).stdout.strip()
print(*(wheel.name for wheel in found), "with", version, flush=True)
if "-cp311-abi3-" not in found[0].name:
    sys.exit("expected a wheel for CPython 3.11 and later, by the stable ABI")
shutil.rmtree(installed, ignore_errors=True)
subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--target", installed, found[0]], check=True)
if extensions := [path.name for path in installed.glob("tessera/*.so") if not path.name.endswith(".abi3.so")]:
    sys.exit(f"not by the stable ABI: {extensions}")
tests = source / "examples" / "python" / "tests"
options = ["-q", "-rs", "-p", "no:cacheprovider"]
variables = os.environ | {"PYTHONPATH": str(installed)}
sys.exit(subprocess.run([python, "-m", "pytest", *options, *(tests / name for name in FILES)], env=variables).returncode)
