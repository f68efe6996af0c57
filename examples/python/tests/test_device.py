"""Device and pinned memory, on the CUDA runtime that the module was built for: the emulated one in CTest's
python-module."""

import asyncio
import gc
import json
import os
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest
from processes import comes_true, peer, python

import tessera
from tessera._sharing import process

try:
    from tessera import _device
except ImportError as missing:
    pytest.skip(f"built without TESSERA_PYTHON_CUDA: {missing}", allow_module_level=True)

HOST, CUDA, PINNED = 1, 2, 3


def on_host(tensor):
    """A copy, by the exchange of the array API."""
    return np.from_dlpack(tensor, device="cpu", copy=True)


@pytest.fixture
def opened(made):
    """The array in device memory, and its elements."""
    array, expected = made
    return tessera.open(array.store_path, space="device"), expected


@pytest.fixture
def on_device(tmp_path):
    """Copies a NumPy array into device memory."""

    def put(value):
        number = len(list(tmp_path.glob("put*")))
        array = tessera.create_array(tmp_path / f"put{number}.zarr", shape=value.shape, dtype=value.dtype, chunks=(5,) * value.ndim)
        array[...] = value
        return tessera.open(array.store_path, space="device").read()

    return put


class ByInterface:
    """Device memory of a library without DLPack."""

    def __init__(self, tensor, **changes):
        self._tensor = tensor
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__ | changes


@pytest.mark.parametrize("index", [np.s_[...], np.s_[2:9], np.s_[3], np.s_[3, 4], np.s_[::2, 1::3], np.s_[5:5]], ids=str)
def test_basic(opened, index):
    array, expected = opened
    found = array[index]
    assert isinstance(found, tessera.DeviceTensor) and found.__dlpack_device__() == (CUDA, 0)
    assert found.shape == expected[index].shape and found.dtype == "int32"
    np.testing.assert_array_equal(on_host(found), expected[index])


def test_calls_that_take_the_hosts_memory(opened, on_device):
    array, expected = opened
    rows = on_device(expected[:2])
    with pytest.raises(tessera.ExchangeError, match="found memory of a device, expected the host's.*append does not"):
        array.append(rows)
    with pytest.raises(tessera.ExchangeError, match="found memory of a device.*write_async does not"):
        asyncio.run(array.write_async(slice(0, 2), rows))
    assert array.shape == expected.shape


def test_other_ways_to_select(opened):
    array, expected = opened
    np.testing.assert_array_equal(on_host(array.oindex[[1, 5, 3], 2:9]), expected[[1, 5, 3], 2:9])
    np.testing.assert_array_equal(on_host(array.vindex[[1, 5], [3, 4]]), expected[[1, 5], [3, 4]])
    np.testing.assert_array_equal(on_host(array.blocks[1]), expected[5:10])
    np.testing.assert_array_equal(np.asarray(array), expected)  # read into host memory
    array.resize((30, 17))
    assert on_host(array[23:]).tolist() == [[-1] * 17] * 7 and array.shape == (30, 17)


def test_the_exchange(opened):
    array, expected = opened
    tensor = array.read()
    interface = tensor.__cuda_array_interface__
    assert interface["shape"] == (23, 17) and interface["typestr"] == "<i4" and interface["strides"] is None
    assert interface["version"] == 3 and interface["stream"] not in (0, None) and interface["data"][1] is False
    for stream in (None, 1, -1, interface["stream"]):  # 2, the per-thread one, is not emulated
        assert "dltensor_versioned" in repr(tensor.__dlpack__(stream=stream, max_version=(1, 1)))
        assert '"dltensor"' in repr(tensor.__dlpack__(stream=stream))
    for stream in (0, -2):
        with pytest.raises(tessera.ExchangeError, match="stream"):
            tensor.__dlpack__(stream=stream)
    with pytest.raises(tessera.ExchangeError, match="host tensors have no stream"):
        tensor.__dlpack__(stream=1, dl_device=(HOST, 0), max_version=(1, 1))
    with pytest.raises(tessera.ExchangeError, match="no copy"):
        tensor.__dlpack__(dl_device=(HOST, 0), max_version=(1, 1), copy=False)
    with pytest.raises(tessera.ExchangeError):
        tensor.__dlpack__(dl_device=(CUDA, 7), max_version=(1, 1))
    with pytest.raises((BufferError, RuntimeError)):  # NumPy does not accept device memory
        np.from_dlpack(tensor)
    tensor.wait()
    del array
    gc.collect()
    np.testing.assert_array_equal(on_host(tensor), expected)


