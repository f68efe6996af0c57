"""Nodes: opened, made, changed; zarr-python reads what tessera writes, and vice versa."""

import fcntl
import os
import pathlib
import shutil
import signal
import threading

import numpy as np
import pytest
import zarr

import tessera

SLEEPS = ("35", "230")  # the numbers of nanosleep and clock_nanosleep on x86-64


def test_the_brain(brain):
    group = tessera.open(brain)
    theirs = zarr.open_group(brain, mode="r")
    assert sorted(name for name, _ in group.arrays()) == sorted(name for name, _ in theirs.arrays())
    for name, array in group.arrays():
        assert (array.shape, array.chunks, array.shards) == (theirs[name].shape, theirs[name].chunks, theirs[name].shards)
        assert array.dtype == theirs[name].dtype
        assert dict(array.attrs) == dict(theirs[name].attrs)
        np.testing.assert_array_equal(array[...], theirs[name][...])
    assert tessera.open(brain / "t1").path == "t1"
    assert tessera.open(f"file://{brain}/t1").shape == theirs["t1"].shape


@pytest.mark.parametrize("shards", [None, (8, 8)])
@pytest.mark.parametrize("fill", [0, 7, None])
def test_zarr_python_reads_what_is_made(tmp_path, shards, fill):
    array = tessera.create_array(
        tmp_path / "a.zarr", shape=(20, 9), dtype="float32", chunks=(4, 2), shards=shards, fill_value=fill,
        attributes={"unit": "mm"}, dimension_names=["y", None],
    )  # fmt: skip
    expected = np.full((20, 9), fill or 0, "float32")
    array[3:15, 1:8] = expected[3:15, 1:8] = np.random.default_rng(0).random((12, 7), "float32")
    theirs = zarr.open_array(tmp_path / "a.zarr", mode="r")
    np.testing.assert_array_equal(theirs[...], expected)
    assert (theirs.chunks, theirs.shards, dict(theirs.attrs)) == (array.chunks, array.shards, {"unit": "mm"})
    assert theirs.metadata.dimension_names == ("y", None)
    assert array.fill_value == theirs.fill_value == (fill or 0)


@pytest.mark.parametrize("compressors", ["auto", None, zarr.codecs.GzipCodec(), zarr.codecs.BloscCodec(cname="lz4")])
def test_codecs_of_zarr_python(tmp_path, compressors):
    transpose = {"name": "transpose", "configuration": {"order": [1, 0]}}
    array = tessera.create_array(
        tmp_path / "a.zarr", shape=(6, 4), dtype="int16", chunks=(3, 3), filters=[transpose], compressors=compressors
    )
    array[...] = np.arange(24).reshape(6, 4)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "a.zarr", mode="r")[...], np.arange(24).reshape(6, 4))


def test_codecs_take_what_they_lack_from_the_array(tmp_path):
    """As zarr-python does it: the size of elements, and the shuffle for it."""
    codecs = {
        "f8": ([], [zarr.codecs.BloscCodec()]),
        "u1": ([], [zarr.codecs.BloscCodec(cname="lz4")]),
        "i2": ([{"name": "transpose", "configuration": {"order": [0]}}], [zarr.codecs.BloscCodec(typesize=8)]),
        "i4": ([], zarr.codecs.BloscCodec(shuffle="bitshuffle")),
        "i8": ([], [zarr.codecs.numcodecs.Shuffle(), zarr.codecs.GzipCodec()]),
        "U3": ([], zarr.codecs.BloscCodec()),
    }
    for dtype, (filters, compressors) in codecs.items():
        given = {"shape": (8,), "dtype": dtype, "filters": filters, "compressors": compressors}
        zarr.create_array(tmp_path / f"{dtype}-theirs", **given)
        ours, theirs = tessera.create_array(tmp_path / dtype, **given), tessera.open(tmp_path / f"{dtype}-theirs")
        assert ours._document["codecs"] == theirs._document["codecs"]
    wide = tessera.create_array(
        tmp_path / "wide", shape=(8,), dtype="bfloat16", chunks=4, shards=8, compressors=zarr.codecs.BloscCodec()
    )
    inner = wide._document["codecs"][0]["configuration"]["codecs"]
    assert inner[1]["configuration"]["typesize"] == 2 and inner[1]["configuration"]["shuffle"] == "shuffle"


