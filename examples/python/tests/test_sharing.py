"""Arrays and columns of host memory between real processes: Python and C++."""

import gc
import json
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from processes import comes_true, peer, python

import tessera
from tessera._sharing import process

CONSUMER = """
for line in sys.stdin:
    what, *given = json.loads(line)
    if what == "attach":
        name, descriptor, write = given
        kept[name] = refused(lambda: tessera.attach(descriptor, write=write))
        tell(kept[name] if isinstance(kept[name], list) else "attached")
    elif what == "sum":
        tell(refused(lambda: float(np.asarray(kept[given[0]]).sum())))
    elif what == "add":
        np.asarray(kept[given[0]])[...] += given[1]
        tell("added")
    elif what == "view":
        kept["view"] = np.asarray(kept[given[0]])[1:]
        tell("viewed")
    elif what == "close":
        kept.pop(given[0]).close()
        tell("closed")
    elif what == "drop":
        del kept[given[0]]
        tell("dropped")
    elif what == "list":
        tell(refused(lambda: tessera.attach_column(given[0]).to_list()))
    elif what == "ask_for":
        kept["asked"] = refused(lambda: tessera.attach(tessera.ask_for(*given)))
        tell(kept["asked"] if isinstance(kept["asked"], list) else float(np.asarray(kept["asked"]).sum()))
"""

PRODUCER = """
array = np.arange(24, dtype="float32").reshape(6, 4)
published = tessera.publish(array)
tell(str(published.descriptor))
for line in sys.stdin:
    what, *given = json.loads(line)
    if what == "holders":
        tell(published.holders)
    elif what == "close":
        published.close()
        tell("closed")
"""


@pytest.fixture
def consumer():
    made = python(CONSUMER)
    yield made
    assert made.end() == 0


@pytest.fixture
def array():
    return np.arange(24, dtype="float32").reshape(6, 4)


def mappings():
    return sum("/memfd:tessera " in line for line in open("/proc/self/maps"))


def test_an_array_of_another_process(array):
    producer = python(PRODUCER)
    descriptor = tessera.Descriptor(producer.get())
    assert (descriptor.shape, descriptor.dtype, descriptor.strides) == ((6, 4), "float32", [4, 1])
    before = mappings()
    with tessera.attach(descriptor) as whole, tessera.attach(descriptor[1:6:2, 3]) as part:
        np.testing.assert_array_equal(whole, array)
        np.testing.assert_array_equal(part, array[1:6:2, 3])
        assert mappings() == before + 1  # one allocation, opened once
        view = np.asarray(whole)
        assert view.__array_interface__["data"] == (np.from_dlpack(whole).__array_interface__["data"][0], True)
        assert not np.from_dlpack(whole).flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            view[0, 0] = 1
        assert producer.ask("holders") == 1
        del view
    gc.collect()
    assert mappings() == before
    assert comes_true(lambda: producer.ask("holders") == 0)
    assert producer.end() == 0


def test_the_lease_lasts_as_long_as_a_view(array, consumer):
    published = tessera.publish(array)
    assert consumer.ask("attach", "a", str(published.descriptor), False) == "attached"
    assert consumer.ask("view", "a") == "viewed"
    assert consumer.ask("close", "a") == "closed"
    assert published.holders == 1
    assert consumer.ask("drop", "view") == "dropped"
    assert comes_true(lambda: published.holders == 0)


def test_one_writes_or_many_read(array, consumer):
    published = tessera.publish(array)
    text = str(published.descriptor)
    writing = tessera.attach(published.descriptor, write=True)
    assert consumer.ask("attach", "a", text, False) == ["LeaseRefused", "no lease: another lease to write is held"]
    np.asarray(writing)[2] = 100
    writing.close()
    assert consumer.ask("attach", "a", text, False) == "attached"
    assert consumer.ask("sum", "a") == array.sum() - array[2].sum() + 400
    reading = tessera.attach(published.descriptor)
    with pytest.raises(tessera.LeaseRefused, match="2 leases to read") as raised:
        tessera.attach(published.descriptor, write=True)
    assert isinstance(raised.value, BlockingIOError) and isinstance(raised.value, tessera.IpcError)
    reading.close()
    assert consumer.ask("close", "a") == "closed"
    assert consumer.ask("attach", "w", text, True) == "attached"
    assert consumer.ask("add", "w", 1) == "added"
    assert consumer.ask("close", "w") == "closed"
    assert np.asarray(tessera.attach(published.descriptor))[5, 3] == 24


