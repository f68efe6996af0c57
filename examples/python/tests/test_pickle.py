"""Arrays and groups in other processes: pickles have an address and options, never elements."""

import multiprocessing
import pickle

import numpy as np
import pytest
import zarr

import tessera


def double(array, first, stop):
    array[first:stop] = 2 * array[first:stop]


def names(group):
    return sorted(name for name, _ in group.members(None))


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_another_process_reads_and_writes(tmp_path, method):
    group = tessera.create_group(tmp_path / "g.zarr")
    array = group.create_array("scan/t1", shape=(40,), chunks=(4,), dtype="int32")
    array[...] = np.arange(40)
    with multiprocessing.get_context(method).Pool(2) as pool:
        pool.starmap(double, [(array, 0, 17), (array, 17, 40)])
        assert pool.apply(names, (group,)) == ["scan", "scan/t1"]
    np.testing.assert_array_equal(array[...], 2 * np.arange(40))


def test_a_pickle_has_no_elements(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(1 << 16,), dtype="uint8")
    array[...] = 7
    stored = pickle.dumps(array)
    assert len(stored) < 1000 and bytes(8 * [7]) not in stored
    array[0] = 1
    assert pickle.loads(stored)[0] == 1


def test_what_a_pickle_keeps(tmp_path):
    array = tessera.create_group(tmp_path / "g.zarr").create_array("deep/a", shape=(3,), dtype="int8")
    for node in (
        array,
        tessera.open(tmp_path / "g.zarr", mode="r"),
        tessera.open(tmp_path / "g.zarr/deep/a", mode="r"),
    ):
        again = pickle.loads(pickle.dumps(node))
        assert (again.path, again.space, again.read_only) == (node.path, node.space, node.read_only)
        assert again.store_path == node.store_path


def test_groups_keep_consolidated_metadata(tmp_path):
    with zarr.config.set({"default_zarr_format": 3}):
        root = zarr.create_group(tmp_path / "g.zarr")
        root.create_group("scan").create_array("t1", shape=(2,), dtype="int8")
        zarr.consolidate_metadata(root.store)
    scan = tessera.open(tmp_path / "g.zarr")["scan"]
    zarr.create_array(tmp_path / "g.zarr/scan/t2", shape=(2,), dtype="int8")
    assert list(scan) == list(pickle.loads(pickle.dumps(scan))) == ["t1"]
    alone = tessera.open(tmp_path / "g.zarr", use_consolidated=False)["scan"]
    assert list(alone) == list(pickle.loads(pickle.dumps(alone))) == ["t1", "t2"]


def test_a_node_that_is_gone(tmp_path):
    group = tessera.create_group(tmp_path / "g.zarr")
    stored = pickle.dumps(group.create_array("a", shape=(1,), dtype="int8"))
    del group["a"]
    with pytest.raises(tessera.NodeNotFound):
        pickle.loads(stored)
