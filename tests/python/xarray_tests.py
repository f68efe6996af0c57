"""xarray_tests.py ENVIRONMENT INSTALLED: runs xarray's own tests of Zarr, which its wheel has, with tessera's engine
from the module in INSTALLED. Failures must be the exceptions that the module's README.md lists. With --own instead of
INSTALLED: with xarray's engine."""

import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

# That fail with xarray's engine too: they are for one of the formats, and are not skipped for the other.
OWN = {
    "test_dimension_names[2]", "test_hidden_zarr_keys[3]", "test_shard_encoding_with_dask[2]",
    "test_zarr_fill_value_in_encoding_on_read[2]",
}  # fmt: skip
EXCEPTIONS = {
    "test_roundtrip_None_variable[2]", "test_roundtrip_None_variable[3]", "test_zarr_fill_value_setting[2-int]",
    "test_zarr_fill_value_setting[2-float]", "test_compressor_encoding[2]", "test_compressor_encoding[3]",
}  # fmt: skip

environment, installed = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
is_own = installed.name == "--own"
python = environment / "bin" / "python"


def skip(why: str) -> None:
    print(f"not run: xarray's tests with tessera's engine, because {why}")
    sys.exit(77)


if not python.exists():
    skip(f"there is no Python environment {environment}; tests/run.sh makes it")
if not is_own and not (installed / "tessera").exists():
    skip(f"the Python module is not in {installed}; the test python-module builds it")
if subprocess.run([python, "-c", "import xarray.tests, dask, pytest_asyncio"], capture_output=True).returncode:
    skip(f"{environment} lacks what they import; tests/run.sh makes it anew")

variables = os.environ | ({"TESSERA_XARRAY_ENGINE": "zarr"} if is_own else {"PYTHONPATH": str(installed)})
tests = pathlib.Path(__file__).with_name("xarray_backend.py").absolute()
with tempfile.TemporaryDirectory() as folder:
    report = pathlib.Path(folder, "report.xml")
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-p", "xarray.tests.conftest", f"--junitxml={report}"]
    run = subprocess.run(
        [python, "-m", "pytest", *options, tests], cwd=folder, env=variables, capture_output=True, text=True
    )
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase")) if report.exists() else []
failed = {case.get("name") for case in cases for one in case if one.tag in ("failure", "error")}
expected = OWN if is_own else OWN | EXCEPTIONS
if run.returncode not in (0, 1) or len(cases) < 300 or failed != expected:
    print(run.stdout, run.stderr)
    print("failed, and not an exception:", *sorted(failed - expected), sep="\n  ")
    print("an exception, and did not fail:", *sorted(expected - failed), sep="\n  ")
    sys.exit(1)
print(*run.stdout.strip().splitlines()[-1:], f"({len(expected)} of them exceptions)")
