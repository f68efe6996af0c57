"""Consolidated metadata, NaN in it, while zarr-python and the command change a hierarchy in turn: zarr-python always
opens the current nodes. consolidated.py COMMAND FOLDER [ENVIRONMENT]. ENVIRONMENT is the Python environment that has
zarr-python. Exit status 77: there is none."""
import math
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

if len(sys.argv) > 3 and (python := Path(sys.argv[3], "bin", "python")).exists():
    os.execv(python, [str(python), *sys.argv[:3]])
try:
    import numpy as np
    import zarr
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test")
    sys.exit(77)

warnings.simplefilter("ignore")  # that consolidated metadata is not part of the specification
command, folder = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
root, new = folder / "root.zarr", folder / "new.npy"
np.save(new, np.array([7.5]))


def tessera(*arguments, says=True):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    lines = done.stderr.splitlines()
    assert len(lines) == says and all("consolidated metadata was removed" in line for line in lines), (arguments, lines)


def is_consolidated():
    return zarr.open_group(root, mode="r").metadata.consolidated_metadata is not None


def member_names():
    return sorted(name for name, _ in zarr.open_group(root, mode="r").members(max_depth=None))


attributes = {"_FillValue": math.nan, "valid_range": [-math.inf, math.inf]}
group = zarr.create_group(root, attributes=attributes)
group.create_group("g").create_array("a", shape=(4,), chunks=(2,), dtype="f8", compressors=None, attributes=attributes)[:] = 1
zarr.consolidate_metadata(root)
assert is_consolidated()

tessera("append", new, root / "g/a")
assert zarr.open_group(root, mode="r")["g/a"][:].tolist() == [1, 1, 1, 1, 7.5]
tessera("resize", root / "g/a", "2", says=False)  # it was removed
for change, names in ((["write", new, root / "g/b"], ["g", "g/a", "g/b"]), (["mv", root / "g/b", root / "b"], ["b", "g", "g/a"]),
                      (["copy", root / "b", root / "h/c"], ["b", "g", "g/a", "h", "h/c"]), (["rm", root / "h"], ["b", "g", "g/a"]),
                      (["resize", root / "g/a", "3"], ["b", "g", "g/a"])):
    zarr.consolidate_metadata(root)  # by zarr-python, after the command
    assert is_consolidated()
    tessera(*change)
    assert member_names() == names, (change, member_names())
    assert not is_consolidated()
tessera("consolidate", root, says=False)  # and zarr-python opens it so
found = zarr.open_consolidated(root)
assert sorted(name for name, _ in found.members(max_depth=None)) == ["b", "g", "g/a"]
assert found["g/a"][:].tolist() == [1, 1, 0]
for version, to in (2, "v3"), (3, "v2"):  # converted in place to the other format, including tessera's copies
    other = folder / f"{version}.zarr"
    group = zarr.create_group(other, zarr_format=version, attributes=attributes)
    group.create_group("g", attributes={"n": 1}).create_group("empty")
    keys = {"name": "v2", "separator": "."}
    group.create_array("g/a", shape=(4, 6), chunks=(3, 2), dtype="i2", chunk_key_encoding=keys, order="F" if version == 2 else None,
                       attributes=attributes)[:] = np.arange(24).reshape(4, 6)
    group.create_array("s", shape=(), dtype="f8", compressors=None, chunk_key_encoding=keys)[...] = 2.5
    zarr.consolidate_metadata(other)
    tessera("validate", other, says=False)
    tessera("consolidate", other, says=False)
    ours = zarr.open_consolidated(other)
    tessera("convert", other, "--to", to)
    tessera("consolidate", other, says=False)
    theirs = zarr.open_consolidated(other)
    assert theirs.metadata.zarr_format == int(to[1])
    for group in ours, theirs:
        assert sorted(name for name, _ in group.members(max_depth=None)) == ["g", "g/a", "g/empty", "s"]
        assert math.isnan(group.attrs["_FillValue"]) and group["g"].attrs["n"] == 1
        assert group["g"].metadata.consolidated_metadata is not None
    assert (theirs["g/a"][:] == np.arange(24).reshape(4, 6)).all() and theirs["s"][...] == 2.5
    assert math.isnan(theirs["g/a"].attrs["_FillValue"])
found = zarr.open_group(root, mode="r")
assert found["g/a"][:].tolist() == [1, 1, 0] and found["b"][:].tolist() == [7.5]
for node in found, found["g/a"]:
    assert math.isnan(node.attrs["_FillValue"]) and node.attrs["valid_range"] == [-math.inf, math.inf]
print(f"zarr-python {zarr.__version__} sees what is there after each of 7 changes")