def test_words_of_zarr_python(tmp_path):
    array = tessera.create_array(
        tmp_path / "a.zarr", shape=(3,), dtype="int8", chunks="auto", filters="auto", compressors="auto"
    )
    assert array.chunks == (3,) and array.info.codecs == ("bytes", "zstd")
    for name in ("chunks", "filters", "compressors", "shards"):
        with pytest.raises(tessera.MetadataError, match=f"found {name} 'best', expected"):
            tessera.create_array(tmp_path / "b.zarr", shape=(3,), dtype="int8", **{name: "best"})
    with pytest.raises(TypeError, match="found no shape and no dtype, expected a shape and a dtype for a new array"):
        tessera.open_array(tmp_path / "b.zarr", mode="a")
    with pytest.raises(TypeError, match="found order, expected of a new array's arguments: shape, dtype"):
        tessera.open(tmp_path / "b.zarr", mode="a", shape=3, dtype="int8", order="F")
    with pytest.raises(TypeError, match="found order, expected"):
        tessera.create_group(tmp_path / "c.zarr").require_array("a", shape=3, dtype="int8", order="F")


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [("float32", np.nan), ("float64", -np.inf), ("complex64", 1 + 2j), ("int8", -3), ("bool", True), ("uint64", 2**64 - 1)],
)
def test_fill_values_are_elements(tmp_path, dtype, fill):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=dtype, fill_value=fill)
    expected = zarr.open_array(tmp_path / "a.zarr").fill_value
    assert type(array.fill_value) is type(expected)
    np.testing.assert_equal([array.fill_value, array[1]], [expected, expected])


def test_fill_values_that_are_missing(tmp_path):
    zarr.create_array(tmp_path / "a.zarr", shape=(2,), dtype="int8", zarr_format=2, fill_value=None)
    assert tessera.open(tmp_path / "a.zarr").fill_value is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.5])
def test_fill_values(tmp_path, value):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype="float32", fill_value=value)
    np.testing.assert_array_equal(array[...], np.full(2, value, "float32"))
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "a.zarr", mode="r")[...], array[...])


@pytest.mark.parametrize(
    "dtype, value",
    [("int32", 1.5), ("int32", np.nan), ("int32", "1.5"), ("uint8", -1), ("uint8", 256), ("uint8", np.float64(300)),
     ("float32", 1 + 2j), ("int32", 1j), ("float32", 1e300), ("complex64", 1e300j), ("float16", 70000), ("bool", 2), ("bool", "x"),
     ("float32", [1.0]), ("int64", 2**63), ("V3", b"ab"), ("V3", 5), ("float32", np.datetime64("2020"))],
)  # fmt: skip
def test_fill_values_that_no_element_has(tmp_path, dtype, value):
    with pytest.raises(tessera.MetadataError, match="found fill_value"):
        tessera.create_array(tmp_path / "a.zarr", shape=(2,), dtype=dtype, fill_value=value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "dtype, value, expected",
    [("int32", 2.0, 2), ("int32", "7", 7), ("int32", True, 1), ("uint64", 2**64 - 1, 2**64 - 1), ("float32", 0.1, np.float32(0.1)),
     ("float32", 3 + 0j, 3), ("float64", 2**200, 2.0**200), ("float32", "NaN", np.nan), ("bool", 1, True), ("complex64", "1+2j", 1 + 2j),
     ("V3", b"abc", np.void(b"abc")), ("V3", 0, np.void(b"\0\0\0"))],
)  # fmt: skip
def test_fill_values_that_are_converted(tmp_path, dtype, value, expected):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(1,), dtype=dtype, fill_value=value)
    np.testing.assert_array_equal(array[0], np.asarray(expected, array.dtype)[()])


