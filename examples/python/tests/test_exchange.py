"""Exchange of memory: no copy where none is requested."""

import gc
import json
import subprocess
import sys
import threading

import numpy as np
import pytest

import tessera


def address(array):
    return array.__array_interface__["data"][0]


def test_numpy_shares_the_tensor(made):
    array, expected = made
    tensor = array.read(np.s_[2:9])
    by_interface, by_dlpack = np.asarray(tensor), np.from_dlpack(tensor)
    assert address(by_interface) == address(by_dlpack) == address(tensor)
    np.testing.assert_array_equal(by_dlpack, expected[2:9])
    by_interface[0, 0] = 99
    assert by_dlpack[0, 0] == 99
    del tensor, by_interface
    gc.collect()
    assert by_dlpack[0, 1] == expected[2, 1]


def test_jax_shares_the_tensor(made):
    jax = pytest.importorskip("jax")
    array, expected = made
    tensor = array.read()
    theirs = jax.dlpack.from_dlpack(tensor)
    np.testing.assert_array_equal(np.asarray(theirs), expected)
    assert theirs.unsafe_buffer_pointer() == address(tensor)


def test_jax_has_numbers_that_numpy_does_not_have(tmp_path):
    jax = pytest.importorskip("jax")
    array = tessera.create_array(tmp_path / "a.zarr", shape=(6, 5), dtype=jax.numpy.bfloat16, chunks=(4, 5), fill_value=1.5)
    assert array.nbytes == 60 and array.fill_value == 1.5
    assert (jax.dlpack.from_dlpack(array.read()) == 1.5).all()
    array[2:5] = jax.numpy.arange(15, dtype="bfloat16").reshape(3, 5)
    tensor = array.read()
    theirs = jax.dlpack.from_dlpack(tensor)
    assert theirs.dtype == "bfloat16" and theirs[2:5].tolist() == np.arange(15).reshape(3, 5).tolist()
    copy = array.empty()
    array.read(out=copy)
    assert (jax.dlpack.from_dlpack(copy) == theirs).all()
    assert (array[...] == np.asarray(theirs)).all()
    with pytest.raises(tessera.ExchangeError, match="float32, expected bfloat16"):
        array[...] = jax.numpy.zeros((6, 5), "float32")


def test_a_numpy_scalar_is_no_memory(made):
    array, _ = made
    with pytest.raises(tessera.ExchangeError, match="scalar"):
        array.read((3, 4), out=np.zeros((), "int32")[()])


def test_dlpack_arguments(made):
    tensor = made[0].read()
    assert tensor.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(tensor.__dlpack__(max_version=(1, 0)))
    assert "dltensor_versioned" not in repr(tensor.__dlpack__())
    assert "dltensor_versioned" not in repr(tensor.__dlpack__(max_version=(0, 8)))
    assert address(np.from_dlpack(tensor, copy=True)) != address(tensor)
    assert address(np.from_dlpack(tensor, copy=False)) == address(tensor)
    assert address(np.from_dlpack(tensor, device="cpu")) == address(tensor)
    for arguments in [{"stream": 1}, {"dl_device": (2, 0)}]:
        with pytest.raises(tessera.ExchangeError) as raised:
            tensor.__dlpack__(**arguments)
        assert isinstance(raised.value, BufferError)


def test_out_is_filled_in_place(made):
    array, expected = made
    out = np.zeros((23, 17), "int32")
    assert array.read(out=out) is out
    np.testing.assert_array_equal(out, expected)
    wide = np.zeros((23, 40), "int32")
    array.read(out=wide[:, 5:39:2])
    np.testing.assert_array_equal(wide[:, 5:39:2], expected)
    assert wide.sum() == expected.sum()
    backwards = np.zeros((17, 23), "int32")
    array.read(out=backwards.T[::-1])
    np.testing.assert_array_equal(backwards.T[::-1], expected)
    row = np.zeros(17, "int32")
    array.read(3, out=row)
    np.testing.assert_array_equal(row, expected[3])
    tensor = array.read(np.s_[:2])
    array.read(np.s_[2:4], out=tensor)
    np.testing.assert_array_equal(np.asarray(tensor), expected[2:4])


