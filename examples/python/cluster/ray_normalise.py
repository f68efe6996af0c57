"""Scales an array to the range from 0 to 1, with Ray: each task reads and writes a slab.

    pip install ray
    python examples/python/cluster/ray_normalise.py SOURCE TARGET

Without a cluster (RAY_ADDRESS) the tasks run on this machine. On several machines both are in a bucket,
"s3://bucket/a.zarr", or in a file system that all of them have. A task gets an array's address and options, not its
elements."""

import sys

import ray

import tessera


@ray.remote
def extremes(source, slab):
    elements = source[slab]
    return elements.min(), elements.max()


@ray.remote
def scale(source, target, slab, low, high):
    target[slab] = (source[slab].astype("float32") - low) / (high - low or 1)


def slabs(array):
    """Whole shards, or chunks, along the first dimension: none is read or written by two tasks."""
    thick, size = (array.shards or array.chunks)[0], array.shape[0]
    return [slice(first, min(first + thick, size)) for first in range(0, size, thick)]


def normalise(source, target):
    found = ray.get([extremes.remote(source, slab) for slab in slabs(source)])
    low, high = float(min(low for low, _ in found)), float(max(high for _, high in found))
    ray.get([scale.remote(source, target, slab, low, high) for slab in slabs(source)])


if __name__ == "__main__":
    ray.init()
    given = tessera.open(sys.argv[1])
    stored = {"chunks": given.chunks, "shards": given.shards}
    normalise(given, tessera.create_array(sys.argv[2], shape=given.shape, dtype="float32", **stored))