def test_groups(tmp_path):
    group = tessera.create_group(tmp_path / "g.zarr", attributes={"a": [1, {"b": None}]})
    scan = group.create_group("scan")
    scan.create_array("t1", shape=(3,), dtype="int8")[...] = 5
    assert list(group) == ["scan"] and "scan/t1" in group and "t2" not in group
    assert (group["scan/t1"][...] == 5).all()
    assert [name for name, _ in scan.arrays()] == ["t1"]
    group.attrs["c"] = 2.5
    group.attrs.update(d="x")
    del group.attrs["a"]
    assert dict(zarr.open_group(tmp_path / "g.zarr", mode="r").attrs) == {"c": 2.5, "d": "x"}
    del group["scan"]
    assert list(group) == []
    for missing in (lambda: group["scan"], lambda: group.__delitem__("scan")):
        with pytest.raises(KeyError):
            missing()
    below = tessera.create_array(tmp_path / "g.zarr" / "deep" / "t2", shape=(2,), dtype="int8")
    assert below.path == "deep/t2" and "deep" in group


def test_resize_and_append(made):
    array, expected = made
    array.resize((30, 10))
    theirs = zarr.open_array(array.store_path)
    assert array.shape == theirs.shape == (30, 10)
    np.testing.assert_array_equal(array[:23], expected[:, :10])
    assert (array[23:] == -1).all()
    assert array.append(np.ones((2, 10))) == (32, 10)
    assert array.append(np.zeros((32, 1)), axis=1) == (32, 11)
    np.testing.assert_array_equal(zarr.open_array(array.store_path)[...], array[...])
    assert array.append(np.zeros((32, 2)), axis=-1) == (32, 13)
    line = tessera.create_array(f"{array.store_path}/../line.zarr", shape=(1,), dtype="int8")
    assert line.append(5) == (2,) and line[...].tolist() == [0, 5]
    with pytest.raises(tessera.SelectionError):
        array.append(np.zeros((2, 3)))
    for axis in (2, -3):
        with pytest.raises(tessera.SelectionError, match="axis"):
            array.append(np.zeros((32, 1)), axis=axis)


def test_an_array_without_dimensions_does_not_grow(tmp_path):
    with pytest.raises(tessera.SelectionError, match="a.zarr: found an array without dimensions"):
        tessera.create_array(tmp_path / "a.zarr", shape=(), dtype="int8").append(1)


def test_a_deleted_folder_is_not_made_anew(tmp_path, made):
    array, _ = made
    shutil.rmtree(array.store_path)
    for write in (lambda: array.__setitem__(..., 1), lambda: array.append(np.ones((1, 17))), lambda: array.resize((9, 9))):
        with pytest.raises(tessera.Error, match="a.zarr"):
            write()
    assert not (tmp_path / "a.zarr").exists()


def test_errors_say_where(tmp_path, made):
    with pytest.raises(tessera.MetadataError, match="zarr.json"):
        tessera.open(tmp_path / "nothing")
    with pytest.raises(tessera.StoreError, match="gs"):
        tessera.open("gs://bucket/a")
    with pytest.raises(ValueError, match="moon"):
        tessera.open(tmp_path, space="moon")
    with pytest.raises(tessera.MetadataError, match="overwrite"):
        tessera.create_array(tmp_path / "a.zarr", shape=(1,), dtype="int8")
    array, _ = made
    (tmp_path / "a.zarr" / "c" / "0" / "0").write_bytes(b"not zstd")
    with pytest.raises(tessera.CodecError) as raised:
        array[...]
    assert raised.value.key == "c/0/0" and raised.value.codec == "zstd" and "c/0/0" in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_progress_ends_a_read(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(64,), dtype="int8", chunks=(1,))
    array[...] = 1
    seen = []
    array.read(progress=lambda done, chunks: seen.append((done, chunks)))
    assert seen[-1] == (64, 64) and [done for done, _ in seen] == sorted(done for done, _ in seen)

    def stop(done, chunks):
        raise LookupError(done)

    with pytest.raises(LookupError):
        array.read(progress=stop)
    assert (array[...] == 1).all()


