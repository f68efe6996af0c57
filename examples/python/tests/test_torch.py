"""Tensors of PyTorch, in host memory: imported and exported without a copy. PyTorch 1.13 cannot exchange some of these
by DLPack (bool, float8), and its NumPy interface does not match newer NumPy: nothing here uses it."""

import gc
import json
import os
import pathlib
import re
import socket
import subprocess
import sys

import numpy as np
import pytest

import tessera

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

TYPES = ["int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "complex64", "complex128", "bfloat16"]


def address(tensor):
    return tensor.__array_interface__["data"][0]


def array_of(path, dtype="int32", shape=(23, 17)):
    """An array of numbers that every type has, and a tensor of them."""
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


def test_numbers_that_numpy_does_not_have(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
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


@pytest.mark.parametrize("dtype", TYPES)
def test_batches_are_tensors(tmp_path, dtype):
    array, expected = array_of(tmp_path / "a.zarr", dtype)
    held = []
    for batch in tessera.Loader(array, tessera.UniformBoxes(array.shape, (6, 5), 12, seed=7), batch=4, cache=300):
        theirs = torch.from_dlpack(batch)
        assert dtype == "bfloat16" or theirs.data_ptr() == address(batch)
        held.append((theirs, batch.boxes))
    del batch
    gc.collect()
    for theirs, boxes in held:
        for crop, box in zip(theirs, boxes):
            assert torch.equal(crop, expected[box])


TRAIN = pathlib.Path(__file__).resolve().parents[1] / "training" / "train.py"
SHARES = """
import os, sys
import numpy as np, torch
import torch.distributed as processes
import tessera

processes.init_process_group("gloo")
rank, ranks = processes.get_rank(), processes.get_world_size()
array = tessera.open(sys.argv[1])
network = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(30, 1))
boxes = tessera.ShuffledGrid(array.shape, (6, 5), seed=5, rank=rank, ranks=ranks)
found = []
for batch in tessera.Loader(array, boxes, batch=1):
    found += [[s.start for s in box] for box in batch.boxes]
    if len(found) <= 4:  # of nine boxes the first rank has one more
        network(torch.from_dlpack(batch).reshape(1, 30).float()).sum().backward()
print(found)
"""


def of_processes(count, *command):
    """The outputs of processes of PyTorch's, which share a port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = os.environ | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(count)}
    started = [
        subprocess.Popen([sys.executable, "-W", "ignore", *command], env=common | {"RANK": str(rank)}, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for rank in range(count)
    ]  # fmt: skip
    ended = [process.communicate(timeout=200) for process in started]
    assert [process.returncode for process in started] == [0] * count, [err for _, err in ended]
    return [out for out, _ in ended]


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this PyTorch has no processes")
def test_each_box_goes_to_one_process(tmp_path):
    array, _ = array_of(tmp_path / "a.zarr")
    first, second = (json.loads(out) for out in of_processes(2, "-c", SHARES, array.store_path))
    assert (len(first), len(second)) == (5, 4)
    assert sorted(first + second) == [[y, x] for y in (0, 6, 12) for x in (0, 5, 10)]


def test_the_program_that_trains(brain):
    assert len(TRAIN.read_text().splitlines()) <= 60
    given = [TRAIN, brain / "t1", "--crop", "8", "--batch", "2", "--steps", "4"]
    (out,) = of_processes(1, *given)
    assert re.fullmatch(r"rank 0: 8 crops, \d+ of \d+ chunks decoded, loss [\d.]+\nrank 0: waited \d+\.\d % of \d+\.\d+ s\n", out)
    if torch.distributed.is_available():
        outs = of_processes(2, *given)
        assert ["8 crops" in out and f"rank {rank}: waited" in out for rank, out in enumerate(outs)] == [True, True]


PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "training.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not there")
def test_the_program_of_the_page():
    program = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)[1]
    assert len(program.splitlines()) <= 60
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", program], cwd=PAGE.parents[1], text=True, capture_output=True)
    assert re.fullmatch(r"waited \d+\.\d %\n", ran.stdout), ran.stderr
