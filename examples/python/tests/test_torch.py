"""Tensors of PyTorch, in the host's memory: taken and handed over without a copy. Some of these PyTorch 1.13 cannot do by
DLPack (bool, float8), and it is not of one NumPy with newer ones: nothing here asks it for NumPy's arrays."""

import gc

import numpy as np
import pytest

import tessera

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

TYPES = ["int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "complex64", "complex128", "bfloat16"]


def address(tensor):
    return tensor.__array_interface__["data"][0]


def array_of(path, dtype="int32", shape=(23, 17)):
    """An array with numbers that every type has, and them as a tensor."""
    expected = (torch.arange(int(np.prod(shape))) % 100).reshape(shape).to(getattr(torch, dtype))
    array = tessera.create_array(path, shape=shape, dtype=dtype, chunks=tuple(min(n, 5) or 1 for n in shape))
    array[...] = expected
    return array, expected


@pytest.mark.parametrize("dtype", TYPES)
def test_a_read_is_a_tensor(tmp_path, dtype):
    array, expected = array_of(tmp_path / "a.zarr", dtype)
    theirs = torch.from_dlpack(array.read())
    assert theirs.dtype == expected.dtype and theirs.shape == expected.shape
    assert torch.equal(theirs, expected)
    out = torch.zeros_like(expected)
    assert array.read(out=out) is out
    assert torch.equal(out, expected)


def test_the_memory_is_one(tmp_path):
    array, expected = array_of(tmp_path / "a.zarr")
    tensor = array.read(np.s_[2:9])
    theirs, shown = torch.from_dlpack(tensor), np.asarray(tensor)
    assert theirs.data_ptr() == address(tensor)
    theirs[0, 0] = 99
    assert shown[0, 0] == 99
    shown[1, 1] = 98
    assert theirs[1, 1] == 98
    del tensor, shown
    gc.collect()
    assert torch.equal(theirs[2:], expected[4:9])
    of_numpy = array[2:9]
    assert torch.from_dlpack(of_numpy).data_ptr() == address(of_numpy)


def test_out_is_filled_in_place(tmp_path):
    array, expected = array_of(tmp_path / "a.zarr")
    tensor = torch.from_dlpack(array.empty())
    array.read(out=tensor)
    assert torch.equal(tensor, expected)
    wide = torch.zeros((23, 40), dtype=torch.int32)
    array.read(out=wide[:, 5:39:2])
    assert torch.equal(wide[:, 5:39:2], expected)
    assert wide.sum() == expected.sum()
    transposed = torch.zeros((17, 23), dtype=torch.int32)
    array.read(out=transposed.T)
    assert torch.equal(transposed, expected.T)
    row = torch.zeros(17, dtype=torch.int32)
    array.read(3, out=row)
    assert torch.equal(row, expected[3])
    one = torch.zeros((), dtype=torch.int32)
    array.read((3, 4), out=one)
    assert one == expected[3, 4]


def test_writes_take_tensors(tmp_path):
    array, expected = array_of(tmp_path / "a.zarr")
    array[...] = expected.T.contiguous().T  # of other strides
    assert torch.equal(torch.from_dlpack(array.read()), expected)
    array[:, 1] = torch.tensor(7)  # broadcast, of another type
    array[0] = torch.ones(17, dtype=torch.float64)
    array[5:7, 2:4] = expected[0:1, 0:2].expand(2, 2)
    array.oindex[[9, 11], 0] = torch.tensor([5, 6])
    found = torch.from_dlpack(array.read())
    assert (found[1:, 1] == 7).all() and (found[0] == 1).all()
    assert found[5:7, 2:4].tolist() == [expected[0, 0:2].tolist()] * 2
    assert found[[9, 11], 0].tolist() == [5, 6]
    assert array.append(torch.full((2, 17), 3)) == (25, 17)
    assert (torch.from_dlpack(array.read(np.s_[23:])) == 3).all()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_one_element_and_none(tmp_path, shape):
    array, expected = array_of(tmp_path / "a.zarr", "float32", shape)
    theirs = torch.from_dlpack(array.read())
    assert theirs.shape == expected.shape and torch.equal(theirs, expected)
    out = torch.ones(shape)
    array.read(out=out)
    assert torch.equal(out, expected)


def test_bool(tmp_path):
    expected = np.arange(23) % 3 == 0
    array = tessera.create_array(tmp_path / "a.zarr", shape=(23,), dtype="bool", chunks=(5,))
    array[...] = expected
    try:
        tensor = torch.zeros(23, dtype=torch.bool)
        tensor.__dlpack__()
    except RuntimeError as refused:  # PyTorch before 2.1
        with pytest.raises(RuntimeError, match=str(refused)):
            array.read(out=tensor)
        with pytest.raises(RuntimeError):
            torch.from_dlpack(array.read())
        return
    assert torch.from_dlpack(array.read()).tolist() == expected.tolist()
    array.read(out=tensor)
    assert tensor.tolist() == expected.tolist()
    array[...] = ~tensor
    assert array[...].tolist() == (~expected).tolist()


def test_numbers_that_numpy_does_not_have(tmp_path):
    array, expected = array_of(tmp_path / "a.zarr", "bfloat16")
    again = tessera.open(tmp_path / "a.zarr")
    assert again.nbytes == 2 * 23 * 17 and again.fill_value == 0 and "bfloat16" in repr(again)
    assert torch.equal(torch.from_dlpack(again.read(np.s_[3:9, 4])), expected[3:9, 4])
    array[3:5, 2] = torch.tensor([1.5, -2], dtype=torch.bfloat16)
    assert torch.from_dlpack(again.read(np.s_[3:5, 2])).tolist() == [1.5, -2]
    assert array.append(torch.full((2, 17), 0.5, dtype=torch.bfloat16)) == (25, 17)
    with pytest.raises(tessera.ExchangeError, match="bfloat16, which NumPy does not have"):
        array[...]
    with pytest.raises(tessera.ExchangeError, match="bfloat16, which NumPy does not have"):
        array.dtype
    with pytest.raises(tessera.ExchangeError, match="float32, expected bfloat16"):
        array[3:5, 2] = torch.zeros(2)
    with pytest.raises(tessera.ExchangeError, match="float32, expected bfloat16"):
        array.read(out=torch.zeros(23, 17))


@pytest.mark.parametrize(
    "spoil, why",
    [
        (lambda t: t.requires_grad_(), "require gradient"),
        (lambda t: t.conj(), "conjugate bit"),
        (lambda t: t.to_sparse(), None),
    ],
    ids=["gradient", "conjugate", "sparse"],
)
def test_what_pytorch_hands_to_nobody(tmp_path, spoil, why):
    array, expected = array_of(tmp_path / "a.zarr", "complex64")
    theirs = spoil(expected.clone())
    with pytest.raises((RuntimeError, BufferError), match=why):
        array.read(out=theirs)
    with pytest.raises((RuntimeError, BufferError, TypeError), match=why):
        array[...] = theirs
    assert torch.equal(torch.from_dlpack(array.read()), expected)
    array.read(out=expected.clone().requires_grad_().detach())


def test_what_does_not_fit(tmp_path):
    array, _ = array_of(tmp_path / "a.zarr")
    with pytest.raises(tessera.ExchangeError, match="int64, expected int32"):
        array.read(out=torch.zeros((23, 17), dtype=torch.int64))
    with pytest.raises(tessera.SelectionError, match="shape"):
        array.read(out=torch.zeros((17, 23), dtype=torch.int32))


def test_batches_are_tensors(tmp_path):
    array, expected = array_of(tmp_path / "a.zarr")
    with tessera.batches(array, (6, 5), 4, seed=7, count=3) as batches:
        for batch in batches:
            theirs = torch.from_dlpack(batch)
            assert theirs.data_ptr() == address(batch)
            for crop, (y, x) in zip(theirs, batches.origins):
                assert torch.equal(crop, expected[y : y + 6, x : x + 5])