def test_a_signal_ends_a_read(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(64,), dtype="int8", chunks=(1,))
    array[...] = 1
    sent = []

    def interrupt(done, chunks):
        if not sent:
            sent.append(done)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        array.read(progress=interrupt)
    assert (array[...] == 1).all()


@pytest.mark.parametrize("dtype", ["int8", "string"])
def test_a_signal_ends_an_append(tmp_path, dtype):
    """It comes while the append waits for the lock of the array's folder."""
    array = tessera.create_array(tmp_path / "a.zarr", shape=(4,), dtype=dtype, chunks=(1,))
    given = np.full(500, "1", np.dtypes.StringDType()).astype(array.dtype)
    waiting = pathlib.Path(f"/proc/self/task/{threading.get_native_id()}/syscall")

    def interrupt(folder):
        while waiting.read_text().split()[0] not in SLEEPS:
            pass
        os.kill(os.getpid(), signal.SIGINT)
        os.close(folder)  # which ends the lock

    for _ in range(20):
        array.resize(4)
        folder = os.open(tmp_path / "a.zarr", os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        thread = threading.Thread(target=interrupt, args=[folder])
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            array.append(given)
        thread.join()
        if array.shape == (4,):
            break  # otherwise the library's threads wrote every chunk, and left none to this one, which sees signals
    assert array.shape == (4,)
    assert array.append(given[:2]) == (6,) and array[5] == given[0]


def test_the_interpreter_runs_meanwhile(tmp_path, made):
    """A write of part of a chunk waits for the lock of its file, which another thread of this interpreter releases."""
    array, expected = made
    with open(tmp_path / "a.zarr" / "c" / "0" / "0", "rb") as chunk:
        fcntl.flock(chunk, fcntl.LOCK_EX)

        writer = pathlib.Path(f"/proc/self/task/{threading.get_native_id()}/syscall")

        def is_waiting():  # between two tries for the lock
            return writer.read_text().split()[0] in SLEEPS

        def give_back():
            while not is_waiting():
                pass
            fcntl.flock(chunk, fcntl.LOCK_UN)

        thread = threading.Thread(target=give_back)
        thread.start()
        array[0, 0] = expected[0, 0] = 99
        thread.join()
    np.testing.assert_array_equal(array[...], expected)


def test_threads_share_an_array(made):
    array, expected = made
    wrong = []

    def read():
        for _ in range(20):
            if not np.array_equal(array[...], expected):
                wrong.append(1)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_it_is_typed():
    package = os.path.dirname(tessera.__file__)
    assert os.path.exists(os.path.join(package, "py.typed"))
    assert "class Tensor" in open(os.path.join(package, "_tessera.pyi")).read()


def test_shapes_that_are_wrong(tmp_path):
    for given in ({"shape": (1.5,)}, {"shape": (4,), "chunks": (1.5,)}):
        with pytest.raises(TypeError, match="float"):
            tessera.create_array(tmp_path / "a.zarr", dtype="int8", **given)
    array = tessera.create_array(tmp_path / "a.zarr", shape=(4,), dtype="int8")
    for shape in (-1, (-1,), (1 << 64,)):
        with pytest.raises(tessera.SelectionError, match="a.zarr: found the shape .*, expected numbers from 0"):
            array.resize(shape)
    with pytest.raises(TypeError, match="float"):
        array.resize((1.5,))
    scalar = tessera.create_array(tmp_path / "b.zarr", shape=(), dtype="int8")
    with pytest.raises(TypeError, match="without dimensions"):
        len(scalar)
    assert array.shape == (4,)