@pytest.mark.parametrize("stream", [None, 1, -1])
@pytest.mark.parametrize("interface", [False, True])
@pytest.mark.parametrize("space", ["host", "device"])
def test_out(made, on_device, stream, interface, space):
    array, expected = made
    array = tessera.open(array.store_path, space=space)
    out = on_device(np.zeros((7, 17), "int32"))
    given = ByInterface(out) if interface else out
    assert array.read(np.s_[2:9], out=given, stream=stream) is given
    np.testing.assert_array_equal(on_host(out), expected[2:9])


def test_out_of_strides(opened, on_device):
    array, expected = opened
    out = on_device(np.zeros((17, 23), "int32"))
    array.read(out=ByInterface(out, shape=(23, 17), strides=(4, 92)))
    np.testing.assert_array_equal(on_host(out), expected.T)


def test_wrong_outs(opened, on_device):
    array, expected = opened
    with pytest.raises(tessera.SelectionError, match="shape"):
        array.read(out=on_device(np.zeros((17, 23), "int32")))
    with pytest.raises(tessera.ExchangeError, match="expected int32"):
        array.read(out=on_device(np.zeros((23, 17), "int16")))
    right = on_device(np.zeros((23, 17), "int32"))
    address = right.__cuda_array_interface__["data"][0]
    with pytest.raises(tessera.ExchangeError, match="read-only"):
        array.read(out=ByInterface(right, data=(address, True)))
    own = np.zeros((23, 17), "int32")
    with pytest.raises(tessera.ExchangeError, match="CUDA runtime says"):
        array.read(out=ByInterface(right, data=(own.__array_interface__["data"][0], False)))
    with pytest.raises(tessera.ExchangeError, match="stream"):
        array.read(out=own, stream=1)
    with pytest.raises(tessera.ExchangeError, match="stream"):
        array.read(stream=1)
    assert array.read(out=own) is own  # into host memory: nothing crosses
    np.testing.assert_array_equal(own, expected)


def test_writes(opened, on_device):
    array, expected = opened
    array[2:9] = on_device(np.full((7, 17), 3, "int32"))
    array[:, 4] = np.arange(23)
    array[0, :5] = ByInterface(on_device(np.arange(5, dtype="int32")))
    expected[2:9], expected[:, 4], expected[0, :5] = 3, np.arange(23), np.arange(5)
    np.testing.assert_array_equal(tessera.open(array.store_path)[...], expected)


def test_progress_ends_a_read(opened):
    array, _ = opened

    def stop(done, chunks):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        array.read(progress=stop)
    assert on_host(array[0, 0]) == 0


def test_damaged_chunks(opened, tmp_path):
    array, _ = opened
    (tmp_path / "a.zarr" / "c" / "0" / "0").write_bytes(b"not zstd")
    with pytest.raises(tessera.CodecError, match="c/0/0"):
        array.read()


def test_groups_and_the_brain(brain):
    group = tessera.open(brain, space="device")
    for name in ("t1_half", "t1_sharded"):
        expected = tessera.open(brain / name)[40:50, :, 3]
        np.testing.assert_array_equal(on_host(group[name][40:50, :, 3]), expected)


