"""Addresses that open: folders, zip files, URLs; and the errors for others, in Python's terms."""

import functools
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import tomllib
import urllib.request

import numpy as np
import pytest
import zarr
from serving import served

import tessera
from tessera import _stores

ICECHUNK = pathlib.Path(__file__).resolve().parents[3] / "tests/with/data"


@pytest.fixture
def hierarchy(tmp_path):
    """A group with one array and consolidated metadata, in a folder and in a zip file, and the array's elements."""
    elements = np.arange(60, dtype="int16").reshape(6, 10)
    for store in (zarr.storage.LocalStore(tmp_path / "g.zarr"), zarr.storage.ZipStore(tmp_path / "g.zip", mode="w")):
        group = zarr.create_group(store, attributes={"unit": "mm"})
        group.create_array("deep/a", data=elements, chunks=(2, 3), shards=(4, 6), attributes={"b": 1})
        if isinstance(store, zarr.storage.LocalStore):
            zarr.consolidate_metadata(store)
        store.close()
    return tmp_path, elements


def check(group, elements):
    assert dict(group.attrs) == {"unit": "mm"} and list(group) == ["deep"] and "none" not in group
    array = group["deep/a"]
    assert (array.shape, array.chunks, array.shards, dict(array.attrs)) == ((6, 10), (2, 3), (4, 6), {"b": 1})
    np.testing.assert_array_equal(array[...], elements)
    np.testing.assert_array_equal(array[1:5:2, [3, 0]], elements[1:5:2, [3, 0]])
    boxes = tessera.UniformBoxes(array.shape, (2, 2), 6)
    assert [b.shape for b in tessera.Loader(array, boxes, batch=3)] == [(3, 2, 2)] * 2


def expect_read_only(array):
    works = (lambda: array.__setitem__(..., 0), lambda: array.append(array[:1]), lambda: array.attrs.put({}))
    for work in works:
        with pytest.raises(tessera.StoreError, match="read.only|cannot be written|no write"):
            work()


def test_a_zip_file(hierarchy):
    folder, elements = hierarchy
    check(tessera.open(folder / "g.zip"), elements)
    np.testing.assert_array_equal(tessera.open(folder / "g.zip" / "deep" / "a")[...], elements)
    expect_read_only(tessera.open(folder / "g.zip" / "deep" / "a"))
    with pytest.raises(tessera.Error, match="none"):
        tessera.open(folder / "g.zip" / "none")
    for make in (functools.partial(tessera.create_array, shape=(1,), dtype="i1"), tessera.create_group):
        with pytest.raises(tessera.StoreError, match="written by tessera.open"):
            make(folder / "g.zip" / "new")


def test_over_http(hierarchy):
    folder, elements = hierarchy
    with served(folder) as (server, _):
        address = f"{server}/g.zarr"
        check(tessera.open(address), elements)
        array = tessera.open(f"{address}/deep/a")
        np.testing.assert_array_equal(array[...], elements)
        assert array.store_path.startswith(address)
        expect_read_only(array)
        with pytest.raises(tessera.Error, match="/none"):
            tessera.open(f"{address}/none")
        with pytest.raises(tessera.StoreError, match="read only: make the node in a folder"):
            tessera.create_group(f"{address}/new")


