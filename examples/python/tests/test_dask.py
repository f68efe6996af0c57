"""dask's arrays over tessera's: read in parallel, and written by tasks of several processes."""

import dask
import dask.array
import distributed
import numpy as np
import pytest
import xarray

import tessera

SHAPE = (64, 48)


@pytest.fixture
def stored(tmp_path):
    elements = np.arange(64 * 48, dtype="int32").reshape(SHAPE)
    group = tessera.create_group(tmp_path / "g.zarr")
    array = group.create_array(
        "a", shape=SHAPE, chunks=(4, 4), shards=(16, 24), dtype="int32", dimension_names=["y", "x"]
    )
    array[...] = elements
    return group, elements


@pytest.fixture(scope="module")
def cluster():
    options = {
        "n_workers": 4,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": None,
        "host": "127.0.0.1",
    }
    with dask.config.set({"distributed.worker.daemon": False}), distributed.LocalCluster(**options) as local:
        with distributed.Client(local) as client:
            yield client


def test_reads(stored):
    group, elements = stored
    lazy = dask.array.from_array(group["a"], chunks=(10, 17))
    np.testing.assert_array_equal(lazy[3:40:3, [5, 1, 1]], elements[3:40:3, [5, 1, 1]])
    assert lazy.sum().compute(scheduler="threads") == elements.sum()
    assert dask.array.from_array(group["a"]).dtype == np.dtype("int32")


def test_other_elements_have_other_names(stored):
    """dask takes results of one name for the same: arrays of two places have two."""
    group, _ = stored
    group.create_array("b", shape=SHAPE, chunks=(4, 4), dtype="int32")
    names = {dask.array.from_array(group[name], chunks=(8, 8)).name for name in ("a", "a", "b")}
    assert len(names) == 2


def test_processes_read(stored, cluster):
    group, elements = stored
    lazy = dask.array.from_array(group["a"], chunks=(7, 48))
    np.testing.assert_array_equal((2 * lazy).compute(), 2 * elements)
    ours = xarray.open_dataset(group.store_path, engine="tessera", chunks={"y": 7})
    np.testing.assert_array_equal(ours.a.mean("x").compute(), elements.mean(1))


@pytest.mark.parametrize("chunks", [(5, 7), (1, 48), (16, 24)])
def test_processes_write_parts_of_the_same_shards(stored, cluster, chunks):
    """Tasks whose regions share shards, and chunks: the four processes lose nothing of each other."""
    group, elements = stored
    array = group.create_array("b", shape=SHAPE, chunks=(4, 4), shards=(32, 48), dtype="int32", fill_value=-1)
    lazy = dask.array.from_array(elements, chunks=chunks)
    dask.array.store(lazy, array, lock=False)
    np.testing.assert_array_equal(array[...], elements)
    assert len({worker["pid"] for worker in cluster.run(lambda: {"pid": __import__("os").getpid()}).values()}) == 4


def test_processes_write_regions(stored, cluster):
    group, elements = stored
    array = group.create_array("c", shape=(80, 60), chunks=(4, 4), shards=(16, 12), dtype="int32")
    regions = [(slice(3, 35), slice(2, 50)), (slice(35, 67), slice(2, 50))]
    halves = [dask.array.from_array(part, chunks=(3, 5)) for part in (elements[:32], elements[32:])]
    dask.array.store(halves, [array, array], regions=regions, lock=False)
    np.testing.assert_array_equal(array[3:67, 2:50], elements)
    assert array[...].sum() == elements.sum()
