"""Opening by zarr-python's modes."""

import numpy as np
import pytest
import zarr

import tessera

NEW = {"shape": (4,), "dtype": "int16"}


@pytest.mark.parametrize("mode", [None, "r", "r+"])
def test_what_is_missing_is_not_made(tmp_path, mode):
    with pytest.raises(tessera.NodeNotFound):
        tessera.open(tmp_path / "a.zarr", mode=mode)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="found dtype, shape, which describe a new node, expected mode 'a'"):
        tessera.open(tmp_path / "a.zarr", mode=mode, **NEW)


def test_a_opens_or_makes(tmp_path):
    made = tessera.open(tmp_path / "a.zarr", mode="a", **NEW)
    made[...] = 5
    again = tessera.open(tmp_path / "a.zarr", mode="a", shape=(99,), dtype="int8")
    assert again.shape == (4,) and (again[...] == 5).all()
    group = tessera.open(tmp_path / "g.zarr", mode="a", attributes={"a": 1})
    assert dict(group.attrs) == {"a": 1} and dict(tessera.open(tmp_path / "g.zarr", mode="a").attrs) == {"a": 1}


def test_w_replaces(tmp_path):
    tessera.open(tmp_path / "a.zarr", mode="w", **NEW)[...] = 5
    assert (tessera.open(tmp_path / "a.zarr", mode="w", **NEW)[...] == 0).all()
    assert list(tessera.open(tmp_path / "a.zarr", mode="w")) == []


def test_w_minus_makes_only(tmp_path):
    tessera.open(tmp_path / "a.zarr", mode="w-", **NEW)[...] = 5
    for description in (NEW, {}):
        with pytest.raises(tessera.MetadataError, match="overwrite=True replaces it"):
            tessera.open(tmp_path / "a.zarr", mode="w-", **description)
    assert (tessera.open(tmp_path / "a.zarr")[...] == 5).all()


def test_r_is_read_only(tmp_path):
    group = tessera.create_group(tmp_path / "g.zarr", attributes={"a": 1})
    group.create_array("x", **NEW)[...] = 5
    group = tessera.open(tmp_path / "g.zarr", mode="r")
    array = group["x"]
    assert group.read_only and array.read_only
    works = (
        lambda: array.__setitem__(..., 1), lambda: array.append(np.ones(1)), lambda: array.resize(9),
        lambda: array.attrs.update(b=1), lambda: array.attrs.put({}), lambda: group.attrs.__delitem__("a"),
        lambda: group.create_array("y", **NEW), lambda: group.create_group("z"), lambda: group.require_group("z"),
        lambda: group.__delitem__("x"), lambda: group.consolidate_metadata(),
    )  # fmt: skip
    for work in works:
        with pytest.raises(tessera.StoreError, match="found mode='r', which is read only, expected 'r\\+' or 'a'"):
            work()
    now = tessera.open(tmp_path / "g.zarr", mode="r+")
    assert (now["x"][...] == 5).all() and dict(now.attrs) == {"a": 1} and list(now) == ["x"] and not now.read_only
    now["x"][0] = 1


def test_one_kind(tmp_path):
    tessera.open_group(tmp_path / "g.zarr", mode="w")
    tessera.open_array(tmp_path / "a.zarr", mode="w-", **NEW)
    assert isinstance(tessera.open_array(tmp_path / "a.zarr"), tessera.Array)
    assert isinstance(tessera.open_group(tmp_path / "g.zarr", mode="a", attributes={"b": 1}), tessera.Group)
    for mode in (None, "r", "a"):
        with pytest.raises(tessera.MetadataError, match="found a group, expected an array"):
            tessera.open_array(tmp_path / "g.zarr", mode=mode, **(NEW if mode == "a" else {}))
        with pytest.raises(tessera.MetadataError, match="found an array, expected a group"):
            tessera.open_group(tmp_path / "a.zarr", mode=mode)


@pytest.mark.parametrize("description", [NEW, {}])
def test_w_replaces_nothing_but_nodes(tmp_path, description):
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("text")
    folder.mkdir()
    (folder / "other").write_text("text")
    for path, found in ((file, "found a file, expected a folder"), (folder, "no node to erase")):
        with pytest.raises(tessera.StoreError, match=f"{path}: .*{found}") as caught:
            tessera.open(path, mode="w", **description)
        assert caught.value.store == str(path)
    assert file.read_text() == (folder / "other").read_text() == "text"


def test_modes_and_descriptions_that_are_wrong(tmp_path):
    with pytest.raises(ValueError, match="found mode 'x', expected 'r'"):
        tessera.open(tmp_path, mode="x")
    with pytest.raises(ValueError, match="found dtype, expected a shape too"):
        tessera.open(tmp_path / "a.zarr", mode="w", dtype="int8")
    with pytest.raises(tessera.StoreError, match="web servers are read only"):
        tessera.open("http://127.0.0.1:9/a", mode="a")


@pytest.mark.parametrize("consolidated", [False, True])
def test_zarr_v2(tmp_path, consolidated):
    theirs = zarr.create_group(tmp_path / "g.zarr", zarr_format=2, attributes={"a": 1})
    theirs.create_array("scan/t1", data=np.arange(6, dtype="int16").reshape(2, 3), chunks=(2, 2), attributes={"b": 2})
    if consolidated:
        zarr.consolidate_metadata(theirs.store)
    group = tessera.open(tmp_path / "g.zarr")
    assert [name for name, _ in group.members(None)] == ["scan", "scan/t1"] and group.is_consolidated == consolidated
    array = tessera.open(tmp_path / "g.zarr/scan/t1", mode="r+")
    assert array.path == "scan/t1"  # of the hierarchy, whose locks and copies apply
    assert array.info.zarr_format == 2 and dict(array.attrs) == {"b": 2} and dict(group.attrs) == {"a": 1}
    array[0] = [7, 8, 9]
    array.attrs["c"] = 3
    again = zarr.open_group(tmp_path / "g.zarr", mode="r", use_consolidated=False)["scan/t1"]
    np.testing.assert_array_equal(again[...], [[7, 8, 9], [3, 4, 5]])
    assert dict(again.attrs) == {"b": 2, "c": 3}