def test_a_bucket(monkeypatch):
    tests = pathlib.Path(__file__).resolve().parents[3] / "tests"
    python = tests.parent / "build/s3-venv/bin/python"
    if not python.exists():
        pytest.skip(f"there is no {python}, which tests/run.sh makes")
    command = [python, tests / "s3/server.py"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        address = f"http://127.0.0.1:{int(server.stdout.readline())}"
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sEcret/of+the=test")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
        urllib.request.urlopen(f"{address}/-/bucket?name=tests").close()
        group = tessera.create_group("s3://tests/g.zarr")
        array = group.create_array("a", shape=(6, 4), chunks=(2, 4), dtype="int16")
        array[...] = np.arange(24).reshape(6, 4)
        array.append(np.ones((1, 4), "int16"))
        found = tessera.open("s3://tests/g.zarr/a")
        np.testing.assert_array_equal(found[4:], [[16, 17, 18, 19], [20, 21, 22, 23], [1, 1, 1, 1]])
        assert list(tessera.open("s3://tests/g.zarr")) == ["a"]
        with pytest.raises(tessera.StoreError, match="404 NoSuchBucket"):
            tessera.open("s3://c/a")
        server.stdin.close()


REPOSITORIES = [ICECHUNK / "icechunk1", ICECHUNK / "icechunk2"]  # tests/with/data/make_icechunk.py made them


@pytest.mark.parametrize("repository", REPOSITORIES, ids=lambda path: path.name)
def test_snapshots_of_icechunk(repository, monkeypatch):
    expected = np.arange(600).reshape(20, 30) / 4
    monkeypatch.chdir(repository.parent)
    pickles = []
    with served(repository.parent) as (server, _):
        for place in (repository, repository.name, repository.as_uri(), f"{server}/{repository.name}"):
            group = tessera.open(f"{place}|icechunk://branch.main")
            assert sorted(group) == ["group", "native", "scalar", "virtual"] and group.attrs["title"] == "second"
            assert group["group/inline"][...].tolist() == [0, 1, 2, 3, 0, 0, 0]
            tagged = tessera.open(f"{place}|icechunk://tag.first/native")
            np.testing.assert_array_equal(tagged[...], expected)
            assert tessera.open(f"{place}|icechunk://branch.other/native")[0, 0] == -1
            pickles.append(pickle.dumps(tagged))
        monkeypatch.chdir("/")
        for stored in pickles:
            np.testing.assert_array_equal(pickle.loads(stored)[3:9, ::2], expected[3:9, ::2])
        with pytest.raises(tessera.MetadataError, match='no tag "none"'):
            tessera.open(f"{server}/{repository.name}|icechunk://tag.none")
    with pytest.raises(tessera.MetadataError, match=r"Icechunk repository: .* ends in \|icechunk://branch.main"):
        tessera.open(repository)
    expect_read_only(tessera.open(f"{repository}|icechunk://branch.main/native"))
    with pytest.raises(tessera.StoreError, match="snapshots of Icechunk and references files are read only"):
        tessera.open(f"{repository}|icechunk://branch.main", mode="a")
    with pytest.raises(tessera.StoreError, match="found endpoint, which no store has"):
        tessera.open(f"{repository}|icechunk://branch.main", storage_options={"endpoint": "x"})


def test_files_outside_a_repository(monkeypatch):
    """The repository names them below /elsewhere."""
    place = f"{ICECHUNK}/icechunk1|icechunk://branch.main/virtual"
    with pytest.raises(tessera.StoreError, match="/elsewhere"):
        tessera.open(place)[...]
    with served(ICECHUNK) as (server, _):
        with pytest.raises(tessera.StoreError, match="may not name files of this machine"):
            tessera.open(f"{server}/icechunk1|icechunk://branch.main/virtual")[...]
    opened = _stores._referenced
    monkeypatch.setattr(
        _stores,
        "_referenced",
        lambda options, address, is_trusted: opened(options, address.replace("/elsewhere", str(ICECHUNK)), is_trusted),
    )
    np.testing.assert_array_equal(tessera.open(place)[...], np.arange(600, dtype="int32").reshape(20, 30))


def test_references_files(tmp_path):
    expected = np.arange(600, dtype="int32").reshape(20, 30)
    for name in ("references.json", "references.h5"):
        shutil.copy(ICECHUNK / name, tmp_path)
    text = (tmp_path / "references.json").read_text()
    with served(tmp_path) as (server, asked), served(tmp_path) as (other, asked_of_other):
        (tmp_path / "far.json").write_text(text.replace("references.h5", f"{other}/references.h5"))
        options = {"headers": {"Authorization": "Bearer x"}}
        for place in (tmp_path / "references.json", f"{server}/references.json", f"{server}/far.json"):
            array = tessera.open(f"{place}/plain", storage_options=options)
            np.testing.assert_array_equal(array[...], expected)
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(array))[...], expected)
            assert sorted(tessera.open(place, storage_options=options)) == ["group", "plain", "small"]
        assert {header for _, header in asked} == {"Bearer x"}
        assert {path for path, _ in asked_of_other} == {"/references.h5"}
        assert {header for _, header in asked_of_other} == {None}
        (tmp_path / "far.json").write_text(text.replace("references.h5", "gcs://bucket/a.h5"))
        with pytest.raises(tessera.StoreError, match="no store for gcs://"):
            tessera.open(f"{tmp_path}/far.json/plain")[...]


