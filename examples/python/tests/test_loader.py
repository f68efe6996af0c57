"""Loader: batches of boxes, read ahead, compared with the same boxes of NumPy's."""

import gc
import itertools
import multiprocessing
import pathlib
import pickle
import resource
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import zarr
from serving import served

import tessera

jax = pytest.importorskip("jax")
TYPES = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128", "V3"]


def address(memory):
    return memory.__array_interface__["data"][0]


def check(batch, expected):
    """Every box of a batch."""
    shown = np.asarray(batch)
    assert shown.shape[0] == len(batch.boxes) and shown.dtype == expected.dtype
    for elements, box in zip(shown, batch.boxes, strict=True):
        assert elements.tobytes() == expected[box].tobytes()


def corners(boxes):
    return [tuple(s.start for s in box) for box in boxes]


def chunks_of(box):
    """The chunks of (5, 4) elements that a box touches."""
    return itertools.product(*(range(s.start // n, (s.stop - 1) // n + 1) for s, n in zip(box, (5, 4))))


GRID = [(y, x) for y in range(0, 18, 6) for x in range(0, 15, 5)]  # of boxes of (6, 5) in an array of (23, 17)


def samplers(shape):
    listed = [(slice(y, y + 6), slice(x, x + 5)) for y, x in GRID]
    return {
        "uniform": lambda **given: tessera.UniformBoxes(shape, (6, 5), 21, **given),
        "grid": lambda **given: tessera.ShuffledGrid(shape, (6, 5), 2, **given),
        "weighted": lambda **given: tessera.WeightedBoxes(listed, [i % 3 for i in range(9)], 21, **given),
    }


@pytest.mark.parametrize("kind", ["uniform", "grid", "weighted"])
@pytest.mark.parametrize("cache", [0, 7 * 80, 1 << 20, None])
def test_samplers(made, kind, cache):
    array, expected = made
    make = samplers(array.shape)[kind]
    sampler = make(seed=3)
    drawn = list(make(seed=3))
    with tessera.Loader(array, sampler, batch=4, cache=cache, ahead=3, horizon=5) as loader:
        batches = list(loader)
        for at, batch in enumerate(batches):
            check(batch, expected)
            assert batch.first == 4 * at and batch.shape == (len(batch.boxes), 6, 5)
        assert [box for batch in batches for box in batch.boxes] == drawn
        assert [len(batch.boxes) for batch in batches] == [4] * (len(drawn) // 4) + [len(drawn) % 4]
        assert loader.position == len(drawn) and next(loader, None) is None
        did = loader.statistics()
    assert (did.batches, did.boxes) == (len(batches), len(drawn)) and 0 <= did.share_waited() <= 1
    assert did.hits + did.decoded == did.chunks and (did.hits > 0) == (cache != 0) and did.bytes > 0
    assert did.decoded == len({chunk for box in drawn for chunk in chunks_of(box)}) or cache != 1 << 20
    assert sampler.position == 0, "the loader has a copy"
    assert list(make(seed=4)) != drawn


def test_each_sampler_draws_what_it_says(made):
    array, _ = made
    uniform = corners(tessera.UniformBoxes(array.shape, (22, 15), 400, seed=1))
    assert set(uniform) == set(itertools.product(range(2), range(3)))
    grid = corners(tessera.ShuffledGrid(array.shape, (6, 5), 2, seed=1))
    assert sorted(grid[:9]) == sorted(grid[9:]) == GRID and grid[:9] != grid[9:]
    weighted = corners(samplers(array.shape)["weighted"](seed=1))
    assert set(weighted) <= {corner for i, corner in enumerate(GRID) if i % 3} and len(weighted) == 21
    endless = tessera.UniformBoxes(array.shape, (1, 1))
    assert len(list(itertools.islice(endless, 1000))) == 1000 == endless.position


@pytest.mark.parametrize("kind", ["uniform", "grid", "weighted"])
def test_ranks_and_positions(made, kind):
    array, expected = made
    make = samplers(array.shape)[kind]
    alone = list(make(seed=5))
    if kind == "grid":
        for epoch in (0, 1):
            shares = [list(make(seed=5, rank=r, ranks=2)) for r in (0, 1)]
            of_epoch = [shares[0][5 * epoch : 5 * epoch + 5], shares[1][4 * epoch : 4 * epoch + 4]]
            assert sorted(corners(of_epoch[0] + of_epoch[1])) == GRID
    else:
        for rank in range(4):
            assert list(make(seed=5, rank=rank, ranks=4)) == alone[rank::4]
    sampler = make(seed=5)
    with tessera.Loader(array, sampler, batch=4, cache=400) as loader:
        next(loader), next(loader)
        position = loader.position
    sampler.seek(position)
    assert sampler.position == position == 8
    rest = [box for batch in tessera.Loader(array, sampler, batch=4) for box in batch.boxes]
    assert rest == alone[8:]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shards", [None, (8, 8, 8)])
def test_types(tmp_path, dtype, shards):
    expected = np.random.default_rng(5).integers(0, 256, (21, 18, 13 * np.dtype(dtype).itemsize), dtype="uint8")
    expected = (expected % 2).astype("bool") if dtype == "bool" else expected.view(dtype)
    array = tessera.create_array(tmp_path / "a.zarr", shape=expected.shape, dtype=dtype, shards=shards, chunks=(4, 2, 8))
    array[:17] = expected[:17]  # the last chunks are missing
    expected[17:] = array[17:]
    sampler = tessera.UniformBoxes(array.shape, (7, 5, 9), 24, seed=4)
    for batch in tessera.Loader(array, sampler, batch=5, cache=1 << 12):
        check(batch, expected)
    boxes = list(sampler)
    read = np.asarray(tessera.read_boxes(array, boxes))
    assert read.tobytes() == b"".join(expected[box].tobytes() for box in boxes)


@pytest.mark.parametrize("given", [{"compressors": None}, {"serializer": zarr.codecs.BytesCodec(endian="big")}])
def test_stored_otherwise(tmp_path, given):
    expected = np.arange(20 * 20, dtype="int32").reshape(20, 20)
    zarr.create_array(tmp_path / "a.zarr", shape=(20, 20), dtype="int32", chunks=(5, 5), **given)[...] = expected
    array = tessera.open(tmp_path / "a.zarr")
    for cache in (0, 5 * 100, 1 << 20):
        for batch in tessera.Loader(array, tessera.UniformBoxes((20, 20), (6, 6), 30), batch=8, cache=cache):
            check(batch, expected)


def test_numbers_that_numpy_lacks(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(8, 6), dtype="bfloat16", chunks=(4, 4))
    theirs = jax.numpy.arange(48, dtype="bfloat16").reshape(8, 6)
    array[...] = theirs
    batch = next(tessera.Loader(array, [np.s_[1:4, 2:5], np.s_[0:3, 0:3]], batch=2))
    assert (jax.dlpack.from_dlpack(batch)[0] == theirs[1:4, 2:5]).all()
    with pytest.raises(tessera.ExchangeError, match="bfloat16"):
        np.asarray(batch)


def test_batches_of_times(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(6,), dtype="M8[s]", chunks=(4,))
    array[...] = np.arange(6)
    batch = np.asarray(next(tessera.Loader(array, [np.s_[1:4], np.s_[3:6]], batch=2)))
    assert batch.dtype == "M8[s]" and batch.astype(int).tolist() == [[1, 2, 3], [3, 4, 5]]


def test_samplers_of_python(made):
    array, expected = made
    boxes = [np.s_[y : y + 6 : 2, 3:9] for y in range(9)]
    remaining = iter(boxes)
    threads = set()

    def draw():
        threads.add(threading.get_ident())
        return next(remaining, None)

    for sampler in (boxes, tuple(boxes), iter(boxes), (box for box in boxes), draw):
        found = []
        for batch in tessera.Loader(array, sampler, batch=4, cache=300):
            check(batch, expected)
            found += batch.boxes
        assert [[(s.start, s.step) for s in box] for box in found] == [[(y, 2), (3, None)] for y in range(9)]
    assert threads and threading.get_ident() not in threads
    assert [b.shape for b in tessera.Loader(array, [])] == []
    vector = tessera.create_array(pathlib.Path(array.store_path).parent / "v.zarr", shape=(9,), dtype="i4")
    assert next(tessera.Loader(vector, [slice(2, 5), slice(None, 3)], batch=2)).shape == (2, 3)
    numbers = [(slice(np.int64(1), np.uint8(4)), slice(None))]
    check(next(tessera.Loader(array, numbers)), expected)


@pytest.mark.parametrize("box", [np.s_[-3:4, 0:1], (3, slice(0, 1)), np.s_[0:1], np.s_[0:24, 0:1], np.s_[0:9:0, 0:1], "ab", None])
def test_wrong_boxes(made, box):
    array, expected = made
    loader = tessera.Loader(array, [np.s_[0:1, 0:1], np.s_[0:1, 0:1], box, np.s_[0:1, 0:1]], batch=2, cache=100)
    check(next(loader), expected)
    if box is None:
        assert next(loader, None) is None
        return
    with pytest.raises(tessera.SelectionError):
        next(loader)
    assert next(loader, None) is None
    with pytest.raises(tessera.SelectionError):
        tessera.read_boxes(array, [np.s_[0:1, 0:1], box])


def test_boxes_of_several_shapes(made):
    array, expected = made
    boxes = [np.s_[0:1, 0:1], np.s_[0:1, 0:1], np.s_[0:2, 0:1], np.s_[3:5, 0:1], np.s_[0:1, 0:1]]
    for batch in tessera.Loader(array, boxes, batch=2):
        check(batch, expected)
    loader = tessera.Loader(array, boxes, batch=3, on_error="go_on")
    with pytest.raises(tessera.SelectionError, match="box 2"):
        next(loader)
    with pytest.raises(tessera.SelectionError):
        next(loader)
    assert next(loader, None) is None and loader.position == 5


def test_wrong_arguments(made):
    array, _ = made
    boxes = [np.s_[0:1, 0:1]]
    for given in ({"batch": 0}, {"ahead": 0}, {"on_error": "stop"}):
        with pytest.raises(ValueError):
            tessera.Loader(array, boxes, **given)
    with pytest.raises(TypeError, match="sampler"):
        tessera.Loader(array, 3)
    with pytest.raises(tessera.Error, match="rank 2"):
        tessera.UniformBoxes(array.shape, (1, 1), rank=2, ranks=2)
    for shape in ((24, 1), (1,), (1, 1, 1)):
        with pytest.raises(tessera.SelectionError):
            tessera.UniformBoxes(array.shape, shape)
        with pytest.raises(tessera.SelectionError):
            tessera.ShuffledGrid(array.shape, shape)
    for weights in ([], [-1.0], [0.0]):
        with pytest.raises(tessera.SelectionError):
            tessera.WeightedBoxes(boxes, weights)


def test_the_error_of_a_batch(made):
    array, expected = made
    damaged = pathlib.Path(array.store_path) / "c" / "1" / "0"
    damaged.write_bytes(b"not zstd")
    boxes = [np.s_[0:5, 0:4], np.s_[5:10, 0:4], np.s_[10:15, 0:4], np.s_[10:15, 4:8]]
    for on_error, after in (("end", 0), ("go_on", 2)):
        loader = tessera.Loader(array, boxes, on_error=on_error, ahead=1, cache=1 << 10)
        check(next(loader), expected)
        with pytest.raises(tessera.CodecError, match="c/1/0") as raised:
            next(loader)
        assert raised.value.key == "c/1/0" and raised.value.store == array.store_path.rstrip("/")
        rest = list(loader)
        assert len(rest) == after and loader.position == 2 + after
        for batch in rest:
            check(batch, expected)


def test_the_error_of_a_sampler(made):
    array, expected = made

    class Own(Exception):
        pass

    def boxes():
        yield np.s_[0:2, 0:2]
        yield np.s_[0:2, 1:3]
        raise Own("from the sampler")

    for on_error in ("end", "go_on"):
        loader = tessera.Loader(array, boxes(), on_error=on_error)
        check(next(loader), expected)
        check(next(loader), expected)
        with pytest.raises(Own, match="from the sampler") as raised:
            next(loader)
        assert raised.traceback[-1].name == "boxes"
        assert next(loader, None) is None


class Held:
    """A sampler that waits before a box, until it is let go."""

    def __init__(self, boxes, before):
        self.boxes, self.before, self.at = list(boxes), before, 0
        self.reached, self.go = threading.Event(), threading.Event()

    def __call__(self):
        if self.at == self.before:
            self.reached.set()
            self.go.wait()
        self.at += 1
        return self.boxes[self.at - 1] if self.at <= len(self.boxes) else None


def test_cancelled_from_another_thread(made):
    array, expected = made
    sampler = Held([np.s_[0:2, 0:2]] * 3, 1)
    loader = tessera.Loader(array, sampler, cache=0)
    check(next(loader), expected)
    raised = []

    def wait():
        try:
            next(loader)
        except tessera.Cancelled as error:
            raised.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    sampler.reached.wait()
    loader.cancel()
    waiting.join()
    assert len(raised) == 1
    with pytest.raises(tessera.Cancelled):
        next(loader)
    sampler.go.set()
    loader.close()
    loader.close()
    with pytest.raises(tessera.Cancelled, match="closed"):
        next(loader)
    assert loader.statistics().batches == 1 and loader.position == 1


def test_closed_while_another_thread_waits(made):
    array, _ = made
    sampler = Held([], 0)
    loader = tessera.Loader(array, sampler)
    raised = []

    def wait():
        with pytest.raises(tessera.Cancelled) as error:
            next(loader)
        raised.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    sampler.reached.wait()
    loader.close()
    waiting.join(60)
    assert len(raised) == 1 and not waiting.is_alive()
    sampler.go.set()


def test_threads_share_a_loader(made):
    array, expected = made
    found, wrong = [], []
    with tessera.Loader(array, tessera.ShuffledGrid(array.shape, (2, 2), 3), batch=5, cache=400, ahead=4) as loader:

        def take():
            try:
                for batch in loader:
                    check(batch, expected)
                    found.extend(corners(batch.boxes))
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=take) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong and sorted(found) == sorted(corners(tessera.ShuffledGrid(array.shape, (2, 2), 3)))


def test_a_batch_outlives_its_loader(made):
    array, expected = made
    loader = tessera.Loader(array, tessera.UniformBoxes(array.shape, (6, 5), 40, seed=1), batch=4)
    batches = [next(loader) for _ in range(5)]
    shown = [np.asarray(batch) for batch in batches] + [np.from_dlpack(batch) for batch in batches]
    theirs = [jax.dlpack.from_dlpack(batch) for batch in batches]
    boxes = [batch.boxes for batch in batches]
    assert [address(batch) for batch in batches] == [address(np.from_dlpack(batch)) for batch in batches]
    assert [one.unsafe_buffer_pointer() for one in theirs] == [address(batch) for batch in batches]
    alive = weakref.ref(loader)
    del loader, batches
    gc.collect()
    assert alive() is None
    for elements in shown + [np.asarray(one) for one in theirs]:
        of = boxes[next(i for i, one in enumerate(shown[:5]) if address(one) == address(elements))]
        for crop, box in zip(elements, of):
            np.testing.assert_array_equal(crop, expected[box])


@pytest.mark.parametrize("hold", [np.asarray, np.from_dlpack, jax.dlpack.from_dlpack, lambda batch: batch])
def test_memory_is_used_again_only_when_it_is_free(made, hold):
    array, _ = made
    with tessera.Loader(array, tessera.UniformBoxes(array.shape, (6, 5), 90, seed=2), batch=3, ahead=2) as loader:
        held = hold(next(loader))
        kept, memory = np.array(held), set()
        for batch in loader:
            memory.add(address(batch))
            assert address(batch) % 64 == 0
            np.asarray(batch)[...] = -5  # a batch is the program's
        assert address(np.asarray(held)) not in memory and len(memory) <= 5
        np.testing.assert_array_equal(held, kept)


def test_it_is_a_tensor(made):
    array, _ = made
    batch = next(tessera.Loader(array, [np.s_[0:2, 0:3]]))
    assert isinstance(batch, tessera.Batch) and isinstance(batch, tessera.Tensor) and batch.dtype == "int32"
    assert batch.__dlpack_device__() == (1, 0) and np.from_dlpack(batch).flags.writeable
    assert batch.boxes == [np.s_[0:2, 0:3]]


def test_read_boxes(made):
    array, expected = made
    boxes = list(tessera.UniformBoxes(array.shape, (6, 5), 12, seed=8))
    calls = []
    read = np.asarray(tessera.read_boxes(array, iter(boxes), progress=lambda done, chunks: calls.append((done, chunks))))
    for crop, box in zip(read, boxes, strict=True):
        np.testing.assert_array_equal(crop, expected[box])
    touched = {chunk for box in boxes for chunk in chunks_of(box)}
    assert calls[-1] == (len(touched), len(touched))
    out = np.zeros((12, 5, 6), "int32").transpose(0, 2, 1)
    assert tessera.read_boxes(array, boxes, out=out) is out
    np.testing.assert_array_equal(out, read)
    assert tessera.read_boxes(array, []).shape == (0, 0, 0)
    with pytest.raises(tessera.SelectionError, match="shape"):
        tessera.read_boxes(array, boxes, out=np.zeros((11, 6, 5), "int32"))
    with pytest.raises(tessera.ExchangeError, match="int32"):
        tessera.read_boxes(array, boxes, out=np.zeros((12, 6, 5), "int64"))
    with pytest.raises(tessera.ExchangeError, match="stream"):
        tessera.read_boxes(array, boxes, stream=1)

    def stop(*_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        tessera.read_boxes(array, boxes, progress=stop)


def some(rng, shape, dtype):
    """Random elements."""
    kind = np.dtype(dtype)
    octets = rng.integers(0, 256, (*shape[:-1], shape[-1] * kind.itemsize), dtype="uint8")
    if kind.kind in "fc":
        return rng.normal(scale=100, size=shape).astype(dtype)
    return (octets % 2).astype("bool") if dtype == "bool" else octets.view(dtype)


def stored(folder, rng, dtype, **given):
    """An array of random elements, whose last rows are not written, and its elements."""
    shape = tuple(int(n) for n in rng.integers(5, 22, 3))
    shards = tuple(int(n) for n in rng.integers(1, 4, 3) * (3, 2, 4)) if rng.integers(2) else None
    array = tessera.create_array(folder / "a.zarr", shape=shape, dtype=dtype, shards=shards, chunks=(3, 2, 4), **given)
    expected = some(rng, shape, dtype)
    array[: shape[0] - 2] = expected[: shape[0] - 2]
    expected[shape[0] - 2 :] = array[shape[0] - 2 :]
    return array, expected


def drawn(rng, shape):
    """Some boxes of one shape, with steps."""
    steps = [int(n) for n in rng.integers(1, 3, 3)]
    counts = [int(rng.integers(1, min(9, (n - 1) // step + 1) + 1)) for n, step in zip(shape, steps)]
    lengths = [(count - 1) * step + 1 for count, step in zip(counts, steps)]
    firsts = [[int(rng.integers(n - length + 1)) for n, length in zip(shape, lengths)] for _ in range(11)]
    return [tuple(slice(f, f + n, s) for f, n, s in zip(first, lengths, steps)) for first in firsts]


def read_in_all_ways(array, boxes, **given):
    """The elements of boxes, by Loaders and by calls."""
    for cache in (0, 900, 1 << 20):
        found = list(tessera.Loader(array, boxes, batch=4, cache=cache, **given))
        assert [[s.start for s in box] for batch in found for box in batch.boxes] == [[s.start for s in box] for box in boxes]
        yield np.concatenate([np.asarray(batch) for batch in found])
    made = tessera.read_boxes(array, boxes, **given)
    yield np.asarray(made)
    out = np.zeros((*made.shape[::-1],), made.dtype if made.dtype[0] != "r" else "V3").T
    assert tessera.read_boxes(array, boxes, out=out, **given) is out
    yield out


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "uint64", "float16", "float64", "complex64", "V3"])
def test_padding(tmp_path, dtype, mode):
    for seed in range(4):
        print("seed", seed)
        rng = np.random.default_rng(seed)
        folder = tmp_path / str(seed)
        array, expected = stored(folder, rng, dtype, fill_value={"V3": b"abc", "bool": True}.get(dtype, 7))
        values = {"V3": b"xyz", "bool": 1, "float16": 0.1, "complex64": 2 - 3j}
        value = values.get(dtype, 200) if mode == "constant" and seed % 2 else None
        widths = tuple((int(a), int(b)) for a, b in rng.integers(0, 30, (3, 2)))
        padding = tessera.Padding(widths, mode, value)
        if mode == "constant":
            filler = array[-1, -1, -1] if value is None else np.frombuffer(value, "V3")[0] if dtype == "V3" else value
            padded = np.full(padding.padded(array.shape), filler, dtype)
            padded[tuple(slice(before, before + n) for (before, _), n in zip(widths, array.shape))] = expected
            assert dtype == "V3" or (padded == np.pad(expected, widths, constant_values=filler)).all()
        else:
            at = np.pad(np.arange(expected.size).reshape(expected.shape), widths, mode)  # numpy.pad has no V3
            padded = expected.reshape(-1)[at]
        assert padding.padded(array.shape) == padded.shape
        boxes = drawn(rng, padded.shape)
        for found in read_in_all_ways(array, boxes, padding=padding):
            assert found.dtype == dtype
            assert found.tobytes() == np.stack([padded[box] for box in boxes]).tobytes()


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("to", ["float16", "float32", "float64"])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float16", "float32", "float64"])
def test_conversion(tmp_path, dtype, to):
    for seed, (scale, offset) in enumerate([(1, 0), (1 / 255, -0.5), (-3e-5, 1e3), (np.float32(0.1), 7)]):
        print("seed", seed)
        rng = np.random.default_rng(seed)
        array, expected = stored(tmp_path / str(seed), rng, dtype, fill_value=1)
        if to == "float16" and dtype in INTEGERS and np.iinfo(dtype).max > 60000:
            array[...] = expected = expected % 60000
        padding = tessera.Padding(3, constant_values=None if seed % 2 else 0)
        value = array[-1, -1, -1] if seed % 2 else 0
        padded = np.pad(expected, 3, constant_values=value)
        same = (scale, offset) == (1, 0)
        made = (padded if same else padded.astype("float64") * float(scale) + offset).astype(to)
        boxes = drawn(rng, padded.shape)
        for found in read_in_all_ways(array, boxes, padding=padding, dtype=to, scale=scale, offset=offset):
            assert found.dtype == to
            assert found.tobytes() == np.stack([made[box] for box in boxes]).tobytes()


def test_conversion_of_other_bytes(tmp_path):
    """Byte order, NaN and infinities; dtype in the words of NumPy."""
    expected = np.linspace(-5, 5, 400).reshape(20, 20)
    expected[3, 4:7] = np.nan, np.inf, -np.inf
    big = zarr.codecs.BytesCodec(endian="big")
    zarr.create_array(tmp_path / "a.zarr", shape=(20, 20), dtype="float64", chunks=(5, 5), serializer=big)[...] = expected
    array = tessera.open(tmp_path / "a.zarr")
    for dtype in ("float32", "f4", np.float32, np.dtype("<f4")):
        batch = next(tessera.Loader(array, [np.s_[:, :]], dtype=dtype))
        assert isinstance(batch, tessera.Batch) and batch.dtype == "float32"
        np.testing.assert_array_equal(jax.dlpack.from_dlpack(batch)[0], expected.astype("float32"))
    for dtype in ("float64", None, ">f8" if sys.byteorder == "big" else "<f8"):
        np.testing.assert_array_equal(tessera.read_boxes(array, [np.s_[:, :]], dtype=dtype), expected[None])
    small = tessera.read_boxes(array, [np.s_[:, :]], dtype=np.float16, scale=2)
    np.testing.assert_array_equal(small, (2 * expected).astype("float16")[None])
    for value in (None, 1e-3):
        padded = np.pad(expected, 2, constant_values=value or 0)
        padding = tessera.Padding(2, constant_values=value)
        np.testing.assert_array_equal(tessera.read_boxes(array, [np.s_[:, :]], padding=padding), padded[None])
        small = tessera.read_boxes(array, [np.s_[:, :]], padding=padding, dtype="float32", scale=2)
        np.testing.assert_array_equal(small, (2 * padded).astype("float32")[None])


@pytest.mark.parametrize("width", [2, (2,), (3, 1), ((3, 1),), ((3, 1), (0, 4)), ((1,), (2,)), np.array([[1, 2], [3, 4]], "i1"), 0])
def test_padding_in_words_of_numpy(made, width):
    array, expected = made
    for mode in ("constant", "edge", "reflect"):
        padding = pickle.loads(pickle.dumps(tessera.Padding(width, mode=mode)))
        padded = np.pad(expected, width, mode, **({"constant_values": -1} if mode == "constant" else {}))
        assert padding.padded(array.shape) == padded.shape
        everything = [np.s_[:, :]]
        np.testing.assert_array_equal(tessera.read_boxes(array, everything, padding=padding), padded[None])
        batch = next(tessera.Loader(array, everything, padding=padding))
        np.testing.assert_array_equal(batch, padded[None])
        assert batch.boxes == [tuple(slice(0, n) for n in padded.shape)]


@pytest.mark.parametrize("kind", ["uniform", "grid", "weighted"])
def test_padded_and_converted_batches_resume(made, kind):
    array, expected = made
    padding = tessera.Padding(((4, 0), (2, 7)), mode="reflect")
    padded = np.pad(expected, padding.pad_width, "reflect").astype("float32") * 0.5
    make = samplers(padding.padded(array.shape))[kind]
    given = {"padding": padding, "dtype": "float32", "scale": 0.5, "batch": 4, "cache": 400}
    alone, sampler = list(make(seed=5)), make(seed=5)
    with tessera.Loader(array, sampler, **given) as loader:
        for batch in itertools.islice(loader, 2):
            check(batch, padded)
        sampler.seek(loader.position)
    found = []
    for batch in tessera.Loader(array, sampler, **given):
        check(batch, padded)
        assert batch.first == len(found)
        found += batch.boxes
    assert found == alone[8:]
    shares = [tessera.Loader(array, make(seed=5, rank=rank, ranks=2), **given) for rank in (0, 1)]
    assert sum(len(batch.boxes) for share in shares for batch in share) == len(alone)


def test_wrong_padding(tmp_path, made):
    array, _ = made
    for width in (((1, 1),) * 3, (1, 1, 1), ((1, 1, 1), (1, 1, 1))):
        padding = tessera.Padding(width)
        for use in (
            lambda: padding.padded(array.shape),
            lambda: tessera.Loader(array, [], padding=padding),
            lambda: tessera.read_boxes(array, [], padding=padding),
        ):
            with pytest.raises(tessera.SelectionError, match="expected a number, a pair, or 2 pairs"):
                use()
    for error, given in (
        (TypeError, (1.5,)), (TypeError, ("1",)), (ValueError, (-1,)), (ValueError, (((0, -1), (0, 0)),)),
        (ValueError, (1, "wrap")), (ValueError, (1, None)), (ValueError, (1, "edge", 3)), (ValueError, (1, "constant", (1, 2))),
    ):  # fmt: skip
        with pytest.raises(error, match="expected"):
            tessera.Padding(*given)
    with pytest.raises(ValueError, match="'constant', 'edge' or 'reflect'"):
        tessera.Padding(1, mode="wrap")
    for value in (1.5, 1 << 31, -(1 << 31) - 1, 1e10, 1j, "one", b"1234", float("nan")):
        with pytest.raises(tessera.SelectionError, match="no element of int32"):
            tessera.Loader(array, [], padding=tessera.Padding(1, constant_values=value))
        with pytest.raises(tessera.SelectionError, match="no element of int32"):
            tessera.read_boxes(array, [], padding=tessera.Padding(1, constant_values=value))
    raw = tessera.create_array(tmp_path / "raw.zarr", shape=(2,), dtype="V3")
    with pytest.raises(tessera.SelectionError, match="no element of r24"):
        tessera.Loader(raw, [], padding=tessera.Padding(1, constant_values=b"ab"))
    with pytest.raises(TypeError, match="tessera.Padding"):
        tessera.Loader(array, [], padding=1)
    with pytest.raises(tessera.SelectionError, match="no elements"):
        tessera.Padding(1, "edge").padded((3, 0))
    with pytest.raises(tessera.SelectionError, match="2\\^63"):
        tessera.Padding(1 << 62).padded((1 << 62,))
    padding = tessera.Padding(2)
    with pytest.raises(tessera.SelectionError, match="box 1 of the padded array"):
        next(tessera.Loader(array, [np.s_[0:2, 0:2], np.s_[26:28, 0:2]], batch=2, padding=padding))
    with pytest.raises(tessera.SelectionError, match="box 0 of the padded array"):
        tessera.read_boxes(array, [np.s_[26:28, 0:2]], padding=padding)


def test_padding_of_numbers_that_numpy_lacks(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(2, 2), dtype="bfloat16", chunks=(2, 2), fill_value=3)
    box = [np.s_[0:1, 0:1]]
    for value, expected in ((None, 3), (jax.numpy.bfloat16(1.5), 1.5), (np.asarray(jax.numpy.bfloat16(2)), 2)):
        batch = next(tessera.Loader(array, box, padding=tessera.Padding(1, constant_values=value)))
        assert jax.dlpack.from_dlpack(batch)[0, 0, 0] == expected
    for value in (1.5, np.float16(1.5), b"ab"):
        with pytest.raises(tessera.SelectionError, match="bfloat16"):
            tessera.Loader(array, box, padding=tessera.Padding(1, constant_values=value))


def test_scales_by_index(tmp_path):
    rng = np.random.default_rng(3)
    elements = rng.integers(0, 9000, (9, 4, 11), dtype="uint16")
    array = tessera.create_array(tmp_path / "a.zarr", shape=elements.shape, dtype="uint16", chunks=(4, 3, 5), fill_value=7)
    array[:6] = elements[:6]
    elements[6:] = 7
    boxes = [tuple(slice(int(at), int(at) + n) for at, n in zip(rng.integers(0, (6, 2, 6)), (3, 2, 5), strict=True)) for _ in range(20)]
    for axis in (0, 1, 2, -1):
        scale, offset = rng.normal(size=elements.shape[axis]), rng.normal(size=elements.shape[axis])
        along = [-1 if d == axis % 3 else 1 for d in range(3)]
        for by_index, made in [
            (tessera.ScaleByIndex(axis, scale, offset), elements * scale.reshape(along) + offset.reshape(along)),
            (tessera.ScaleByIndex(axis, scale=scale), elements * scale.reshape(along)),
            (tessera.ScaleByIndex(axis, offset=list(offset)), elements + offset.reshape(along)),
        ]:
            expected = np.stack([made.astype("float32")[box] for box in boxes])
            for found in read_in_all_ways(array, boxes, dtype="float32", by_index=by_index):
                assert found.tobytes() == expected.tobytes()
    for wrong, error in [
        (tessera.ScaleByIndex(0, [1.0] * 8), tessera.ConversionError),
        (tessera.ScaleByIndex(3, [1.0]), tessera.ConversionError),
    ]:
        for read in (tessera.Loader, tessera.read_boxes):
            with pytest.raises(error, match="expected"):
                list(read(array, boxes, dtype="float32", by_index=wrong))
    for given in ({"dtype": "float32", "scale": 2}, {}):
        with pytest.raises(ValueError, match="by_index"):
            tessera.read_boxes(array, boxes, by_index=tessera.ScaleByIndex(1, [1.0] * 4), **given)


def test_wrong_conversion(tmp_path, made):
    array, expected = made
    for dtype in ("int16", "uint8", "complex64", "bfloat16", "V3", ">f4", "number", object(), bool, int):
        for read in (tessera.Loader, tessera.read_boxes):
            with pytest.raises(tessera.ConversionError, match="float32, float16, float64"):
                read(array, [], dtype=dtype)
    for given in ({"scale": 2}, {"offset": 1}):
        with pytest.raises(ValueError, match="dtype"):
            tessera.Loader(array, [], **given)
    with pytest.raises(TypeError):
        tessera.Loader(array, [], dtype="float32", scale="large")
    for dtype in ("complex64", "V3", "bfloat16"):
        other = tessera.create_array(tmp_path / f"{dtype}.zarr", shape=(4,), dtype=dtype)
        for read in (tessera.Loader, tessera.read_boxes):
            with pytest.raises(tessera.ConversionError, match="are not converted"):
                read(other, [], dtype="float32")
    boxes = [np.s_[0:2, 0:2]]
    for out in (np.zeros((1, 2, 2), "int32"), np.zeros((1, 2, 2), "float64")):
        with pytest.raises(tessera.ExchangeError, match="expected float32"):
            tessera.read_boxes(array, boxes, out=out, dtype="float32")
    with pytest.raises(tessera.SelectionError, match="shape"):
        tessera.read_boxes(array, boxes, out=np.zeros((1, 2, 3), "float32"), dtype="float32")


def test_numbers_that_do_not_fit(made):
    array, expected = made
    array[7, 9], expected[7, 9] = 70000, 70000
    boxes = [np.s_[0:3, 0:4], np.s_[6:9, 7:11], np.s_[9:12, 7:11]]
    message = r"element \[1, 2\] of box 0 is 70000, which does not fit in float16$"
    for cache in (0, 1 << 20):
        loader = tessera.Loader(array, boxes, dtype="float16", on_error="go_on", cache=cache)
        np.testing.assert_array_equal(next(loader), expected[boxes[0]].astype("float16")[None])
        with pytest.raises(tessera.ConversionError, match=message) as raised:
            next(loader)
        assert isinstance(raised.value, ValueError) and raised.value.store == array.store_path.rstrip("/")
        np.testing.assert_array_equal(next(loader), expected[boxes[2]].astype("float16")[None])
        assert next(loader, None) is None and loader.position == 3
    with pytest.raises(tessera.ConversionError, match="box 1 is 70000, which does not fit in float16$"):
        tessera.read_boxes(array, boxes, dtype="float16")
    scaled = tessera.read_boxes(array, boxes, dtype="float16", scale=0.5)
    np.testing.assert_array_equal(scaled, np.stack([(0.5 * expected[box]).astype("float16") for box in boxes]))
    far = tessera.Padding(1, constant_values=1 << 20)  # of the array's type, before it is converted
    inside = next(tessera.Loader(array, [np.s_[1:3, 1:3]], padding=far, dtype="float16"))
    np.testing.assert_array_equal(inside, expected[:2, :2].astype("float16")[None])
    with pytest.raises(tessera.ConversionError, match="1048576"):
        next(tessera.Loader(array, [np.s_[0:3, 0:3]], padding=far, dtype="float16"))


on_linux = pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="needs /proc")


def resident():
    """Bytes of this process."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@on_linux
@pytest.mark.parametrize("of_python", [False, True])
def test_memory_does_not_grow(made, of_python):
    """A batch has 12,000 bytes: of 10,000 batches one in a hundred that is lost exceeds the limit."""
    array, _ = made
    listed = [np.s_[0:20, 0:15]] * 10
    sampler = itertools.chain.from_iterable(itertools.repeat(listed)) if of_python else tessera.UniformBoxes(array.shape, (20, 15))
    with tessera.Loader(array, sampler, batch=10, cache=1 << 12) as loader:
        for _ in range(300):
            np.asarray(next(loader))
        before = resident()
        for batch in itertools.islice(loader, 10_000):
            assert len(batch.boxes) == 10
            np.from_dlpack(batch)
        assert resident() - before < 1 << 20


@on_linux
def test_loaders_do_not_leak(made):
    """A loader here has more than 400 KB for batches."""
    array, _ = made
    sampler = tessera.UniformBoxes(array.shape, (20, 15))

    def some(count):
        for _ in range(count):
            next(tessera.Loader(array, sampler, batch=200, cache=1 << 12, horizon=2))

    some(20)
    before = resident()
    some(100)
    assert resident() - before < 8 << 20
    assert len(list(pathlib.Path("/proc/self/task").iterdir())) < 100


INTERRUPTED = """
import os, signal, sys, threading
import numpy as np, tessera
array = tessera.open(sys.argv[1])
main = threading.get_ident()


def draw():
    while sys._current_frames()[main].f_code.co_name != "__next__":
        pass
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait()


try:
    loader = tessera.Loader(array, draw)
    next(loader)
except KeyboardInterrupt:
    print("interrupted", loader.statistics().batches)
if sys.argv[2] == "close":
    loader.close()
    print("closed")
"""


@pytest.mark.parametrize("end", ["close", "exit"])
def test_control_c_ends_a_wait(made, end):
    """The sampler never returns: neither `close` nor the end of the process waits for it."""
    array, _ = made
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, array.store_path, end], capture_output=True, timeout=60, text=True)
    assert (done.stdout.split(), done.returncode) == (["interrupted", "0", *["closed"] * (end == "close")], 0), done.stderr


def test_a_sampler_that_drops_its_loader(made):
    array, _ = made
    ended = threading.Event()

    class Owner:
        pass

    owner = Owner()
    owner.itself = owner
    weakref.finalize(owner, ended.set)
    holder, ready = [owner], threading.Event()

    def boxes():
        yield np.s_[0:2, 0:2]
        ready.wait()
        holder.clear()
        gc.collect()
        yield np.s_[0:2, 0:2]

    owner.loader = tessera.Loader(array, boxes(), cache=0)
    next(owner.loader)
    del owner
    ready.set()
    assert ended.wait(60)


def _child(loader, done):
    try:
        next(loader)
    except tessera.Error as error:
        done.send(str(error))
    loader.close()
    array = tessera.open(loader_path)
    given = {"padding": tessera.Padding(1), "dtype": "float32"}
    done.send(np.asarray(next(tessera.Loader(array, [np.s_[0:2, 0:2]], **given))).tolist())


loader_path = ""


def test_a_child_of_fork_makes_its_own(made):
    global loader_path
    array, _ = made
    loader_path = array.store_path
    with tessera.Loader(array, tessera.UniformBoxes(array.shape, (6, 5))) as loader:
        next(loader)
        context = multiprocessing.get_context("fork")
        mine, theirs = context.Pipe()
        child = context.Process(target=_child, args=(loader, theirs))
        child.start()
        assert "fork" in mine.recv() and mine.recv() == [[[-1, -1], [-1, 0]]]
        child.join()
        assert child.exitcode == 0
        next(loader)


def turned(elements, orientation):
    """What numpy gives; `axes` may be of the first dimensions alone."""
    axes = [*orientation.axes, *range(len(orientation.axes), elements.ndim)]
    return np.flip(elements, orientation.flip).transpose(axes)


@pytest.mark.parametrize("cache", [0, None])
def test_orientations(made, cache):
    array, expected = made
    boxes = tessera.UniformBoxes(array.shape, (6, 6), 50, seed=3)
    sampler = tessera.RandomOrientations(boxes, flip=[0, 1], permute=[0, 1], seed=3)
    batches = list(tessera.Loader(array, sampler, batch=8, cache=cache))
    for batch in batches:
        for elements, box, orientation in zip(np.asarray(batch), batch.boxes, batch.orientations, strict=True):
            assert (elements == turned(expected[box], orientation)).all()
    drawn = list(sampler)
    assert [box for box, _ in drawn] == list(boxes) and sampler.position == 50 and len({o for _, o in drawn}) == 8
    assert [pair for batch in batches for pair in zip(batch.boxes, batch.orientations, strict=True)] == drawn
    read = np.asarray(tessera.read_boxes(array, drawn))
    assert (read == np.concatenate([np.asarray(batch) for batch in batches])).all()
    sampler.seek(40)
    assert list(sampler) == drawn[40:]


def test_orientations_of_a_list(made):
    array, expected = made
    wide, high = np.s_[1:5, 2:8], np.s_[3:9, 4:8]
    turn = tessera.Orientation(axes=(1, 0), flip=[1])
    listed = [wide, (high, turn), (wide, tessera.Orientation(flip=(0,)))]
    batch = next(tessera.Loader(array, listed, batch=3))
    shown = [expected[wide], turned(expected[high], turn), expected[wide][::-1]]
    assert (np.asarray(batch) == shown).all() and batch.orientations[1] == turn
    assert repr(turn) == "Orientation(flip=(1,), axes=(1, 0))" and turn != tessera.Orientation()
    assert next(tessera.Loader(array, [wide])).orientations == []
    with pytest.raises(tessera.SelectionError, match=r"box 1: found axes = \[1, 1\]"):
        tessera.read_boxes(array, [wide, (wide, tessera.Orientation(axes=(1, 1)))])


def numbered(path, **given):
    """Four chunks of ten elements, and the bytes that they have in the store."""
    array = tessera.create_array(path, shape=(40,), dtype="int32", chunks=(10,), **given)
    array[...] = np.arange(40)
    return array, sum(file.stat().st_size for file in path.glob("c/*"))


def at(*places):
    return [np.s_[place : place + 1] for place in places]


TOGETHER = at(0, 1, 2, 11, 12, 3, 4, 13, 14, 5, 21, 22)  # two in a batch


@pytest.mark.parametrize("together, decoded", [(1, 10), (2, 7), (3, 5), (6, 3)])
def test_batches_that_are_read_together(tmp_path, together, decoded):
    array, _ = numbered(tmp_path / "a.zarr")
    other, _ = numbered(tmp_path / "b.zarr")
    given = {"batch": 2, "ahead": 6, "together": together, "cache": 0}
    with tessera.Loader(array, TOGETHER, **given) as loader:
        read = [int(element) for batch in loader for element in np.asarray(batch)[:, 0]]
        assert read == [box.start for box in TOGETHER]
        did = loader.statistics()
    assert (did.chunks, did.decoded, did.hits) == (10, decoded, 10 - decoded)
    with tessera.Loader([array, other], TOGETHER, **given) as loader:
        for one, two in loader:
            assert (np.asarray(one) == np.asarray(two)).all()
        assert [loader.statistics(i).decoded for i in range(2)] == [decoded] * 2


def test_what_is_kept(tmp_path):
    _, size = numbered(tmp_path / "a.zarr")
    all_chunks = 4 * 10 * 4
    with served(tmp_path) as (address, asked):
        array = tessera.open(f"{address}/a.zarr")
        for keep, cache, (hits, decoded, kept, fetched) in [
            ("decoded", all_chunks, (8, 4, 0, 1)),
            ("stored", 1 << 20, (0, 12, 8, 1)),
            ("stored", 0, (0, 12, 0, 3)),
            ("either", 1 << 20, (8, 4, 0, 1)),
            ("either", all_chunks, (8, 4, 0, 1)),
            ("either", all_chunks - 1, (0, 12, None, None)),
        ]:
            boxes = at(1, 11, 21, 31, 32, 22, 12, 2, 3, 23, 13, 33)
            asked.clear()
            with tessera.Loader(array, boxes, keep=keep, cache=cache) as loader:
                assert [int(np.asarray(batch)[0, 0]) for batch in loader] == [box.start for box in boxes]
                did = loader.statistics()
            assert (did.chunks, did.hits, did.decoded) == (12, hits, decoded)
            assert len(asked) == decoded - did.kept
            if kept is None:  # as many as fit
                assert 0 < did.kept < 9 and did.bytes < 3 * size
            else:
                assert (did.kept, did.bytes) == (kept, fetched * size)


@pytest.mark.parametrize("given", [{"keep": "elements"}, {"together": 0}, {"together": 3}])
def test_wrong_ways_to_keep(tmp_path, given):
    array, _ = numbered(tmp_path / "a.zarr")
    with pytest.raises(ValueError, match="found (keep='elements', expected 'decoded'|together=[03], expected at least)"):
        tessera.Loader(array, at(0), **given)


def test_several_arrays(tmp_path):
    image = np.random.default_rng(1).integers(0, 9000, (3, 23, 17), dtype="uint16")
    label = np.random.default_rng(2).integers(0, 9, (23, 17), dtype="uint8")
    images = tessera.create_array(tmp_path / "i.zarr", shape=image.shape, dtype="uint16", chunks=(2, 5, 4))
    labels = tessera.create_array(tmp_path / "l.zarr", shape=label.shape, dtype="uint8", chunks=(7, 7))
    images[...], labels[...] = image, label
    padding = tessera.Padding(3, mode="reflect")
    draws = iter(tessera.RandomOrientations(tessera.UniformBoxes((29, 23), (6, 6), 30), flip=(0, 1), permute=(0, 1)))
    given = {"padding": padding, "dtype": ["float32", None], "scale": [0.5, 1]}
    wider = np.pad(image, ((0, 0), (3, 3), (3, 3)), mode="reflect"), np.pad(label, 3, mode="reflect")
    boxes = 0
    with tessera.Loader([images, labels], lambda: next(draws, None), batch=8, **given) as loader:
        for of_image, of_label in loader:
            assert np.asarray(of_image).dtype == "float32" and of_image.shape[1:] == (3, 6, 6)
            pairs = zip(of_label.boxes, of_label.orientations, strict=True)
            for i, (box, turn) in enumerate(pairs):
                assert (np.asarray(of_label)[i] == turned(wider[1][box], turn)).all()
                for channel in range(3):
                    assert (np.asarray(of_image)[i, channel] == 0.5 * turned(wider[0][channel][box], turn)).all()
            boxes += len(of_label.boxes)
            assert loader.position == boxes
        assert loader.statistics().boxes == loader.statistics(1).boxes == boxes == 30
        assert next(loader, None) is None
    with pytest.raises(ValueError, match="found 1 of dtype, expected 2, one for each array"):
        tessera.Loader([images, labels], [], dtype=["float32"])


def test_several_arrays_after_an_error(tmp_path):
    arrays = [tessera.create_array(tmp_path / f"{i}.zarr", shape=(12,), dtype="uint8", chunks=(4,)) for i in range(2)]
    for array in arrays:
        array[...] = np.arange(12)
    (tmp_path / "1.zarr" / "c" / "1").write_bytes(b"damaged")
    loader = tessera.Loader(arrays, [np.s_[0:3], np.s_[4:7], np.s_[8:11]], on_error="go_on")
    assert [np.asarray(batch).tolist() for batch in next(loader)] == [[[0, 1, 2]]] * 2
    with pytest.raises(tessera.CodecError, match="c/1"):
        next(loader)
    assert [np.asarray(batch).tolist() for batch in next(loader)] == [[[8, 9, 10]]] * 2
    assert next(loader, None) is None
    failing = tessera.Loader(arrays, map(int, ["no box"]))
    with pytest.raises(ValueError, match="no box"):
        next(failing)
    assert next(failing, None) is None
    with tessera.Loader(arrays, tessera.UniformBoxes((12,), (3,))) as loader:
        loader.cancel()
        with pytest.raises(tessera.Cancelled):
            next(loader)


@pytest.mark.parametrize("end", ["end", "close"])
@pytest.mark.parametrize("several", [False, True])
def test_a_sampler_that_has_its_loader(made, end, several):
    """As of a data set with both: they end with the last reference of the program."""
    array, _ = made

    class Data:
        def __init__(self):
            self.left = 6
            self.loader = tessera.Loader([array, array] if several else array, self.box, batch=2)

        def box(self):
            self.left -= 1
            return (slice(0, 2), slice(0, 3)) if self.left >= 0 else None

    data = Data()
    next(data.loader)
    if end == "close":
        data.loader.close()
    else:
        assert len(list(data.loader)) == 2  # its threads call no sampler any more
    gone = weakref.ref(data)
    del data
    gc.collect()
    assert gone() is None


def test_other_arrays_are_not_iterated(made, tmp_path):
    array, expected = made
    for other in (expected, zarr.open_array(tmp_path / "a.zarr"), 5):
        for use in (
            lambda: tessera.Loader(other, iter([])),
            lambda: tessera.Loader([array, other], iter([])),
            lambda: tessera.read_boxes(other, []),
        ):
            with pytest.raises(TypeError, match="found an array of type .*, expected a tessera.Array"):
                use()


def test_a_loader_stays_in_its_process(made):
    with tessera.Loader(made[0], iter([])) as loader, pytest.raises(TypeError, match="make one in each process"):
        pickle.dumps(loader)
