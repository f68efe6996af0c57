"""fetch_zarr_tests.py ENVIRONMENT FOLDER: puts the tests of the zarr-python that is in ENVIRONMENT into FOLDER, from its
source distribution. Does nothing if they are there."""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

environment, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
python = environment / "bin" / "python"
asked = [python, "-c", "import importlib.metadata as m; print(m.version('zarr'))"]
version = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
name = f"zarr-{version}"
if (folder / name).exists():
    sys.exit()
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
with tempfile.TemporaryDirectory() as here:
    subprocess.run(
        [python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--retries", "1", "--no-deps", "--no-binary",
         "zarr", "--dest", here, f"zarr=={version}"],
        check=True,
    )  # fmt: skip
    with tarfile.open(next(pathlib.Path(here).glob("*.tar.gz"))) as archive:
        archive.extractall(here, filter="data")
    for part in ("tests", "pyproject.toml"):
        shutil.move(pathlib.Path(here) / name / part, pathlib.Path(here) / part)
    (folder / name).mkdir()
    for part in ("tests", "pyproject.toml"):
        shutil.move(pathlib.Path(here) / part, folder / name / part)
