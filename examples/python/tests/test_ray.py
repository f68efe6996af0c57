"""Ray's tasks in four processes: the example's result, and its requests, are those of one process."""

import importlib
import os
import pathlib

import numpy as np
import pytest
from serving import served

import tessera

ray = pytest.importorskip("ray", reason="Ray is not installed")
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "cluster"


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The module, on a cluster of four processes, whose servers listen on this machine's own address alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))  # Ray writes a token there
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(FOLDER)]))
        patch.setenv("no_proxy", "127.0.0.1")
        patch.syspath_prepend(FOLDER)
        options = {"include_dashboard": False, "object_store_memory": 80 << 20, "_node_ip_address": "127.0.0.1"}
        ray.init(num_cpus=4, log_to_driver=False, **options)
        try:
            yield importlib.import_module("ray_normalise")
        finally:
            ray.shutdown()


@pytest.fixture
def source(tmp_path):
    """The address of an array, its elements, and what its server was asked for."""
    elements = np.arange(64 * 48, dtype="int32").reshape(64, 48) - 1000
    array = tessera.create_array(tmp_path / "a.zarr", shape=elements.shape, dtype="int32", chunks=(8, 16))
    array[...] = elements
    with served(tmp_path) as (server, asked):
        yield f"{server}/a.zarr", elements, asked


def chunks_of(asked):
    return sorted(path for path, _ in asked if "/c/" in path)


def test_four_processes_do_the_work_of_one(tmp_path, example, source):
    address, elements, asked = source
    array = tessera.open(address)
    low, high = float(array[...].min()), float(array[...].max())
    expected = (elements.astype("float32") - low) / (high - low)
    of_one = chunks_of(asked)
    assert len(of_one) == 2 * len(set(of_one)) == 2 * 8 * 3
    asked.clear()
    target = tessera.create_array(tmp_path / "b.zarr", shape=(64, 48), dtype="float32", chunks=(8, 16))
    example.normalise(array, target)
    np.testing.assert_array_equal(target[...], expected)
    assert chunks_of(asked) == of_one


def test_four_processes_write_parts_of_the_same_shards(tmp_path, example):
    elements = np.arange(64 * 48, dtype="int32").reshape(64, 48)
    array = tessera.create_array(tmp_path / "a.zarr", shape=(64, 48), dtype="int32", chunks=(8, 8), shards=(64, 48))

    @ray.remote(num_cpus=1)
    class Writer:
        def process(self):
            return os.getpid()

        def write(self, array, elements, first):
            array[first::4] = elements[first::4]  # parts of every chunk

    writers = [Writer.remote() for _ in range(4)]
    processes = set(ray.get([writer.process.remote() for writer in writers]))
    ray.get([writer.write.remote(array, elements, first) for first, writer in enumerate(writers)])
    assert len(processes - {os.getpid()}) == 4
    np.testing.assert_array_equal(array[...], elements)
