"""torch_tests.py SOURCE ENVIRONMENT FOLDER: exchanges tensors with PyTorch by the module in FOLDER/installed, and runs
the pages' lines of Python. PyTorch is the environment's own, or else that of Debian and Ubuntu (python3-torch), without
its other packages."""

import os
import pathlib
import subprocess
import sys

DEBIAN = pathlib.Path("/usr/lib/python3/dist-packages/torch")
source, environment, folder = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
python, installed, alone = environment / "bin" / "python", folder / "installed", folder / "torch"


def skip(why: str) -> None:
    print(f"not run: the exchange of tensors with PyTorch, because {why}")
    sys.exit(77)


if not python.exists():
    skip(f"there is no Python environment {environment}; tests/run.sh makes it")
if not (installed / "tessera").exists():
    skip(f"the Python module is not in {installed}; the test python-module builds it")
paths = [str(installed)]
if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode:
    if not DEBIAN.exists():
        skip("it is not installed (Debian and Ubuntu: apt install python3-torch; tests/run.sh --all does it)")
    alone.mkdir(exist_ok=True)
    (alone / "torch").unlink(missing_ok=True)
    (alone / "torch").symlink_to(DEBIAN)
    paths.append(str(alone))
variables = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
found = subprocess.run([python, "-W", "ignore", "-c", "import torch; print(torch.__version__)"], env=variables, capture_output=True, text=True)
if found.returncode:
    skip(f"it cannot be imported: {found.stderr.strip().splitlines()[-1]}")
print("PyTorch", found.stdout.strip())
options = ["-q", "-rs", "-p", "no:cacheprovider", "-W", "ignore:Failed to initialize NumPy"]
tests = [source / "examples" / "python" / "tests" / name for name in ("test_torch.py", "test_pages.py")]
sys.exit(subprocess.run([python, "-m", "pytest", *options, *tests], env=variables).returncode)
