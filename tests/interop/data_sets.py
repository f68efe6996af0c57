"""Data sets of xarray and pyramids of ome-zarr, in both formats of Zarr: the command lists and checks them, and reads
the values that their writers read. data_sets.py COMMAND FOLDER [ENVIRONMENT]. ENVIRONMENT is the Python environment
that has the writers. Exit status 77: there is none."""
import json
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
    import ome_zarr.format
    import ome_zarr.writer
    import xarray as xr
    import zarr
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test")
    sys.exit(77)

warnings.simplefilter("ignore")
command, folder = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)


def tessera(*arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, (arguments, done.stdout, done.stderr)
    return done.stdout


def read(path):
    tessera("read", path, "--output", folder / "read.npy")
    return np.load(folder / "read.npy")


def expect_all_of(root):
    """All arrays that zarr-python lists, and their stored values; without errors or extra arrays."""
    assert ": 0 failures, 0 stray keys\n" in tessera("validate", root), tessera("validate", root)
    nodes = {node["path"]: node for node in json.loads(tessera("info", root, "--json"))["nodes"]}
    group = zarr.open_group(root, mode="r", use_consolidated=False)
    members = dict(group.members(max_depth=None))
    assert set(nodes) == {"", *members}, (set(nodes), set(members))
    for name, member in members.items():
        assert nodes[name]["problem"] is None, nodes[name]
        if isinstance(member, zarr.Array):
            np.testing.assert_array_equal(read(root / name), member[...])
    return nodes


def data_set():
    time = np.array(["2000-01-01T00", "2000-01-01T06", "2000-01-02T00"], dtype="M8[ns]")
    t2m = np.array([[271.5, np.nan, 273.0], [280.25, 1.5, 260.0], [270.0, 271.0, 272.0]])
    data = xr.Dataset({"t2m": (("time", "x"), t2m, {"units": "K"}), "mask": (("x",), np.array([True, False, True])),
                       "precise": (("time", "x"), t2m.astype("f4"))},
                      coords={"time": time, "x": [0.5, 1.5, 2.5], "height": 2.0}, attrs={"title": "made"})
    encoding = {"t2m": {"dtype": "i2", "scale_factor": 0.25, "add_offset": 270.0, "_FillValue": -999, "chunks": (2, 2)},
                "time": {"units": "hours since 2000-01-01", "dtype": "i8"}}
    return data, encoding


for version in 2, 3:
    for consolidated in True, False:
        root = folder / f"xarray-{version}-{consolidated}.zarr"
        data, encoding = data_set()
        data.to_zarr(root, zarr_format=version, consolidated=consolidated, encoding=encoding)
        nodes = expect_all_of(root)
        assert nodes["t2m"]["dimension_names"] == ["time", "x"]
        stored = read(root / "t2m")
        assert stored.dtype == np.int16 and stored[0, 1] == -999
        unpacked = np.where(stored == -999, np.nan, stored * 0.25 + 270)
        np.testing.assert_array_equal(unpacked, xr.open_zarr(root, zarr_format=version)["t2m"].values)
        assert read(root / "time").tolist() == [0, 6, 24] and read(root / "height") == 2
        assert nodes["time"]["attributes"]["units"] == "hours since 2000-01-01"
        text = tessera("info", root)
        assert "CF          coordinate of dimension time, times in hours since 2000-01-01" in text, text
        assert "packed: stored * 0.25 + 270" in text, text
        if consolidated:  # copies that tessera makes equal xarray's
            tessera("consolidate", root)
            xr.testing.assert_identical(xr.open_zarr(root, consolidated=True).load(), xr.open_zarr(root, consolidated=False).load())
        before = xr.open_zarr(root).load()
        to = 5 - version
        if version == 3:  # xarray's chunks have the keys of v3, which v2 lacks
            refused = subprocess.run([command, "convert", str(root), "--to", "v2"], capture_output=True, text=True)
            assert refused.returncode == 1 and "member chunk_key_encoding" in refused.stderr, refused
            continue
        subprocess.run([command, "convert", str(root), "--to", "v3"], check=True, capture_output=True)
        tessera("consolidate", root)
        assert not list(root.rglob(".z*"))
        expect_all_of(root)
        xr.testing.assert_identical(xr.open_zarr(root, consolidated=True).load(), before)


def missing_values():
    """Every kind of missing value that xarray writes, with chunks that are not stored."""
    names = {"none": {}, "minus": {"dtype": "i2", "_FillValue": -1, "scale_factor": 0.5},
             "zero": {"dtype": "u1", "_FillValue": 0, "scale_factor": 0.5},
             "float": {"dtype": "f4", "_FillValue": np.float32(9.96921e36)}, "nan": {"dtype": "f8", "_FillValue": np.nan}}
    data = xr.Dataset({name: ("x", np.array([20.0, np.nan, 21.0, 0.5])) for name in names})
    data["none"] = ("x", np.array([0, 1, 2, 3]))
    data["text"] = ("x", np.array(["a", "", "c", "d"]))
    data["complex"] = ("x", np.array([1 + 2j, 0, 3, 4]))
    data["scalar"] = ((), 0)
    data["scalar_float"] = ((), 2.5)
    return data, {name: {**encoding, "chunks": (2,)} for name, encoding in names.items()}


data, encoding = missing_values()
for way in "convert", "copy", "back":
    root, copied = folder / f"missing-{way}.zarr", folder / f"missing-{way}-to.zarr"
    if way == "back":
        data = data.drop_vars("float")  # whose fill value is NaN beside another _FillValue, which v2 cannot express
        del encoding["float"]
    data.to_zarr(root, zarr_format=3 if way == "back" else 2, encoding=encoding)
    before = xr.open_zarr(root, consolidated=False).load()
    if way == "convert":
        subprocess.run([command, "convert", str(root), "--to", "v3"], check=True, capture_output=True)
        copied = root
    else:
        number = "2" if way == "back" else "3"
        subprocess.run([command, "copy", str(root), str(copied), "--zarr-format", number], check=True, capture_output=True)
    for name in before.variables:  # no attribute is added that xarray shows
        assert "_ARRAY_DIMENSIONS" not in xr.open_zarr(copied, consolidated=False)[name].attrs
    xr.testing.assert_identical(xr.open_zarr(copied, consolidated=False).load(), before)
    assert "missing -1" in tessera("info", root) and "missing -1" in tessera("info", copied)

for version, kind in (2, ome_zarr.format.FormatV04), (3, ome_zarr.format.FormatV05):
    root = folder / f"image-{version}.zarr"
    image = np.random.default_rng(27).integers(0, 4000, (2, 8, 64, 48), dtype="u2")
    ome_zarr.writer.write_image(image, zarr.open_group(root, mode="w", zarr_format=version), axes="czyx", fmt=kind(),
                                scale_factors=[2, 4])
    nodes = expect_all_of(root)
    assert nodes[""]["zarr_format"] == version
    text = tessera("info", root)
    levels = [name for name, node in nodes.items() if node["node_type"] == "array"]
    assert f"OME-Zarr    {kind().version} multiscale image" in text and "axes c, z, y, x" in text, text
    assert len(levels) >= 2 and all(f"{level} (scale 1" in text for level in levels), (levels, text)
    np.testing.assert_array_equal(read(root / levels[0]), image)

print(f"tessera reads what xarray {xr.__version__} and ome-zarr write with zarr-python {zarr.__version__}, in v2 and v3")
