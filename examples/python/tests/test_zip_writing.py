"""Zip files that are written: `with tessera.open("a.zip", mode="w")`, or close()."""

import pickle
import warnings
import zipfile

import numpy as np
import pytest
import zarr

import tessera

NEW = {"shape": (4,), "chunks": (2,), "dtype": "int16"}


def made(path, value=5):
    with tessera.open(path, mode="w", attributes={"unit": "mm"}) as group:
        group.create_array("deep/a", **NEW)[...] = value
    return path


@pytest.mark.parametrize("name", ["a.zip", "a.zarr.zip", "a.ozx"])
def test_zarr_python_reads_it(tmp_path, name):
    path = made(tmp_path / name)
    assert [one.name for one in tmp_path.iterdir()] == [name]
    with zarr.storage.ZipStore(path, mode="r") as store:
        theirs = zarr.open_group(store, mode="r")
        assert dict(theirs.attrs) == {"unit": "mm"}
        np.testing.assert_array_equal(theirs["deep/a"][...], np.full(4, 5))
    assert zipfile.ZipFile(path).testzip() is None
    np.testing.assert_array_equal(tessera.open(path / "deep/a")[...], np.full(4, 5))


def test_nothing_is_there_before_the_end(tmp_path):
    group = tessera.open(tmp_path / "a.zip", mode="w")
    group.create_array("a", **NEW)[...] = 1
    assert not (tmp_path / "a.zip").exists() and (group["a"][...] == 1).all()
    group.close()
    assert (tessera.open(tmp_path / "a.zip/a")[...] == 1).all()
    group["a"][0] = 2  # for the next close()
    assert tessera.open(tmp_path / "a.zip/a")[0] == 1
    group.close()
    assert tessera.open(tmp_path / "a.zip/a")[0] == 2


@pytest.mark.parametrize("mode", ["a", "r+"])
def test_a_file_is_changed(tmp_path, mode):
    path = made(tmp_path / "a.zip")
    with tessera.open(path, mode=mode) as group:
        assert dict(group.attrs) == {"unit": "mm"} and not group.read_only
        group["deep/a"][1] = 9
        group.create_group("new")
    with tessera.open(path / "deep/a", mode=mode) as array:
        array[2] = 8
        array.attrs["b"] = 1
    found = tessera.open(path)
    np.testing.assert_array_equal(found["deep/a"][...], [5, 9, 8, 5])
    assert dict(found["deep/a"].attrs) == {"b": 1} and sorted(found) == ["deep", "new"]


def test_modes(tmp_path):
    path = made(tmp_path / "a.zip")
    with pytest.raises(tessera.StoreError, match="mode='w-'; 'w' replaces it"):
        tessera.open(path, mode="w-")
    with tessera.open(path / "b", mode="w-", **NEW) as array:
        array[...] = 3
    assert (tessera.open(path / "deep/a")[...] == 5).all() and (tessera.open(path / "b")[...] == 3).all()
    with tessera.open(path / "b", mode="w", **NEW):
        pass
    assert (tessera.open(path / "deep/a")[...] == 5).all() and (tessera.open(path / "b")[...] == 0).all()
    with tessera.open(path, mode="w"):
        pass
    assert list(tessera.open(path)) == []
    with tessera.open(tmp_path / "new.zip", mode="w-", **NEW) as array:
        array[...] = 4
    assert (tessera.open(tmp_path / "new.zip")[...] == 4).all()
    for mode in (None, "r", "r+"):
        with pytest.raises(tessera.NodeNotFound if mode != "r+" else tessera.StoreError):
            tessera.open(tmp_path / "none.zip", mode=mode)
    assert not (tmp_path / "none.zip").exists()


@pytest.mark.parametrize("mode", [None, "r"])
def test_a_file_that_is_read(tmp_path, mode):
    path = made(tmp_path / "a.zip")
    for work in (lambda g: g["deep/a"].__setitem__(0, 1), lambda g: g.create_group("b"), lambda g: g.attrs.put({})):
        with pytest.raises(tessera.StoreError, match="opened read only: tessera.open\\(path, mode='a'\\) writes to it"):
            work(tessera.open(path, mode=mode))


def test_an_exception_leaves_the_file_as_it_was(tmp_path):
    path = made(tmp_path / "a.zip")
    before = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with pytest.raises(LookupError):
            with tessera.open(path, mode="w") as group:
                group.create_array("a", **NEW)
                raise LookupError
        with pytest.raises(LookupError):
            with tessera.open(path / "deep/a", mode="r+") as array:
                array[0] = 9
                raise LookupError
        del group, array
    assert path.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == ["a.zip"]


def test_what_an_exception_dropped_is_not_written_later(tmp_path):
    path = made(tmp_path / "a.zip")
    before = path.read_bytes()
    group = tessera.open(path, mode="a")
    with pytest.raises(LookupError):
        with group:
            group["deep/a"][...] = 9
            raise LookupError
    with pytest.raises(tessera.StoreError, match="a.zip: an exception ended `with`.*open it again"):
        group["deep/a"][0] = 1
    group.close()
    assert path.read_bytes() == before


def test_a_file_that_is_not_closed_is_told(tmp_path):
    group = tessera.open(tmp_path / "a.zip", mode="w")
    with pytest.warns(ResourceWarning, match="a.zip: the zip file was not closed, and stays as it was"):
        del group
    assert list(tmp_path.iterdir()) == []
    path = made(tmp_path / "b.zip")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        tessera.open(path, mode="a")["deep/a"][...]  # without a change
        with pytest.raises(tessera.NodeNotFound):
            tessera.open(path / "none", mode="r+")


def test_it_stays_in_its_process(tmp_path):
    with tessera.open(tmp_path / "a.zip", mode="w", **NEW) as array:
        with pytest.raises(tessera.StoreError, match="a.zip: a zip file that is being written.*close it"):
            pickle.dumps(array)
    array = pickle.loads(pickle.dumps(tessera.open(tmp_path / "a.zip")))
    assert (array[...] == 0).all()


def test_nodes_by_themselves(tmp_path):
    made(tmp_path / "a.zip")
    for path in (tmp_path / "a.zip", tmp_path / "a.zip/b", tmp_path / "new.zip", tmp_path / "new.ozx/b"):
        for make in (lambda path: tessera.create_array(path, **NEW), tessera.create_group):
            with pytest.raises(tessera.StoreError, match="zip files are written by tessera.open\\(path, mode='a'\\)"):
                make(path)
    (tmp_path / "folder.zip").mkdir()
    assert tessera.create_group(tmp_path / "folder.zip" / "g").path == ""
    assert isinstance(tessera.open(tmp_path / "folder.zip" / "h", mode="a"), tessera.Group)


@pytest.mark.parametrize("mode", [None, "r", "a", "w"])
def test_a_file_that_is_no_zip_file(tmp_path, mode):
    (tmp_path / "a.zip").write_bytes(b"text")
    with pytest.raises(tessera.StoreError, match="a.zip: found a file that is no zip file"):
        tessera.open(tmp_path / "a.zip", mode=mode)
    assert (tmp_path / "a.zip").read_bytes() == b"text"


def test_the_folder_is_missing(tmp_path):
    with pytest.raises(tessera.Error, match="none"):
        tessera.open(tmp_path / "none" / "a.zip", mode="w")
