"""Reads arrays of other programs' current versions, bit for bit as they read them themselves: zarr-python 3.4, xarray,
GDAL, netCDF-C, anndata and z5. writers.py EXCHANGE FOLDER [ENVIRONMENT]

ENVIRONMENT is the Python environment that has them; FOLDER is emptied first. Exit status 77: there is none. If it lacks
a program, the test reports that, and continues with the others. Arrays of a hierarchy that its writer's reader does not
return, such as indices, are compared with zarr-python's elements."""
import importlib
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
    print(f"not run: {error}. tests/run.sh makes the environment of this test, if it finds Python 3.12 or newer")
    sys.exit(77)
warnings.simplefilter("ignore")


def numbers(shape, dtype, seed=0):
    """Any bits, except for bools."""
    dtype, random = np.dtype(dtype), np.random.default_rng([seed, *shape])
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype("?")
    count = int(np.prod(shape))
    return np.frombuffer(random.bytes(count * dtype.itemsize), dtype).reshape(shape).copy()


class ZarrPython:
    module, what = "zarr", "zarr-python"
    TYPES = ("bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128",
             "datetime64[ns]", "timedelta64[s]", "V5", [("id", "i4"), ("flags", "u1"), ("value", "f8")])

    def write(self, folder):
        codecs = {3: {"plain": None, "zstd": zarr.codecs.ZstdCodec(level=3, checksum=True), "gzip": zarr.codecs.GzipCodec(),
                      "blosc": zarr.codecs.BloscCodec(cname="lz4", shuffle="bitshuffle"), "default": "auto"},
                  2: {"plain": None, "default": "auto"}}
        for version, by_name in codecs.items():
            group = zarr.create_group(folder / f"v{version}", zarr_format=version)
            for n, dtype in enumerate(self.TYPES):
                for name, one in by_name.items():
                    array = group.create_array(f"{n}-{name}", shape=(7, 10), chunks=(3, 4), dtype=dtype, compressors=one)
                    array[2:] = numbers((5, 10), dtype)
            if version == 2:
                continue
            filters = {"transpose": zarr.codecs.TransposeCodec(order=(1, 0))}
            for name, one in filters.items():
                group.create_array(name, data=numbers((7, 10), "f8"), chunks=(3, 4), filters=one)
            group.create_array("big", data=numbers((7, 10), "f8"), chunks=(3, 4), serializer=zarr.codecs.BytesCodec(endian="big"))
            for n, dtype in enumerate(self.TYPES[:-2]):
                group.create_array(f"shards-{n}", data=numbers((7, 10), dtype), shards=(6, 8), chunks=(3, 4))
            group.create_array("text", data=np.array(["a", "", "dé\U0001f600"] * 4, dtype=object).astype("T"), chunks=(5,))
            group.create_array("names", data=numbers((3, 2), "i2"), dimension_names=["y", None], attributes={"unit": "K"})
            zarr.consolidate_metadata(group.store)

    def read(self, folder):
        return {}  # which is read for every hierarchy


class Xarray:
    module, what = "xarray", "xarray"

    def write(self, folder):
        import xarray as xr

        time = np.array(["2000-01-01T00", "2000-01-01T06", "2000-01-02T00"], dtype="M8[ns]")
        t2m = np.array([[271.5, np.nan, 273.0], [280.25, 1.5, 260.0], [270.0, 271.0, 272.0]])
        data = xr.Dataset({"t2m": (("time", "x"), t2m, {"units": "K"}), "mask": (("x",), np.array([True, False, True])),
                           "precise": (("time", "x"), t2m.astype("f4")), "name": (("x",), np.array(["a", "bc", "dé"], object))},
                          coords={"time": time, "x": [0.5, 1.5, 2.5], "height": 2.0})
        encoding = {"t2m": {"dtype": "i2", "scale_factor": 0.25, "add_offset": 270.0, "_FillValue": -999, "chunks": (2, 2)},
                    "time": {"units": "hours since 2000-01-01", "dtype": "i8"}}
        for version in 2, 3:
            data.to_zarr(folder / f"v{version}", zarr_format=version, encoding=encoding)
        data[["t2m"]].to_zarr(folder / "sharded", zarr_format=3, encoding={"t2m": {"chunks": (1, 1), "shards": (2, 3)}})

    def read(self, folder):
        import xarray as xr

        for root in folder.iterdir():
            data = xr.open_zarr(root, decode_cf=False, mask_and_scale=False, decode_times=False).load()
            yield from ((f"{root.name}/{name}", variable.values) for name, variable in data.variables.items())