def test_closed(array):
    published = tessera.publish(array)
    descriptor = published.descriptor
    attached = tessera.attach(descriptor)
    view = np.asarray(attached)
    attached.close()
    with pytest.raises(tessera.IpcError, match="closed"):
        np.asarray(attached)
    assert view[5, 3] == 23
    del view
    published.close()
    published.close()
    with pytest.raises(tessera.IpcError, match="not or no longer published"):
        tessera.attach(descriptor)


def test_a_descriptor_outlives_its_array():
    """It says what was published, and that is missed where it is attached."""
    array, column = tessera.publish(np.arange(4)), tessera.publish_column(["a", "bc"], name="text")
    for published in (array, column):
        before = str(published.descriptor)
        published.close()
        assert str(published.descriptor) == before
    assert repr(array) == "<tessera.Published (4,) int64>" and "'text' 'u' of 2" in repr(column)
    with pytest.raises(tessera.IpcError, match="not or no longer published"):
        tessera.attach(array.descriptor)


@pytest.mark.parametrize("dies", [True, False], ids=["killed", "ended"])
def test_a_producer_that_goes(array, dies):
    producer = python(PRODUCER)
    attached = tessera.attach(producer.get())
    view = np.asarray(attached)
    producer.kill() if dies else producer.end()
    with pytest.raises(tessera.ProducerGone, match="has ended") as raised:
        np.asarray(attached)
    assert isinstance(raised.value, ConnectionError)
    np.testing.assert_array_equal(view, array)  # mapped memory stays
    with pytest.raises(tessera.ProducerGone):
        tessera.attach(attached.descriptor)


def test_a_consumer_that_is_killed_gives_its_leases_back(array):
    published = tessera.publish(array)
    killed = python(CONSUMER)
    assert killed.ask("attach", "a", str(published.descriptor), True) == "attached"
    killed.kill()
    assert comes_true(lambda: published.holders == 0)
    np.asarray(tessera.attach(published.descriptor, write=True))[...] = 5


def test_what_is_published(array, made, consumer):
    of_zarr, expected = made
    for value, same in [
        (array.T, array.T), (array[::-2, 1:], array[::-2, 1:]), (np.float64(2.5) * np.ones(()), np.full((), 2.5)),
        (np.zeros((0, 3), "int8"), np.zeros((0, 3), "int8")), (np.array([True, False]), np.array([True, False])),
        (np.array([1 + 2j]), np.array([1 + 2j])), (np.array([b"abc"], "V3"), np.array([b"abc"], "V3")), (of_zarr, expected),
        (np.array(["text"]), np.array(["text"])), (np.array(["2020-01-01"], "M8[D]"), np.array(["2020-01-01"], "M8[D]")),
    ]:  # fmt: skip
        published = tessera.publish(value)
        found = np.asarray(tessera.attach(published.descriptor))
        np.testing.assert_array_equal(found, same)
        assert found.dtype == same.dtype
    part = tessera.publish(of_zarr, np.s_[2:9, -1])
    np.testing.assert_array_equal(tessera.attach(part.descriptor), expected[2:9, -1])
    a_struct = np.zeros(3, [("a", "int32"), ("b", "float32")])
    for refused in (a_struct, a_struct[["b"]]):
        with pytest.raises((tessera.ExchangeError, TypeError, BufferError)):
            tessera.publish(refused)
    for no_type in (np.longdouble, "V0"):
        with pytest.raises(tessera.MetadataError, match="data_type"):
            tessera.publish(np.zeros(3, no_type))
    with pytest.raises(tessera.IpcError, match="as a copy"):
        tessera.publish(array, copy=False)
    with pytest.raises(TypeError, match="selection"):
        tessera.publish(array, np.s_[2:3])


def test_numbers_that_numpy_does_not_have():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
        with pytest.raises(tessera.ExchangeError, match="does not have"):
            tessera.publish(np.zeros(3, dtype))


