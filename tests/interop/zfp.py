"""zfp and zfpy through the command: zfp.py COMMAND FIXTURES FOLDER [ENVIRONMENT]. Chunks of zfpy that numcodecs wrote
are read as it reads them, in arrays of v2, including numcodecs' own fixtures; the command's output equals numcodecs',
byte for byte, and for zfp that of zfpy's library without its header. ENVIRONMENT is the Python environment that has
numcodecs and zfpy. Exit status 77: there is none."""
import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

if len(sys.argv) > 4 and (python := Path(sys.argv[4], "bin", "python")).exists():
    os.execv(python, [str(python), *sys.argv[:4]])
try:
    import numpy as np
    import zarr
    import zfpy
    from numcodecs.zfpy import ZFPY
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test")
    sys.exit(77)

warnings.simplefilter("ignore")  # that codecs of numcodecs are not part of the specification of v3
command, fixtures, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
MODES = {"reversible": dict(mode=4), "accuracy": dict(mode=4, tolerance=0.01), "rate": dict(mode=2, rate=10.5),
         "precision": dict(mode=3, precision=12)}
OF_ZFP = {"reversible": {"mode": "reversible"}, "accuracy": {"mode": "fixed_accuracy", "tolerance": 0.01},
          "rate": {"mode": "fixed_rate", "rate": 10.5}, "precision": {"mode": "fixed_precision", "precision": 12}}
SHAPES = [(7,), (64,), (5, 9), (3, 4, 5), (2, 3, 5, 7)]


def run(*arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)


def read(path):
    (folder / "read.npy").unlink(missing_ok=True)
    run("read", path, "--output", folder / "read.npy")
    return np.load(folder / "read.npy")


def same(found, expected, what):
    assert found.dtype == expected.dtype and found.shape == expected.shape and found.tobytes() == expected.tobytes(), what


count = 0
random = np.random.default_rng(79)
for shape in SHAPES:
    for dtype in ("<f4", "<f8", "<i4", "<i8"):
        elements = (random.standard_normal(shape).cumsum(axis=-1) * 1000).astype(dtype)
        np.save(folder / "a.npy", elements)
        for mode, configuration in MODES.items():
            what = (shape, dtype, mode)
            codec = ZFPY(**configuration)
            theirs = codec.encode(elements)
            decoded = np.asarray(codec.decode(theirs)).reshape(shape)
            assert mode != "reversible" or decoded.tobytes() == elements.tobytes(), what
            # zarr-python writes, tessera reads.
            array = zarr.create_array(folder / "theirs", shape=shape, chunks=shape, dtype=dtype, compressors=codec, zarr_format=2,
                                      fill_value=0, overwrite=True)
            array[...] = elements
            same(read(folder / "theirs"), decoded, ("read", *what))
            # tessera writes, zarr-python reads; the chunk is the same.
            for version, path in ((2, folder / "v2"), (3, folder / "v3")):
                run("write", folder / "a.npy", path, "--zarr-format", version, "--chunks", ",".join(map(str, shape)), "--overwrite",
                    "--codecs", json.dumps([{"name": "numcodecs.zfpy", "configuration": configuration}]))
                chunk = path / ("c/" + "/".join("0" * len(shape)) if version == 3 else ".".join("0" * len(shape)))
                assert chunk.read_bytes() == theirs, ("write", version, *what)
                same(np.asarray(zarr.open_array(path)[...]), decoded, ("open", version, *what))
            # The registered codec's bytes are the same without a header.
            run("write", folder / "a.npy", folder / "zfp", "--chunks", ",".join(map(str, shape)), "--overwrite",
                "--codecs", json.dumps([{"name": "zfp", "configuration": OF_ZFP[mode]}]))
            bare = zfpy.compress_numpy(elements, write_header=False, **{k: v for k, v in configuration.items() if k != "mode"})
            assert (folder / "zfp/c" / "/".join("0" * len(shape))).read_bytes() == bare, ("zfp", *what)
            same(read(folder / "zfp"), decoded, ("zfp", *what))
            count += 1

read_fixtures = 0
for config in sorted(fixtures.glob("numcodecs-*/fixture/zfpy/codec.*/config.json")):
    for stored in sorted(config.parent.glob("encoded.*.dat")):
        expected = np.load(config.parent.parent / f"array.{stored.name.split('.')[1]}.npy")
        path = folder / "fixture"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        (path / ".zarray").write_text(json.dumps({
            "zarr_format": 2, "shape": expected.shape, "chunks": expected.shape, "dtype": expected.dtype.str, "fill_value": 0,
            "order": "C", "filters": None, "compressor": json.loads(config.read_text())}))
        shutil.copy(stored, path / ".".join("0" * expected.ndim))
        decoded = np.asarray(zfpy.decompress_numpy(stored.read_bytes())).reshape(expected.shape)
        same(read(path), decoded, stored)
        read_fixtures += 1
print(f"{count} arrays in each direction and format, {read_fixtures} fixtures: all the same")
