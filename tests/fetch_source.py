"""fetch_source.py ENVIRONMENT PACKAGE FOLDER PART...: copies parts of the source distribution of PACKAGE, of the
version in ENVIRONMENT, into FOLDER/PACKAGE-VERSION. Does nothing if they exist."""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

environment, package, folder, *parts = sys.argv[1:]
python, folder = pathlib.Path(environment, "bin", "python"), pathlib.Path(folder)
asked = [python, "-c", f"import importlib.metadata as m; print(m.version('{package}'))"]
version = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
name = f"{package}-{version}"
if (folder / name).exists():
    sys.exit()
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
with tempfile.TemporaryDirectory(dir=folder) as here:
    subprocess.run(
        [python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--retries", "1", "--no-deps", "--no-binary",
         package, "--dest", here, f"{package}=={version}"],
        check=True,
    )  # fmt: skip
    with tarfile.open(next(pathlib.Path(here).glob("*.tar.gz"))) as archive:
        archive.extractall(here, filter="data")
    wanted = pathlib.Path(here, "wanted")
    wanted.mkdir()
    for part in parts:
        shutil.move(pathlib.Path(here, name, part), wanted / part)
    wanted.rename(folder / name)