def test_pinned(made):
    array, expected = made
    array = tessera.open(array.store_path, space="pinned")
    tensor = array.read(np.s_[2:9])
    assert isinstance(tensor, tessera.PinnedTensor) and tensor.__dlpack_device__() == (PINNED, 0)
    np.testing.assert_array_equal(np.asarray(tensor), expected[2:9])
    np.testing.assert_array_equal(array[::2, 3], expected[::2, 3])
    assert array[3, 4] == expected[3, 4]
    by_dlpack = np.from_dlpack(tensor)
    assert by_dlpack.__array_interface__["data"][0] == np.asarray(tensor).__array_interface__["data"][0]
    del tensor
    gc.collect()
    np.testing.assert_array_equal(by_dlpack, expected[2:9])
    array[2:9] = np.asarray(array.read(np.s_[3:10]))
    np.testing.assert_array_equal(array[2:9], expected[3:10])


def test_pinned_batches(made):
    array, expected = made
    array = tessera.open(array.store_path, space="pinned")
    boxes = tessera.UniformBoxes(array.shape, (5, 4), 12, seed=1)
    for batch in [*tessera.Loader(array, boxes, batch=3), *tessera.Loader(array, boxes, batch=4, cache=1 << 10)]:
        for crop, box in zip(np.asarray(batch), batch.boxes, strict=True):
            np.testing.assert_array_equal(crop, expected[box])
    read = np.asarray(tessera.read_boxes(array, boxes))
    assert read.shape == (12, 5, 4) and np.from_dlpack(batch).__array_interface__["data"][0] % 256 == 0


@pytest.mark.parametrize("cache", [0, 700, 1 << 20])
def test_device_batches(made, cache):
    array, expected = made
    array = tessera.open(array.store_path, space="device")
    boxes = tessera.UniformBoxes(array.shape, (5, 4), 50, seed=1)
    held = []
    with tessera.Loader(array, boxes, batch=4, cache=cache, ahead=3) as loader:
        for batch in loader:
            assert isinstance(batch, tessera.DeviceBatch) and batch.shape == (len(batch.boxes), 5, 4)
            assert isinstance(batch, tessera.DeviceTensor) and batch.__dlpack_device__()[0] == 2
            held.append((on_host(batch), batch.boxes))
            if batch.first % 3 == 0:  # its address is given out
                assert batch.__cuda_array_interface__["shape"] == batch.shape
        assert loader.position == 50 and loader.statistics().boxes == 50
        last = next(tessera.Loader(array, boxes, batch=2))  # outlives its loader
    held.append((on_host(last), last.boxes))
    for crops, where in held:
        for crop, box in zip(crops, where, strict=True):
            np.testing.assert_array_equal(crop, expected[box])


@pytest.mark.parametrize("space", ["pinned", "device"])
def test_batches_that_are_read_together(made, space):
    array, expected = made
    array = tessera.open(array.store_path, space=space)
    boxes = [np.s_[i : i + 2, 1:3] for i in (0, 1, 2, 5, 0, 6)]
    for given, (hits, decoded) in [
        ({"ahead": 3, "cache": 0}, (0, 6)),
        ({"ahead": 3, "cache": 0, "together": 3}, (3, 3)),
        ({"cache": 1 << 20, "keep": "decoded"}, (4, 2)),
        ({"cache": 1 << 20, "keep": "stored"}, (0, 6)),
    ]:
        with tessera.Loader(array, boxes, **given) as loader:
            for batch, box in zip(loader, boxes, strict=True):
                shown = on_host(batch) if space == "device" else np.asarray(batch)
                np.testing.assert_array_equal(shown[0], expected[box])
            did = loader.statistics()
        assert (did.hits, did.decoded) == (hits, decoded)


class Lent:
    """A batch that only a DLPack capsule keeps."""

    def __init__(self, batch):
        self.device, self.capsule = batch.__dlpack_device__(), batch.__dlpack__(stream=1, max_version=(1, 0))

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.capsule


def test_memory_of_device_batches_is_used_again_only_when_it_is_free(tmp_path, made):
    array, expected = made
    array = tessera.open(array.store_path, space="device")
    with tessera.Loader(array, tessera.UniformBoxes(array.shape, (5, 4), 60, seed=2), batch=4) as loader:
        first = next(loader)
        held, boxes = Lent(first), first.boxes
        del first
        assert len(list(map(lambda batch: batch.first, loader))) == 14
    target = tessera.create_array(tmp_path / "held.zarr", shape=(4, 5, 4), dtype="int32")
    target[...] = held
    for crop, box in zip(target[...], boxes):
        np.testing.assert_array_equal(crop, expected[box])