def test_jax_takes_a_copy_of_what_is_read_only(array):
    jax = pytest.importorskip("jax")
    published = tessera.publish(array)
    np.testing.assert_array_equal(np.asarray(jax.numpy.asarray(np.asarray(tessera.attach(published.descriptor)))), array)


def test_descriptors(array):
    published = tessera.publish(array)
    descriptor = published.descriptor
    assert pickle.loads(pickle.dumps(descriptor)) == descriptor == tessera.Descriptor(str(descriptor))
    assert tessera.Descriptor(descriptor.json("list")) == descriptor and hash(descriptor) == hash(descriptor[:])
    assert descriptor[2:4] != descriptor and descriptor[2:4].shape == (2, 4) and descriptor[-1, ::2].shape == (2,)
    assert json.loads(str(descriptor))["format"] == "tessera-ipc" and descriptor.kind == "shared-memory"
    with pytest.raises(tessera.SelectionError):
        descriptor[6]
    with pytest.raises(tessera.SelectionError):
        descriptor[[1, 2]]


def changed(descriptor, **members):
    """A descriptor of an attacker: `a__b=1` sets member b of member a."""
    value = json.loads(str(descriptor))
    for path, wrong in members.items():
        *above, last = path.split("__")
        place = value
        for name in above:
            place = place[name]
        place[last] = wrong
    return json.dumps(value)


@pytest.mark.parametrize(
    "members",
    [
        {"shape": [7, 4]}, {"offset": 4}, {"offset": 2**64 - 1}, {"strides": [-4, 1]}, {"strides": [2**62, 1]},
        {"shape": [2**63, 2**63]}, {"strides": [4]}, {"shape": [1, 1], "offset": 2}, {"memory__allocation": 77},
        {"producer__host": "elsewhere"}, {"producer__session": "0" * 32},
        {"producer__session": "../../../../tmp/socket"}, {"memory__kind": "disk"}, {"data_type": "string"},
        {"data_type": "float1024"}, {"version": [2, 0]}, {"format": "other"}, {"shape": "many"}, {"shape": [-1, 4]},
    ],
    ids=str,
)  # fmt: skip
def test_descriptors_are_not_believed(array, members):
    published = tessera.publish(array)
    with pytest.raises(tessera.Error):
        np.asarray(tessera.attach(changed(published.descriptor, memory__size=2**62, **members)))
    assert comes_true(lambda: published.holders == 0)
    np.testing.assert_array_equal(tessera.attach(changed(published.descriptor, memory__size=2**62)), array)


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "x" * 10000, "[" * 100000, '{"format": "tessera-ipc"}'])
def test_what_is_no_descriptor(text):
    with pytest.raises(tessera.MetadataError):
        tessera.attach(text)
    with pytest.raises(tessera.MetadataError):
        tessera.attach_column(text)


def test_strides_where_nothing_lies(array):
    published = tessera.publish(array)
    for members in ({"shape": [1, 1], "strides": [-(2**63), 2**63 - 1]}, {"shape": [0, 4], "strides": [2**62, -(2**62)]}):
        assert np.asarray(tessera.attach(changed(published.descriptor, **members))).shape == tuple(members["shape"])