def test_an_interrupt_while_a_referenced_store_opens_stays_an_interrupt(tmp_path, monkeypatch):
    for name in ("references.json", "references.h5"):
        shutil.copy(ICECHUNK / name, tmp_path)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_stores, "_referenced", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tessera.open(f"{tmp_path}/references.json/plain")[...]


@pytest.mark.parametrize(
    "address, words",
    [
        ("gcs://bucket/a.zarr", "no store for gcs://, but for .* gs://.*FsspecStore"),
        ("memory://a", "no store for memory://.*FsspecStore"),
        ("/tmp/a\0b.zarr", "has a NUL"),
        ("file:///tmp/a%00b.zarr", "has a NUL"),
        ("/tmp/\udcff.zarr", "is not UTF-8"),
        (b"/tmp/\xff.zarr", "is not UTF-8"),
        ("file://user:secret@host/a.zarr", "^file://host/a.zarr: found a file of another host"),
    ],
)
def test_addresses_of_nothing(address, words):
    works = (tessera.open, tessera.create_group, functools.partial(tessera.create_array, shape=(1,), dtype="i1"))
    for work in works:
        with pytest.raises(tessera.StoreError, match=words):
            work(address)


@pytest.mark.parametrize("address", ["https://user:secret@host/a", "az://account/container/a?sig=secret"])
def test_a_missing_library_is_named_without_secrets(monkeypatch, address):
    def no_module(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(_stores.importlib, "import_module", no_module)
    with pytest.raises(tessera.StoreError, match="this module was built without libcurl") as raised:
        tessera.open(address)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("name", ["a\0b", "\udcff"])
def test_names_of_nothing(tmp_path, name):
    group = tessera.create_group(tmp_path / "g.zarr")
    works = (
        lambda: group[name],
        lambda: group.create_group(name),
        lambda: group.create_array(name, shape=(1,), dtype="i1"),
        lambda: group.__delitem__(name),
    )
    for work in works:
        with pytest.raises(tessera.StoreError, match="has a NUL|is not UTF-8"):
            work()
    assert name not in group and list(group) == [] and os.listdir(tmp_path) == ["g.zarr"]


def test_paths_of_bytes(made):
    array, expected = made
    np.testing.assert_array_equal(tessera.open(os.fsencode(array.store_path))[...], expected)
    with pytest.raises(tessera.NodeNotFound, match="there is no array") as caught:
        tessera.open(b"nothing.zarr")
    assert isinstance(caught.value, tessera.MetadataError) and isinstance(caught.value, FileNotFoundError)
    assert "startswith" not in str(caught.value)


OF_CPP = re.compile(r"include|<tessera|\.hpp|codec::|Codecs<|Pipeline<|space::|open\(\) of|\.overwrite")


@pytest.mark.parametrize("codec", ["zfp", "numcodecs.zfpy", "who"])
def test_codecs_that_the_module_lacks(made, codec):
    array, _ = made
    path = pathlib.Path(array.store_path) / "zarr.json"
    document = json.loads(path.read_text())
    document["codecs"].append({"name": codec, "configuration": {}})
    path.write_text(json.dumps(document))
    with pytest.raises(tessera.MetadataError, match=f"{codec}.*; this module has no such codec: zarr-python may") as caught:
        tessera.open(array.store_path)
    assert not OF_CPP.search(str(caught.value)), caught.value


def test_a_node_that_is_there(made):
    array, _ = made
    with pytest.raises(tessera.MetadataError, match="overwrite=True replaces it$") as caught:
        tessera.create_array(array.store_path, shape=(1,), dtype="i1")
    assert not OF_CPP.search(str(caught.value)), caught.value


def test_version():
    project = pathlib.Path(__file__).resolve().parents[3] / "pyproject.toml"
    assert tessera.__version__ == tomllib.loads(project.read_text())["project"]["version"]
    cmake = (project.parent / "CMakeLists.txt").read_text()
    assert f"project(tessera VERSION {tessera.__version__} " in cmake