def test_boxes_of_one_call(made):
    array, expected = made
    array = tessera.open(array.store_path, space="device")
    boxes = list(tessera.UniformBoxes(array.shape, (5, 4), 9, seed=1))
    found = on_host(tessera.read_boxes(array, boxes))
    with pytest.raises(tessera.SelectionError, match="shape"):
        tessera.read_boxes(array, boxes, out=array.read())
    again = tessera.read_boxes(array, boxes)
    for stream in (None, 1, -1):
        assert tessera.read_boxes(array, boxes[::-1], out=again, stream=stream) is again
        np.testing.assert_array_equal(on_host(again), found[::-1])
    for crop, box in zip(found, boxes):
        np.testing.assert_array_equal(crop, expected[box])
    host = np.zeros((9, 5, 4), "int32")
    np.testing.assert_array_equal(tessera.read_boxes(array, boxes, out=host), found)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
def test_padded_device_batches(made, mode):
    array, expected = made
    value = 200 if mode == "constant" else None
    padding = tessera.Padding(((3, 1), (30, 4)), mode, value)
    padded = np.pad(expected, padding.pad_width, mode, **({"constant_values": 200} if value else {}))
    boxes = list(tessera.UniformBoxes(padding.padded(array.shape), (5, 9), 40, seed=1))
    wanted = np.stack([padded[box] for box in boxes])
    array = tessera.open(array.store_path, space="device")
    for cache in (0, 1 << 20):
        batches = list(tessera.Loader(array, boxes, batch=9, cache=cache, padding=padding))
        assert [box for batch in batches for box in batch.boxes] == boxes
        np.testing.assert_array_equal(np.concatenate([on_host(batch) for batch in batches]), wanted)
    found = tessera.read_boxes(array, boxes, padding=padding)
    np.testing.assert_array_equal(on_host(found), wanted)
    assert tessera.read_boxes(array, boxes[::-1], out=found, padding=padding) is found
    np.testing.assert_array_equal(on_host(found), wanted[::-1])
    pinned = tessera.open(array.store_path, space="pinned")
    given = {"padding": padding, "dtype": "float32", "scale": 0.5}
    for batch in (*tessera.Loader(pinned, boxes, batch=40, **given), tessera.read_boxes(pinned, boxes, **given)):
        np.testing.assert_array_equal(batch, wanted.astype("float32") * 0.5)


def test_device_memory_converts_nothing(made):
    array, expected = made
    array, boxes = tessera.open(array.store_path, space="device"), [np.s_[0:2, 0:2]]
    for read in (tessera.Loader, tessera.read_boxes):
        with pytest.raises(tessera.ConversionError, match="space='pinned'"):
            read(array, boxes, dtype="float32")
    with pytest.raises(tessera.ConversionError, match="space='pinned'"):
        tessera.read_boxes(array, boxes, out=tessera.read_boxes(array, boxes), dtype="float32")
    host = np.zeros((1, 2, 2), "float32")
    assert tessera.read_boxes(array, boxes, out=host, dtype="float32") is host
    np.testing.assert_array_equal(host, expected[boxes[0]][None])
    np.testing.assert_array_equal(on_host(next(tessera.Loader(array, boxes, dtype="int32"))), expected[boxes[0]][None])


def test_errors_of_device_batches(made):
    array, expected = made
    (pathlib.Path(array.store_path) / "c" / "0" / "0").write_bytes(b"not zstd")
    array = tessera.open(array.store_path, space="device")
    boxes = [np.s_[0:2, 0:2], np.s_[20:22, 0:2]]
    loader = tessera.Loader(array, boxes, on_error="go_on", cache=1 << 10)
    with pytest.raises(tessera.CodecError, match="c/0/0"):
        next(loader)
    np.testing.assert_array_equal(on_host(next(loader))[0], expected[20:22, 0:2])
    loader.cancel()
    with pytest.raises(tessera.Cancelled):
        next(loader)


