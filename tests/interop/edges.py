"""The arrays that examples/device made from the brain volume, opened by zarr-python and compared with the same sums in
NumPy: edges.py FOLDER [ENVIRONMENT]. ENVIRONMENT is the Python environment that has zarr-python. Exit status 77: there
is none."""
import os
import sys
from pathlib import Path

if len(sys.argv) > 2 and (python := Path(sys.argv[2], "bin", "python")).exists():
    os.execv(python, [str(python), *sys.argv[:2]])
try:
    import numpy as np
    import zarr
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test")
    sys.exit(77)


def taken(volume, axis, offset):
    """Each element's neighbour along an axis; beyond the border, the border's value continues."""
    return np.take(volume, np.clip(np.arange(volume.shape[axis]) + offset, 0, volume.shape[axis] - 1), axis)


brain = Path(__file__).resolve().parents[2] / "examples/data/brain.zarr"
t1, edges = zarr.open_array(brain / "t1", mode="r"), zarr.open_array(Path(sys.argv[1], "edges"), mode="r")
volume = t1[...].astype(np.int64)
for axis in range(3):
    volume = sum(weight * taken(volume, axis, offset) for weight, offset in zip([1, 4, 6, 4, 1], range(-2, 3)))
squares = sum((taken(volume, axis, 1) - taken(volume, axis, -1)) ** 2 for axis in range(3))
expected = (np.sqrt(squares.astype(np.float64)) / 8192).astype(np.float32)

assert (edges.shape, edges.chunks, edges.dtype) == (t1.shape, t1.chunks, np.float32), edges.info
assert edges.metadata.dimension_names == ("x", "y", "z") and edges.attrs["units"] == "arbitrary intensity per voxel"
assert (edges[...].view(np.uint32) == expected.view(np.uint32)).all(), "elements differ"
print(f"zarr-python {zarr.__version__} reads {edges.shape} elements, each with the bits that NumPy finds")