def test_out_that_does_not_fit(made):
    array, _ = made
    frozen = np.zeros((23, 17), "int32")
    frozen.flags.writeable = False
    for out, error in [
        (np.zeros((23, 17), "int64"), tessera.ExchangeError),
        (np.zeros((23, 17), ">i4"), tessera.ExchangeError),
        (np.zeros((17, 23), "int32"), tessera.SelectionError),
        (frozen, tessera.ExchangeError),
        ([1, 2], TypeError),
    ]:
        with pytest.raises(error):
            array.read(out=out)
    with pytest.raises(tessera.ExchangeError):
        array.read(stream=1)


class Old:
    """A producer that accepts none of the arguments, and counts."""

    def __init__(self, array):
        self.array, self.calls = array, 0

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self):
        self.calls += 1
        return self.array.__dlpack__()


class Elsewhere(Old):
    def __dlpack_device__(self):
        return (10, 0)  # ROCm's


@pytest.mark.parametrize(
    "change",
    [
        {"data": (0, False)},
        {"strides": (68,)},
        {"strides": (68, 4, 4)},
        {"typestr": "<i4294967300"},
        {"typestr": "<ix"},
        {"typestr": "<i99999999999999999999"},
        {"shape": (23, -17)},
        {"data": ("here", False)},
        {"strides": "none"},
    ],
    ids=str,
)
def test_interfaces_that_describe_no_array(made, change):
    class Described:
        __array_interface__ = {**np.zeros((23, 17), "int32").__array_interface__, **change}

    with pytest.raises(tessera.ExchangeError):
        made[0].read(out=Described())


def test_old_producers(made):
    array, expected = made
    old = Old(np.zeros((23, 17), "int32"))
    array.read(out=old)
    np.testing.assert_array_equal(old.array, expected)
    assert old.calls == 1
    elsewhere = Elsewhere(np.zeros((23, 17), "int32"))
    with pytest.raises(tessera.ExchangeError, match="a device of type 10"):
        array.read(out=elsewhere)
    assert elsewhere.calls == 0


@pytest.mark.parametrize("error", [BufferError, RuntimeError, TypeError, ValueError])
def test_producers_that_refuse(made, error):
    """The raised error is theirs, if NumPy sees only the object itself and no elements."""

    class Refusing(Old):
        def __dlpack__(self):
            raise error("of its own")

    refusing = Refusing(np.zeros((23, 17), "int32"))
    for use in (lambda: made[0].read(out=refusing), lambda: made[0].__setitem__(..., refusing)):
        with pytest.raises(error, match="of its own"):
            use()


def test_capsules_nobody_takes_and_other_threads(made):
    array, expected = made
    for _ in range(100):
        array.read().__dlpack__(max_version=(1, 0))
        array.read().__dlpack__()
    kept = [np.from_dlpack(array.read())]
    thread = threading.Thread(target=kept.clear)
    thread.start()
    thread.join()
    assert kept == []


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
     "complex64", "complex128", "V3"],
)  # fmt: skip
def test_types(tmp_path, dtype):
    raw = np.random.default_rng(1).integers(0, 2, (7, 5, np.dtype(dtype).itemsize)).astype("uint8")
    expected = raw.view(dtype)[..., 0]
    array = tessera.create_array(tmp_path / "a.zarr", shape=(7, 5), dtype=dtype, chunks=(3, 2))
    array[...] = expected
    assert array.dtype == expected.dtype
    assert array[...].tobytes() == expected.tobytes()
    tensor = array.read()
    if dtype == "V3":
        with pytest.raises(BufferError, match="r24"):
            tensor.__dlpack__()
    else:
        assert np.from_dlpack(tensor).dtype == expected.dtype
        assert np.from_dlpack(tensor).tobytes() == expected.tobytes()


def test_tensors_that_live_at_exit(brain):
    code = f"import numpy, tessera; a = tessera.open({str(brain / 't1')!r}); t = numpy.from_dlpack(a.read()); c = a.read().__dlpack__()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_types_that_no_library_has_are_one_error(tmp_path):
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "complex_bfloat16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": [0, 0],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    with pytest.raises(tessera.ExchangeError, match="complex_bfloat16"):
        tessera.open(tmp_path)


def test_memory_for_a_read(made):
    array, expected = made
    memory = array.empty((slice(2, 9), 3))
    assert memory.shape == (7,) and memory.dtype == "int32"
    array.read((slice(2, 9), 3), out=memory)
    np.testing.assert_array_equal(np.asarray(memory), expected[2:9, 3])
    whole = np.asarray(array.empty())
    assert array.read(out=whole) is whole and whole.__array_interface__["data"][0] % 64 == 0
    np.testing.assert_array_equal(whole, expected)