def missing(name, first="", **variables):
    """The message of opening the array in a process that lacks a part of CUDA; the host's half works there."""
    code = f"""
import sys, importlib.abc
import numpy
{first}
import tessera
for space in ("device", "pinned"):
    try:
        tessera.open({name!r}, space=space)
    except tessera.DeviceError as error:
        print(error)
published = tessera.publish(numpy.ones(3))
print(tessera.open({name!r})[0, 0], numpy.asarray(tessera.attach(published.descriptor)).sum())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | variables)
    assert done.returncode == 0, done.stderr
    one, other, works = done.stdout.splitlines()
    assert one == other and works == "0 3.0"
    return one


def without_extension(error):
    return f"""
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "tessera._device":
            raise {error}
sys.meta_path.insert(0, Missing())
"""


def test_without_cuda(made):
    name = made[0].store_path
    said = missing(name, without_extension("ModuleNotFoundError(name)"))
    assert "built without CUDA" in said and "TESSERA_PYTHON_CUDA=ON" in said
    assert "libcudart.so.13" in missing(name, without_extension("ImportError('libcudart.so.13: cannot open shared object file')"))


def test_without_a_device(made):
    """`open` reports it, not the first read. On a GPU the driver hides it."""
    said = missing(made[0].store_path, TESSERA_EMULATION_DEVICES="0", CUDA_VISIBLE_DEVICES="")
    assert "no CUDA device can be used" in said and "cudaErrorNoDevice" in said


CONSUMER = """
def on_host(x):
    return np.from_dlpack(x, device="cpu", copy=True)
for line in sys.stdin:
    what, *given = json.loads(line)
    if what == "sum":
        tell(refused(lambda: float(on_host(tessera.attach(given[0])).sum())))
    elif what == "attach":
        kept["a"] = refused(lambda: tessera.attach(given[0], write=given[1]))
        tell(kept["a"] if isinstance(kept["a"], list) else "attached")
    elif what == "fill":
        with tessera.attach(given[0], write=True) as writing:
            tessera.open(given[1], space="device").read(out=writing, stream=-1)
        tell("filled")
    elif what == "use":
        tell(refused(lambda: float(on_host(kept["a"]).sum())))
    elif what == "close":
        kept.pop("a").close()
        tell("closed")
"""

PRODUCER = """
array = tessera.open(sys.argv[1], space="device")
published = tessera.publish(array)
tell(str(published.descriptor))
for line in sys.stdin:
    what, *given = json.loads(line)
    if what == "holders":
        tell(published.holders)