class Gdal:
    module, what = "rasterio", "GDAL"

    def write(self, folder):
        import rasterio

        folder.mkdir()
        ways = {"ZARR_V2": ("NONE", "ZLIB", "GZIP", "ZSTD", "LZMA", "BLOSC"), "ZARR_V3": ("NONE", "GZIP", "ZSTD", "BLOSC")}
        for version, by_name in ways.items():
            for name in by_name:
                for dtype in ("uint8", "int16", "float32", "float64") if name in ("NONE", "BLOSC") else ("int16",):
                    for shuffle in ("NONE", "BYTE", "BIT") if name == "BLOSC" else (None,):
                        more = {"BLOSC_SHUFFLE": shuffle} if shuffle else {}
                        path = folder / f"{version[-2:].lower()}-{name}-{dtype}-{shuffle}.zarr".lower()
                        with rasterio.open(path, "w", driver="Zarr", width=10, height=7, count=1, dtype=dtype, nodata=1, FORMAT=version,
                                           COMPRESS=name, BLOCKSIZE="3,4", **more) as file:
                            file.write(numbers((1, 7, 10), dtype))

    def read(self, folder):
        import rasterio

        for root in folder.iterdir():
            with rasterio.open(root) as file:
                yield f"{root.name}/{root.stem}", file.read(1)


class Netcdf:
    module, what = "netCDF4", "netCDF-C"

    def write(self, folder):
        import netCDF4

        folder.mkdir()
        for mode in "nczarr", "zarr", "xarray":
            with netCDF4.Dataset(f"file://{folder}/{mode}#mode={mode},file", "w") as data:
                data.createDimension("y", 7), data.createDimension("x", 10)
                for name, dtype in (("a", "f4"), ("b", "i2"), ("c", "u8"), ("d", "f8"), ("e", "u1")):
                    options = dict(zlib=True, shuffle=False) if name in "bd" else {}
                    one = data.createVariable(name, dtype, ("y", "x"), chunksizes=(3, 4), fill_value=9, **options)
                    one[:] = numbers((7, 10), dtype)
                    one.units = "K"
                line = data.createVariable("x", "i4", ("x",))
                line[:] = np.arange(10)

    def read(self, folder):
        import netCDF4

        for root in folder.iterdir():
            with netCDF4.Dataset(f"file://{root}#mode={root.name},file") as data:
                data.set_auto_maskandscale(False)
                yield from ((f"{root.name}/{name}", np.asarray(one[...])) for name, one in data.variables.items())