COLUMNS = {
    "numbers": (np.arange(5, dtype="int16"), {}, [0, 1, 2, 3, 4]),
    "nulls": (np.arange(9, dtype="float32"), {"valid": np.arange(9) % 2 == 0}, [0, None, 2, None, 4, None, 6, None, 8]),
    "masked": (np.ma.array([1, 2, 3], mask=[0, 1, 0], dtype="uint8"), {}, [1, None, 3]),
    "bools": (np.array([True, False, True]), {"name": "b"}, [True, False, True]),
    "raw": (np.array([b"abc", b"de"]), {}, [b"abc", b"de\0"]),
    "texts": (["one", None, "", "dréi"], {}, ["one", None, "", "dréi"]),
    "array of texts": (np.array(["a", "bc"]), {"valid": [False, True]}, [None, "bc"]),
    "lists": (np.arange(5, dtype="int64"), {"offsets": np.array([0, 2, 2, 5], "int32")}, [[0, 1], [], [2, 3, 4]]),
    "lists of texts": (["a", "b", None], {"offsets": np.array([0, 1, 3]), "valid": [True, False]}, [["a"], None]),
    "struct": ({"x": np.array([1.5, 2.5]), "y": ["p", None]}, {}, [{"x": 1.5, "y": "p"}, {"x": 2.5, "y": None}]),
    "no elements": (np.zeros(0, "int8"), {}, []),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns(kind, consumer):
    values, given, expected = COLUMNS[kind]
    published = tessera.publish_column(values, **given)
    descriptor = published.descriptor
    assert pickle.loads(pickle.dumps(descriptor)) == descriptor == tessera.ColumnDescriptor(descriptor.json("list"))
    with tessera.attach_column(descriptor) as column:
        assert column.to_list() == expected and len(column) == len(expected) and column.name == given.get("name", "")
    if kind != "raw":  # bytes are not JSON
        assert consumer.ask("list", str(descriptor)) == expected
    for first in range(len(expected) + 1):
        for last in range(first, len(expected) + 1):
            assert tessera.attach_column(descriptor[first:last]).to_list() == expected[first:last]
            nested = descriptor[first:][: last - first]
            assert tessera.attach_column(nested).to_list() == expected[first:last]
    published.close()
    with pytest.raises(tessera.IpcError):
        tessera.attach_column(descriptor)


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s", "D", "M"])
@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_times(kind, unit):
    values = np.array([1, 2, 50], f"{kind}[{unit}]")
    published = tessera.publish_column(values, valid=[True, False, True])
    column = tessera.attach_column(published.descriptor[1:])
    np.testing.assert_array_equal(column.values(), values[1:])
    assert column.values().dtype == values.dtype and column.valid().tolist() == [False, True]
    assert not column.values().flags.writeable
    if unit == "ns":
        assert column.schema == {"M8": "tsn:", "m8": "tDn"}[kind]


def test_a_struct_of_everything():
    table = {"weight": np.ma.array([1, 2, 3], mask=[0, 0, 1]), "when": np.array([1, 2, 3], "M8[s]"), "word": ["a", "b", "c"]}
    published = tessera.publish_column(table, valid=[True, True, False], name="row")
    row = tessera.attach_column(str(published.descriptor))
    assert row["word"].to_list() == ["a", "b", "c"] and row.valid().tolist() == [True, True, False]
    assert [one and one["weight"] for one in row.to_list()] == [1, 2, None]
    with pytest.raises(KeyError):
        row["none"]
    with pytest.raises(tessera.IpcError, match="no values"):
        row.values()
    with pytest.raises(tessera.IpcError, match="no values"):
        row["word"].values()


def test_columns_that_do_not_fit():
    for wrong, given in [
        (np.zeros((2, 2)), {}), (np.zeros(3), {"valid": [True]}), (np.zeros(1, "M8[25s]"), {}),
        (np.ma.array([1, 2], mask=[0, 1]), {"valid": [True, True]}), (np.zeros(2), {"offsets": np.zeros((2, 2), "int32")}),
        (np.zeros(2), {"offsets": np.zeros(2)}), ({"a": np.zeros(3), "b": np.zeros(2)}, {}),
    ]:  # fmt: skip
        with pytest.raises(tessera.IpcError):
            tessera.publish_column(wrong, **given)
    assert comes_true(lambda: gc.collect() or process.producer().allocations == 0)


def test_fields_of_several_lengths():
    for values in ({"a": [1], "b": [1, 2]}, {"a": [1, 2], "b": ["x"]}):
        with pytest.raises(tessera.IpcError, match="found fields of the lengths {'a': ., 'b': .}, expected one length"):
            tessera.publish_column(values)


def test_text_that_is_not_utf8():
    with pytest.raises(tessera.IpcError, match=r"found the text '\\ud800', which is not UTF-8"):
        tessera.publish_column(["a", "\ud800"])


def test_offsets_are_not_believed():
    for offsets in ([0, 9, 3], [-1, 2, 3], [0, 2, 4], [2, 1, 3]):
        column = tessera.publish_column(np.arange(3), offsets=np.array(offsets, "int32"))
        with pytest.raises(tessera.IpcError, match="offsets do not lie"):
            tessera.attach_column(column.descriptor).to_list()
    value = json.loads(str(tessera.publish_column(["a", "b"]).descriptor))
    for name, wrong in [("length", 3), ("offset", 1), ("null_count", 5), ("schema", "f"), ("schema", "+l"), ("length", 2**63)]:
        hostile = json.loads(json.dumps(value))
        hostile["column"][name] = wrong
        with pytest.raises(tessera.Error):
            tessera.attach_column(json.dumps(hostile))


def test_shared_arrays(tmp_path, consumer):
    made = []

    def find(name):
        made.append(name)
        if name == "none":
            raise KeyError("there is none")
        return np.full(int(name[:-1]), 1, "uint8")

    with tessera.SharedArrays(300, find) as shared:
        held = tessera.attach(shared.get("100a"))
        for name in ("100b", "100c", "100b", "50d"):
            shared.get(name)
        assert made == ["100a", "100b", "100c", "50d"] and shared.bytes == 250 and shared.budget == 300
        assert "100a" in shared and "100c" not in shared
        with pytest.raises(tessera.IpcError, match="no room"):
            shared.get("201e")
        with pytest.raises(KeyError, match="there is none"):
            shared.get("none")
        held.close()
        assert comes_true(lambda: process.producer().leases == 0)
        shared.get("201e")
        assert "100a" not in shared
        assert consumer.ask("ask_for", "99f", shared.address) == 99
        kind, why = consumer.ask("ask_for", "none", shared.address)
        assert kind == "IpcError" and "there is none" in why
        address = shared.address
    assert consumer.ask("ask_for", "99f", address)[0] == "ProducerGone"
    with pytest.raises(tessera.IpcError, match="closed"):
        shared.get("1a")
    with pytest.raises(tessera.IpcError, match="32"):
        tessera.ask_for("a", "b")


@pytest.mark.parametrize("answers", [False, True])
def test_what_finds_arrays_may_have_them(answers):
    """Both end with the last reference of the program."""

    class Arrays:
        def __init__(self):
            self.shared = tessera.SharedArrays(1000, self.find)

        def find(self, name):
            return np.arange(10)

    arrays = Arrays()
    arrays.shared.get("a")
    if answers:
        assert arrays.shared.address
    gone = weakref.ref(arrays)
    del arrays
    gc.collect()
    assert gone() is None


def test_what_finds_arrays_may_not_ask_for_them():
    """It would wait for itself."""

    def find(name):
        with pytest.raises(tessera.IpcError, match="waits for it"):
            uses[int(name) % len(uses)]()
        return np.ones(3)

    with tessera.SharedArrays(1000, find) as shared:
        uses = [lambda: shared.get("0"), lambda: shared.bytes, lambda: "0" in shared, shared.close]
        for number in range(len(uses)):
            assert shared.get(str(number)).shape == (3,)
            assert tessera.ask_for(str(number + len(uses)), shared.address).shape == (3,)
        assert shared.bytes == 8 * 24


ENDING = """
import atexit, sys, threading
import numpy as np
import tessera
asked = threading.Event()
def find(name):
    asked.set()
    sys.stdin.readline()
    return np.ones(3)
shared = tessera.SharedArrays(100, find)
print(shared.address, flush=True)
atexit.register(print, "ending", flush=True)
asked.wait()
"""


def test_a_process_answers_before_it_ends():
    """The requester gets the array, and the interpreter's end finds no thread of the library in it."""
    pipe = subprocess.PIPE
    ending = subprocess.Popen([sys.executable, "-c", ENDING], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(tessera.ask_for, "a", ending.stdout.readline().strip())
        assert ending.stdout.readline() == "ending\n"
        errors = ending.communicate("go\n", timeout=60)[1]
        assert asked.result().shape == (3,)
    assert ending.returncode == 0 and errors == ""


def test_zarr_arrays_by_path(brain, consumer):
    expected = tessera.open(brain / "t1_half")[...]
    with tessera.SharedArrays(64 << 20, brain) as shared:
        assert consumer.ask("ask_for", "t1_half", shared.address) == float(expected.sum())
        np.testing.assert_array_equal(tessera.attach(shared.get("t1_half")[3]), expected[3])
        for wrong in ("none", "", "../brain.zarr/t1", "/etc"):
            assert consumer.ask("ask_for", wrong, shared.address)[0] == "IpcError"
        assert shared.bytes == expected.nbytes


def test_many_threads(array):
    """Threads attach, read and close, while others publish: the locks of interpreter and library never deadlock."""
    wrong = []

    def work(seed):
        try:
            random = np.random.default_rng(seed)
            for _ in range(50):
                value = random.integers(0, 9, (5, 3))
                with tessera.publish(value) as published, tessera.attach(published.descriptor[1:]) as attached:
                    np.testing.assert_array_equal(attached, value[1:])
        except BaseException as error:
            wrong.append(error)

    with tessera.SharedArrays(1 << 20, lambda name: np.arange(10)) as shared:
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            assert np.asarray(tessera.attach(tessera.ask_for("a", shared.address))).sum() == 45
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
def test_multiprocessing(array, method):
    """A child attaches what its parent published, and publishes itself; one of fork() too."""
    published = tessera.publish(array)
    context = multiprocessing.get_context(method)
    there, back = context.Queue(), context.Queue()
    child = context.Process(target=_forward, args=(published.descriptor, there, back))
    child.start()
    assert back.get() == float(array.sum())
    attached = tessera.attach(back.get())
    np.testing.assert_array_equal(attached, np.ones(3))
    there.put("end")
    child.join()
    assert child.exitcode == 0
    with pytest.raises(tessera.ProducerGone):
        np.asarray(attached)


def _forward(descriptor, there, back):
    back.put(float(np.asarray(tessera.attach(descriptor)).sum()))
    own = tessera.publish(np.ones(3))
    back.put(own.descriptor)
    there.get()


def test_files_and_memory_do_not_grow(array):
    def rounds(count):
        for _ in range(count):
            published = tessera.publish(array)
            with tessera.attach(published.descriptor) as attached:
                assert np.asarray(attached)[5, 3] == 23
            published.close()
        gc.collect()

    rounds(5)
    assert comes_true(lambda: process.producer().allocations == 0)
    before = len(os.listdir("/proc/self/fd")), mappings()
    rounds(100)
    assert comes_true(lambda: process.producer().allocations == 0)
    assert (len(os.listdir("/proc/self/fd")), mappings()) == before


def test_what_cpp_published(array):
    producer = peer("publish")
    descriptor, column = producer.get(), producer.get()
    np.testing.assert_array_equal(tessera.attach(tessera.Descriptor(descriptor)[1:, 2]), array[1:, 2])
    rows = tessera.attach_column(column).to_list()
    assert rows == [{"weight": 1, "word": "one"}, {"weight": None, "word": "two"}, {"weight": 3, "word": None}]
    with tessera.attach(descriptor, write=True) as writing:
        np.asarray(writing)[0, 0] = 1000
    assert producer.ask("first") == 1000
    attached = tessera.attach(descriptor)
    assert producer.ask("end") == "ended" and producer.end() == 0
    with pytest.raises(tessera.ProducerGone):
        np.asarray(attached)


def test_what_cpp_attaches(array):
    consumer = peer("attach")
    published = tessera.publish(array)
    assert consumer.ask("sum", str(published.descriptor[2:, ::2])) == float(array[2:, ::2].sum())
    assert consumer.ask("add", str(published.descriptor), 10) == "added"
    np.testing.assert_array_equal(tessera.attach(published.descriptor), array + 10)
    with tessera.attach(published.descriptor):
        assert consumer.ask("add", str(published.descriptor), 10) == "no lease: 1 lease to read are held"
    column = tessera.publish_column(["one", None, "three"])
    assert consumer.ask("words", str(column.descriptor[1:])) == [None, "three"]
    with tessera.SharedArrays(1 << 20, lambda name: np.arange(10.0, dtype="float32").reshape(2, 5)) as shared:
        assert consumer.ask("ask_for", "a", shared.address) == 45
    assert consumer.end() == 0


def test_docs_schema(array):
    """Descriptors have the members that the JSON schema of docs/ipc.md requires, and no others."""
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "ipc.md").read_text()
    schema = json.loads(page.split("```json")[1].split("```")[0])
    value = json.loads(str(tessera.publish(array).descriptor))
    assert set(schema["$defs"]["array"]["required"]) == set(value)
    column = json.loads(str(tessera.publish_column(["a", None]).descriptor))["column"]
    assert set(schema["$defs"]["column"]["required"]) <= set(column) <= set(schema["$defs"]["column"]["properties"])
