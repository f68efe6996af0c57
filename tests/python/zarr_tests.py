"""zarr_tests.py ENVIRONMENT FOLDER INSTALLED: runs zarr-python's own tests, which fetch_source.py puts into FOLDER,
over tessera's codec pipeline, with the module in INSTALLED. Failures must be the exceptions that the module's README.md
lists. With --own instead of INSTALLED: over zarr-python's own pipeline."""

import os
import pathlib
import re
import subprocess
import sys

FILES = ["tests/test_array.py", "tests/test_indexing.py", "tests/test_v2.py", "tests/test_codecs", "tests/test_api.py"]
# Of the random tests those of elements; the others are of documents.
FILES += [f"tests/test_properties.py::test_{what}" for what in ("array_roundtrip", "basic_indexing", "oindex", "vindex")]
# tessera does not read a shard that it replaces as a whole; zarr-python does, and its test counts that.
EXCEPTIONS = {
    f"tests/test_array.py::test_create_array_with_data_num_gets[{kind}-{shards}]" for kind in ("numpy", "zarr") for shards in (1, 3)
}  # fmt: skip

environment, folder, installed = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
is_own = installed.name == "--own"
python = environment / "bin" / "python"


def skip(why: str) -> None:
    print(f"not run: zarr-python's tests over tessera's codec pipeline, because {why}")
    sys.exit(77)


found = sorted(folder.glob("zarr-*/pyproject.toml"))
if not python.exists():
    skip(f"there is no Python environment {environment}; tests/run.sh makes it")
if not found:
    skip(f"they are not in {folder}; tests/run.sh downloads them")
if not is_own and not (installed / "tessera").exists():
    skip(f"the Python module is not in {installed}; the test python-module builds it")
if subprocess.run([python, "-c", "import hypothesis, pytest_asyncio, fsspec"], capture_output=True).returncode:
    skip(f"{environment} lacks what they import; tests/run.sh makes it anew")

variables = os.environ | {"HYPOTHESIS_PROFILE": "ci"}  # the same random examples each time
if not is_own:
    variables |= {"PYTHONPATH": str(installed), "ZARR_CODEC_PIPELINE__PATH": "tessera.zarr.CodecPipeline"}
options = ["-o", "addopts=", "-o", "log_cli=false", "-q", "-rf", "--tb=short", "-p", "no:cacheprovider"]
run = subprocess.run([python, "-m", "pytest", *options, *FILES], cwd=found[-1].parent, env=variables, capture_output=True, text=True)
failed = set(re.findall(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE))
expected = set() if is_own else EXCEPTIONS
summary = run.stdout.strip().splitlines()[-1:]
if run.returncode not in (0, 1) or not summary or "passed" not in summary[0] or failed != expected:
    print(run.stdout, run.stderr)
    print("failed, and not an exception:", *sorted(failed - expected), sep="\n  ")
    print("an exception, and did not fail:", *sorted(expected - failed), sep="\n  ")
    sys.exit(1)
print(*summary, f"({len(expected)} exceptions)")
