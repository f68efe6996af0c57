"""Groups, attributes and what is said of them, as zarr-python has them."""

import collections
import multiprocessing

import numpy as np
import pytest
import zarr

import tessera


@pytest.fixture
def hierarchy(tmp_path):
    group = tessera.create_group(tmp_path / "g.zarr", attributes={"unit": "mm"})
    group.create_array("t1", shape=(4, 6), chunks=(2, 3), dtype="int16")[:2] = 5
    group.create_group("scan").create_array("deep/t2", shape=(3,), dtype="float32")
    return tmp_path / "g.zarr"


def names(members):
    return sorted(name for name, _ in members)


def test_members(hierarchy):
    group, theirs = tessera.open(hierarchy), zarr.open_group(hierarchy, mode="r")
    for depth in (0, 1, 2, None):
        assert names(group.members(depth)) == names(theirs.members(depth))
        assert group.nmembers(depth) == theirs.nmembers(depth)
    assert names(group.members()) == ["scan", "t1"]
    assert sorted(group.array_keys()) == sorted(theirs.array_keys()) == ["t1"]
    assert sorted(group.group_keys()) == sorted(theirs.group_keys()) == ["scan"]
    assert dict(group.members(None))["scan/deep/t2"].shape == (3,)
    with pytest.raises(ValueError, match="max_depth=-1"):
        group.members(-1)


def test_a_tree(hierarchy):
    group = tessera.open(hierarchy)
    expected = "/\n├── scan\n│   └── deep\n│       └── t2 (3,) float32\n└── t1 (4, 6) int16"
    assert str(group.tree()) == repr(group.tree()) == expected
    assert str(group.tree(level=1)) == "/\n├── scan\n└── t1 (4, 6) int16"
    path = hierarchy / "t1" / "zarr.json"
    path.write_text(path.read_text().replace('"zstd"', '"who"'))
    assert "└── t1 (MetadataError: " in str(group.tree()) and "├── scan" in str(group.tree())


def test_consolidated_metadata(hierarchy):
    group = tessera.open(hierarchy)
    assert not group.is_consolidated
    with pytest.raises(
        tessera.MetadataError, match="no consolidated metadata.*; tessera.consolidate_metadata makes it"
    ):
        tessera.open(hierarchy, use_consolidated=True)
    found = tessera.consolidate_metadata(hierarchy)
    assert found.is_consolidated and tessera.open(hierarchy, use_consolidated=True).is_consolidated
    assert names(zarr.open_group(hierarchy, mode="r", use_consolidated=True).members(None)) == names(
        found.members(None)
    )
    (hierarchy / "t1" / "zarr.json").rename(hierarchy / "t1" / "kept")  # everything is read from the copies
    assert names(found.members(None)) == ["scan", "scan/deep", "scan/deep/t2", "t1"]
    np.testing.assert_array_equal(tessera.open(hierarchy)["t1"][:2], np.full((2, 6), 5))
    (hierarchy / "t1" / "kept").rename(hierarchy / "t1" / "zarr.json")


def test_changes_of_consolidated_groups(hierarchy):
    group = tessera.open(hierarchy).consolidate_metadata()
    group.create_array("t3", shape=(1,), dtype="int8")
    assert sorted(group) == ["scan", "t1", "t3"] and not group.is_consolidated
    group = group.consolidate_metadata()
    scan = group["scan"]
    del scan["deep"]
    assert list(scan) == [] and not tessera.open(hierarchy).is_consolidated


def test_required_nodes(hierarchy):
    group = tessera.open(hierarchy)
    assert sorted(group.require_group("scan")) == ["deep"]
    assert list(group.require_group("new/one")) == [] and "new/one" in group
    array = group.require_array("t1", shape=(4, 6), dtype="int16")
    assert (array[0] == 5).all()
    assert group.require_array("t4", shape=4, dtype="int8", chunks=2).chunks == (2,)
    with pytest.raises(tessera.MetadataError, match=r"found an array of shape \[4, 6\], expected \[4, 7\]"):
        group.require_array("t1", shape=(4, 7), dtype="int16")
    with pytest.raises(tessera.MetadataError, match="found an array of data_type int16, expected int8"):
        group.require_array("t1", shape=(4, 6), dtype="int8")
    with pytest.raises(tessera.MetadataError, match="found a group, expected an array"):
        group.require_array("scan", shape=(4, 6), dtype="int8")
    with pytest.raises(tessera.MetadataError, match="found an array, expected a group"):
        group.require_group("t1")


def test_an_empty_name_is_not_the_group(hierarchy):
    group = tessera.open(hierarchy)
    assert "" not in group and group.get("") is None
    with pytest.raises(KeyError):
        del group[""]
    for make in (group.create_group, lambda name, **given: group.create_array(name, shape=1, dtype="i1", **given)):
        with pytest.raises(tessera.StoreError, match="g.zarr: found an empty name"):
            make("", overwrite=True)
    assert sorted(group) == ["scan", "t1"]
    with pytest.raises(TypeError, match="found 5 of type int, expected the name"):
        group[5]