class Anndata:
    module, what = "anndata", "anndata"

    def write(self, folder):
        import anndata
        import pandas as pd
        import scipy.sparse

        dense = numbers((6, 4), "u1").astype("f4")
        frame = lambda n, letter: pd.DataFrame({"count": np.arange(n), "kind": pd.Categorical(["x", "y"] * (n // 2))},
                                               index=[f"{letter}{i}" for i in range(n)])
        for name, X in (("dense", dense), ("csr", scipy.sparse.csr_matrix(dense > 120) * 2.5), ("csc", scipy.sparse.csc_matrix(dense > 99) * 1)):
            data = anndata.AnnData(X, obs=frame(6, "cell"), var=frame(4, "gene"), obsm={"pca": numbers((6, 2), "f8")})
            for version in 2, 3:
                anndata.settings.zarr_write_format = version
                data.write_zarr(folder / f"{name}-v{version}", chunks=(3, 2) if name == "dense" else None)

    def read(self, folder):
        import anndata

        for root in folder.iterdir():
            data = anndata.read_zarr(root)
            yield f"{root.name}/obsm/pca", data.obsm["pca"]
            yield f"{root.name}/obs/count", data.obs["count"].to_numpy()
            yield f"{root.name}/obs/_index/values", data.obs_names.to_numpy(object)
            yield f"{root.name}/obs/kind/codes", data.obs["kind"].cat.codes.to_numpy()
            parts = {"X": data.X} if isinstance(data.X, np.ndarray) else {f"X/{p}": getattr(data.X, p) for p in ("data", "indices", "indptr")}
            yield from ((f"{root.name}/{name}", array) for name, array in parts.items())


class Z5:
    module, what = "z5py", "z5"

    def write(self, folder):
        import z5py

        folder.mkdir()
        for version, by_name in ((2, ("raw", "blosc", "zlib", "gzip", "bzip2", "zstd")), (3, ("raw", "blosc", "gzip", "zstd"))):
            with z5py.File(folder / f"v{version}.zarr", "w", zarr_format=version) as file:
                for name in by_name:
                    if name not in (z5py.Dataset.compressors_zarr if version == 2 else z5py.Dataset.compressors_zarr_v3):
                        print(f"z5py has no {name}")
                        continue
                    for dtype in ("uint8", "int16", "uint64", "float32", "float64"):
                        data = file.create_dataset(f"group/{name}-{dtype}", shape=(7, 10), chunks=(3, 4), dtype=dtype, compression=name)
                        data[2:] = numbers((5, 10), dtype)
                        data.attrs["unit"] = "K"

    def read(self, folder):
        import z5py

        for root in folder.iterdir():
            with z5py.File(root, "r") as file:
                yield from ((f"{root.name}/group/{name}", file["group"][name][:]) for name in file["group"])


def in_bytes(array):
    """In the format in which the exchange program writes elements."""
    array = np.asarray(array)
    if array.dtype.kind in "OT" or array.dtype == object:
        each = [str(one).encode() for one in array.reshape(-1)]
        return b"".join(len(one).to_bytes(4, "little") + one for one in each)
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("=")).tobytes()


def arrays_below(folder):
    """Every array of the hierarchies below, as zarr-python reads it."""
    documents = [path for name in ("zarr.json", ".zarray") for path in folder.rglob(name)]
    for path in sorted(documents):
        version = 2 if path.name == ".zarray" else 3
        try:
            array = zarr.open_array(path.parent, mode="r", zarr_format=version)
        except Exception as error:  # a group, or a node that zarr-python cannot read
            if "group" not in path.read_text():
                yield str(path.parent.relative_to(folder)), error
            continue
        yield str(path.parent.relative_to(folder)), array


def check(writer, program, folder):
    """Returns the number of arrays, and the problems."""
    shutil.rmtree(folder, ignore_errors=True)
    writer.write(folder)
    values = folder.with_suffix(".values")
    shutil.rmtree(values, ignore_errors=True)
    wrong = []
    for root in sorted(folder.iterdir()):
        done = subprocess.run([program, "read", str(root), str(values / root.name)], capture_output=True, text=True)
        wrong += [f"{root.name}/{line}" for line in (done.stdout + done.stderr).splitlines()]
    refused = {line.split(": ")[0] for line in wrong}
    own, theirs = dict(writer.read(folder)), dict(arrays_below(folder))
    assert set(own) <= set(theirs), sorted(set(own) - set(theirs))
    for name, array in theirs.items():
        if name in refused or not (values / name).is_file():
            if name not in refused:
                wrong.append(f"{name}: not read")
            continue
        expected = own.get(name)
        if expected is None:
            if isinstance(array, Exception):
                wrong.append(f"{name}: read by tessera alone, not by zarr-python: {array}")
                continue
            expected = array[...]
        dtype = array.dtype if isinstance(array, zarr.Array) else expected.dtype
        if np.asarray(expected).dtype.kind not in "OTU":
            expected = np.asarray(expected).astype(dtype.newbyteorder("="), copy=False) if own.get(name) is not None else expected
        if (values / name).read_bytes() != in_bytes(expected):
            wrong.append(f"{name}: differs")
    return len(theirs), wrong


failed = False
for writer in (ZarrPython(), Xarray(), Gdal(), Netcdf(), Anndata(), Z5()):
    try:
        module = importlib.import_module(writer.module)
    except ImportError as error:
        print(f"{writer.what}: not run, {error}")
        continue
    version = {"rasterio": lambda: module.__gdal_version__, "netCDF4": lambda: module.__netcdf4libversion__}.get(
        writer.module, lambda: importlib.import_module("importlib.metadata").version(writer.module))()
    count, wrong = check(writer, sys.argv[1], Path(sys.argv[2]).resolve() / writer.module)
    print(f"{writer.what} {version}: {count} arrays, {len(wrong)} not as their writer reads them", *wrong, sep="\n  ")
    failed = failed or bool(wrong)
sys.exit(failed)
