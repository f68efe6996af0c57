"""Loader: batches of boxes, read ahead, compared with the same boxes of NumPy's."""

import gc
import itertools
import multiprocessing
import pathlib
import resource
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import zarr

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


@pytest.mark.parametrize(("dtype", "error"), [(str, tessera.MetadataError), ("M8[s]", tessera.ExchangeError)])
def test_elements_that_are_refused(tmp_path, dtype, error):
    zarr.create_array(tmp_path / "a.zarr", shape=(4,), dtype=dtype)
    with pytest.raises(error, match="vlen-utf8|datetime64"):
        next(tessera.Loader(tessera.open(tmp_path / "a.zarr"), [np.s_[0:1]]))


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
    done.send(next(tessera.Loader(array, [np.s_[0:2, 0:2]])).shape)


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
        assert "fork" in mine.recv() and mine.recv() == (1, 2, 2)
        child.join()
        assert child.exitcode == 0
        next(loader)