def test_attributes(hierarchy):
    attributes = tessera.open(hierarchy).attrs
    attributes.update({"a": 1}, b=[2, None])
    attributes["c"] = {"d": "é"}
    assert attributes.setdefault("c", 1) == {"d": "é"} and attributes.pop("a") == 1
    del attributes["unit"]
    assert dict(attributes) == dict(zarr.open_group(hierarchy, mode="r").attrs) == {"b": [2, None], "c": {"d": "é"}}
    for name in ("unit", "a"):
        with pytest.raises(KeyError, match=name):
            del attributes[name]
    attributes.put({"e": 1})
    assert dict(attributes) == {"e": 1}
    attributes.clear()
    assert dict(attributes) == {}


def test_changes_in_between_are_kept(hierarchy):
    group = tessera.open(hierarchy)

    class Given(collections.UserDict):
        def keys(self):  # another program's change, while this one's is under way
            tessera.open(hierarchy).attrs["between"] = 1
            return super().keys()

    group.attrs.update(Given(a=1))
    assert dict(group.attrs) == {"unit": "mm", "between": 1, "a": 1}


def set_many(group, worker):
    for i in range(20):
        group.attrs[f"{worker}-{i}"] = i


def test_processes_change_attributes(hierarchy):
    group = tessera.open(hierarchy)
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.starmap(set_many, [(group, worker) for worker in range(4)])
    assert len(group.attrs) == 81


def test_info(hierarchy):
    array = tessera.open(hierarchy / "t1")
    info = array.info
    assert (info.zarr_format, info.data_type, info.shape, info.chunk_shape, info.shard_shape) == (
        3,
        "int16",
        (4, 6),
        (2, 3),
        None,
    )
    assert info.codecs == ("bytes", "zstd") and info.nbytes == 48 and info.stored_chunks is None
    complete, theirs = array.info_complete(), zarr.open_array(hierarchy / "t1", mode="r")
    assert complete.stored_chunks == theirs.nchunks_initialized == 2
    files = [path for path in (hierarchy / "t1").rglob("*") if path.is_file() and path.name != "zarr.json"]
    assert (
        complete.nbytes_stored == sum(path.stat().st_size for path in files)
        and complete.ratio == 48 / complete.nbytes_stored
    )
    assert "stored_chunks   2\n" in str(complete) and "stored" not in str(info).replace(str(hierarchy), "")
    sharded = tessera.create_array(
        hierarchy / "s", shape=(8,), chunks=(2,), shards=(4,), dtype="int8", dimension_names=["x"], compressors=None
    )
    assert (sharded.info.chunk_shape, sharded.info.shard_shape, sharded.info.codecs) == ((2,), (4,), ("bytes",))
    assert sharded.dimension_names == ("x",) and array.dimension_names is None


def test_the_build():
    info = tessera.info()
    assert info["tessera"] == tessera.__version__ and "folder" in info["stores"]
    assert set(info["stores"]) | set(info["missing_stores"]) == {"folder", "zip", "http", "s3"}
    assert {"zstd", "blosc", "gzip", "transpose"} <= set(info["codecs"]) and info["cuda"] == (
        info["why_no_cuda"] is None
    )


def test_names(hierarchy):
    """As zarr-python reads them, but for the group itself."""
    group, theirs = tessera.open(hierarchy, mode="r+"), zarr.open_group(hierarchy, mode="r")
    for name in ("scan/deep", "/scan", "scan/", "scan//deep/"):
        assert name in group and name in theirs and group[name].path == theirs[name].path
    for name in ("", "/", "..", "scan/../t1", ".", "a\0b", "\udcff", 3):
        assert name not in group
    for name in ("", "/", "none"):
        with pytest.raises(KeyError):
            group[name]
        with pytest.raises(KeyError):
            del group[name]
    for name in ("..", "scan/../t1", "./t1"):
        for use in (group.__getitem__, group.__delitem__, group.create_group, group.require_group):
            with pytest.raises(tessera.StoreError, match="g.zarr: found '.*', expected the name of a node") as raised:
                use(name)
            assert raised.value.key == name
    for name in ("", "/"):
        with pytest.raises(tessera.StoreError, match="found an empty name"):
            group.create_group(name, overwrite=True)
    assert group.create_group("/new//one/").path == group.require_group("new/one/").path == "new/one"
    del group["/new/"]
    assert sorted(group) == ["scan", "t1"]


def test_groups_are_equal_to_themselves(tmp_path):
    """And not compared by what is below, which would open it all."""
    one, other = (tessera.create_group(tmp_path / name) for name in "ab")
    assert one == one and one != other and one != {} and len({one, other, one}) == 2


def test_attributes_that_json_has_not(hierarchy):
    group = tessera.open(hierarchy, mode="r+")
    for value in ({"a": "\ud800"}, {"\ud800": 1}):
        for use in (group["t1"].attrs.put, group["t1"].attrs.update):
            with pytest.raises(tessera.MetadataError, match=r"g.zarr/t1: found '\\ud800' in attributes, expected") as raised:
                use(value)
            assert raised.value.key == "t1"
        with pytest.raises(tessera.MetadataError, match="in attributes, expected text in UTF-8"):
            group.create_group("new", attributes=value)
        with pytest.raises(tessera.MetadataError, match="in attributes, expected text in UTF-8"):
            group.create_array("new", shape=3, dtype="int8", attributes=value)
    with pytest.raises(KeyError):
        del group.attrs[3]
    assert dict(group.attrs) == {"unit": "mm"} and "new" not in group