"""


@pytest.fixture
def consumer():
    made = python(CONSUMER)
    yield made
    assert made.end() == 0


def test_between_processes(opened, consumer, tmp_path):
    array, expected = opened
    published = tessera.publish(array)
    descriptor = published.descriptor
    assert descriptor.kind == "cuda-ipc" and descriptor.shape == (23, 17)
    assert consumer.ask("sum", str(descriptor)) == expected.sum()
    assert consumer.ask("sum", str(descriptor[2:9, ::3])) == expected[2:9, ::3].sum()
    assert comes_true(lambda: published.holders == 0)
    other = tessera.create_array(tmp_path / "other.zarr", shape=(23, 17), dtype="int32")
    other[...] = 7
    assert consumer.ask("fill", str(descriptor), other.store_path) == "filled"
    assert comes_true(lambda: published.holders == 0)
    assert on_host(tessera.attach(descriptor)).tolist() == [[7] * 17] * 23  # in the producer's own process


def test_what_is_published(opened, on_device, consumer):
    array, expected = opened
    part = tessera.publish(array, np.s_[2:9, 3])
    assert consumer.ask("sum", str(part.descriptor)) == expected[2:9, 3].sum()
    own = on_device(expected)
    copy = tessera.publish(own)
    transposed = tessera.publish(ByInterface(own, shape=(17, 23), strides=(4, 68)))
    assert transposed.descriptor.shape == (17, 23) and transposed.descriptor.strides == [23, 1]
    for published in (copy, transposed):
        assert consumer.ask("sum", str(published.descriptor)) == expected.sum()
    with pytest.raises(tessera.IpcError, match="made for this process only"):
        tessera.publish(own, copy=False)
    with pytest.raises(tessera.IpcError, match="without elements"):
        tessera.publish(array, np.s_[5:5])
    again = tessera.publish(tessera.attach(copy.descriptor[2:]), copy=False)  # of memory that can be exported
    assert again.descriptor.kind == "cuda-ipc"
    assert consumer.ask("sum", str(again.descriptor)) == expected[2:].sum()


def test_leases(opened, consumer):
    array, expected = opened
    published = tessera.publish(array)
    text = str(published.descriptor)
    assert consumer.ask("attach", text, True) == "attached"
    with pytest.raises(tessera.LeaseRefused):
        tessera.attach(published.descriptor)
    assert consumer.ask("close") == "closed"
    reading = tessera.attach(published.descriptor)
    assert reading.tensor.__cuda_array_interface__["data"][1] is True
    with pytest.raises(tessera.ExchangeError, match="read-only"):
        array.read(out=reading)
    assert consumer.ask("attach", text, True)[0] == "LeaseRefused"
    reading.close()
    with pytest.raises(tessera.IpcError, match="closed"):
        reading.tensor
    with pytest.raises(tessera.ExchangeError, match="device's memory"):
        np.asarray(tessera.attach(published.descriptor))


def test_processes_that_die(opened):
    array, expected = opened
    producer = python(PRODUCER, array.store_path)
    attached = tessera.attach(producer.get())
    np.testing.assert_array_equal(on_host(attached), expected)
    producer.kill()
    with pytest.raises(tessera.ProducerGone):
        attached.tensor
    attached.close()
    published = tessera.publish(array)
    killed = python(CONSUMER)
    assert killed.ask("attach", str(published.descriptor), True) == "attached"
    killed.kill()
    assert comes_true(lambda: published.holders == 0)
    np.testing.assert_array_equal(on_host(tessera.attach(published.descriptor)), expected)


def test_hostile_descriptors(opened, consumer):
    published = tessera.publish(opened[0])
    value = json.loads(str(published.descriptor))
    for place, wrong in [
        ("shape", [2**31, 2**31]), ("offset", 2**40), ("strides", [2**40, 1]), ("memory", {"device": "GPU-0"}),
        ("memory", {"handle": [1, 2, 3]}), ("memory", {"event": ""}), ("memory", {"kind": "shared-memory"}),
        ("memory", {"kind": "cuda-pool", "pool": 99}), ("memory", {"allocation": 99}),
    ]:  # fmt: skip
        hostile = json.loads(json.dumps(value))
        hostile["memory"]["size"] = 2**62
        hostile[place] = hostile["memory"] | wrong if place == "memory" else wrong
        kind, _ = consumer.ask("sum", json.dumps(hostile))
        assert kind in ("IpcError", "MetadataError", "DeviceError"), (place, wrong)
    assert consumer.ask("sum", json.dumps(value)) == opened[1].sum()


def test_columns(on_device, consumer):
    values, valid = np.arange(6, dtype="float32"), np.array([1, 0, 1, 1, 0, 1], "uint8")
    published = tessera.publish_column(on_device(values), valid=on_device(valid), name="x")
    assert published.descriptor.schema == "f" and not published.descriptor.mask_is_bits
    column = tessera.attach_column(published.descriptor[2:5])
    np.testing.assert_array_equal(on_host(column.data), values[2:5])
    np.testing.assert_array_equal(on_host(column.mask), valid)
    bits = tessera.publish_column(on_device(values), valid=on_device(np.array([0b101101], "uint8")))
    assert bits.descriptor.mask_is_bits
    assert consumer.ask("sum", str(bits.descriptor.data)) == 15
    with pytest.raises(tessera.ExchangeError, match="device's memory"):
        column.values()


def test_shared_arrays(opened, consumer):
    array, expected = opened
    with tessera.SharedArrays(1 << 20, lambda name: array) as shared:
        assert consumer.ask("sum", str(shared.get("a"))) == expected.sum()
        assert tessera.ask_for("a", shared.address).kind == "cuda-ipc"


def test_what_cpp_published():
    producer = peer("publish", "device")
    expected = np.arange(24, dtype="float32").reshape(6, 4)
    own, pooled = tessera.Descriptor(producer.get()), tessera.Descriptor(producer.get())
    assert (own.kind, pooled.kind) == ("cuda-ipc", "cuda-pool")
    for descriptor in (own, pooled):
        np.testing.assert_array_equal(on_host(tessera.attach(descriptor)), expected)
        np.testing.assert_array_equal(on_host(tessera.attach(descriptor[1:, 2])), expected[1:, 2])
    assert producer.ask("sum") == expected.sum()
    attached = tessera.attach(own)
    attached.close()
    gc.collect()
    assert producer.ask("end") == "ended" and producer.end() == 0
    with pytest.raises(tessera.ProducerGone):
        tessera.attach(own)


def test_what_cpp_attaches(tmp_path):
    consumer = peer("attach", "device")
    expected = np.arange(24, dtype="float32").reshape(6, 4)
    array = tessera.create_array(tmp_path / "b.zarr", shape=(6, 4), dtype="float32")
    array[...] = expected
    published = tessera.publish(tessera.open(tmp_path / "b.zarr", space="device"))
    assert consumer.ask("sum", str(published.descriptor)) == expected.sum()
    assert consumer.ask("sum", str(published.descriptor[2:, ::2])) == expected[2:, ::2].sum()
    assert consumer.ask("add", str(published.descriptor)) == "added"
    np.testing.assert_array_equal(on_host(tessera.attach(published.descriptor)), expected + 10)
    assert consumer.end() == 0


def test_nothing_is_left(opened):
    """The emulated runtime ends the tests with status 86, if memory, streams or events are left at the end."""
    for _ in range(5):
        with tessera.publish(opened[0]) as published, tessera.attach(published.descriptor) as attached:
            on_host(attached)
    del attached
    gc.collect()
    assert comes_true(lambda: process.producer().leases == 0)
    assert isinstance(_device, types.ModuleType)


@pytest.mark.parametrize("dtype", ["M8[s]", "U3", "S2", "V3", [("a", "i4"), ("b", "U2")]], ids=str)
def test_times_text_and_structs(tmp_path, dtype):
    expected = np.frombuffer(bytes(range(6 * np.dtype(dtype).itemsize)), "V" + str(np.dtype(dtype).itemsize)).view(dtype)
    if "U" in str(dtype):
        expected = np.zeros(6, dtype)
        expected[2] = (7, "ab") if isinstance(dtype, list) else "ab"
    array = tessera.create_array(tmp_path / "a.zarr", shape=(6,), dtype=dtype, chunks=(4,))
    array[...] = expected
    pinned = tessera.open(tmp_path / "a.zarr", space="pinned")
    assert pinned[...].dtype == expected.dtype and pinned[...].tobytes() == expected.tobytes()
    tensor = tessera.open(tmp_path / "a.zarr", space="device")[:3]
    other = tessera.open(tmp_path / "a.zarr", space="device")
    other[3:] = tensor
    assert array[...].tobytes() == expected[:3].tobytes() * 2
    other.read(np.s_[3:], out=tensor)
    tensor.wait()
    with pytest.raises(tessera.ExchangeError):
        other[3:] = tessera.create_array(tmp_path / "b.zarr", shape=(3,), dtype="V5") and tessera.open(
            tmp_path / "b.zarr", space="device"
        )[...]


def test_strings_stay_on_the_host(tmp_path):
    tessera.create_array(tmp_path / "a.zarr", shape=(3,), dtype="string")
    for space in ("device", "pinned"):
        array = tessera.open(tmp_path / "a.zarr", space=space)
        for use in (lambda: array[...], lambda: array.read()):
            with pytest.raises(tessera.ExchangeError, match="space='host'"):
                use()
