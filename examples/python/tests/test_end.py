"""The end of the interpreter during calls in threads: CPython ends the threads where they request its lock."""

import subprocess
import sys

import numpy as np
import pytest

import tessera

INTERPRETERS = """
import sys
import _xxsubinterpreters as interpreters
import tessera

array, other = tessera.open(sys.argv[1]), interpreters.create()
try:
    interpreters.run_string(other, "import tessera")
    print("not refused")
except interpreters.RunFailedError as error:
    print(error)
interpreters.destroy(other)
print(int(array[...].sum()))
"""
PROGRAM = """
import asyncio, sys, threading, time
import numpy as np
import tessera

array, path, mode = tessera.open(sys.argv[1]), sys.argv[1], sys.argv[2]
begun = threading.Event()


def progress(done, chunks):
    begun.set()
    time.sleep(0.001)


class Lent:  # whose interface is code of Python
    def __init__(self, memory):
        self.memory = memory

    def __dlpack__(self, **arguments):
        time.sleep(0.001)
        return self.memory.__dlpack__(**arguments)

    def __dlpack_device__(self):
        time.sleep(0.001)
        return self.memory.__dlpack_device__()


memory = np.empty((256, 256), "f4")
boxes = tessera.UniformBoxes((256, 256), (64, 64))
if mode in ("shared", "asked"):
    shared = tessera.SharedArrays(1 << 24, lambda name: array)
    address = shared.address


async def read_twice():
    await asyncio.gather(array.read_async(), array.read_async())


def attach(descriptor):
    with tessera.attach(descriptor) as attached:
        np.asarray(attached)


works = {
    "read": lambda: array[...],
    "crop": lambda: array[0:10, 0:10],
    "write": lambda: array.__setitem__((slice(0, 10), slice(0, 10)), 1),
    "open": lambda: tessera.open(path),
    "append": lambda: (array.resize((256, 256)), array.append(memory[:1])),
    "progress": lambda: array.read(progress=progress),
    "lent": lambda: array.read((slice(0, 256), slice(0, 256)), out=Lent(memory)),
    "publish": lambda: tessera.publish(array, (slice(0, 9), slice(0, 9))).close(),
    "shared": lambda: attach(shared.get("a")),
    "asked": lambda: attach(tessera.ask_for("a", address)),
    "async": lambda: asyncio.run(read_twice()),
    "loader": lambda: [begun.set() for _ in tessera.Loader(array, boxes, batch=4, cache=1 << 14)],
    "sampler": lambda: [begun.set() for _ in tessera.Loader(array, map(tuple, boxes), batch=4)],
    "wait": lambda: next(tessera.Loader(array, lambda: (begun.set(), threading.Event().wait()))),
}


def work():
    while True:
        works[mode]()
        begun.set()


for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
"""


MODES = ["read", "crop", "write", "open", "append", "progress", "lent", "publish", "shared", "asked", "async", "loader",
         "sampler", "wait"]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_daemon_threads_at_the_end(tmp_path, mode):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(256, 256), dtype="f4", chunks=(16, 16))
    array[...] = np.arange(256 * 256, dtype="f4").reshape(256, 256)
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", PROGRAM, array.store_path, mode], capture_output=True, timeout=60)
        assert (done.returncode, done.stderr.decode()) == (0, "")
    assert tessera.open(array.store_path).shape[1] == 256


def run(program, *arguments):
    done = subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, timeout=60, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_functions_at_exit_still_read_and_write(tmp_path):
    tessera.create_array(tmp_path / "a.zarr", shape=(3,), dtype="i4")
    program = """
import asyncio, atexit, sys
atexit.register(lambda: last())  # before tessera, so that it runs after what tessera does at the end
import numpy as np, tessera
array = tessera.open(sys.argv[1])
def last():
    array[...] = 7
    print(array.read(progress=lambda done, chunks: print("progress")).shape, array[...].tolist())
    print(np.asarray(asyncio.run(array.read_async())).tolist())
"""
    out, err = run(program, tmp_path / "a.zarr")
    assert out.splitlines()[-2:] == ["(3,) [7, 7, 7]", "[7, 7, 7]"] and "progress" in out and err == ""


CLOSED = """
import atexit, sys, threading
goes_on, reached, raised = threading.Event(), threading.Event(), []

@atexit.register  # before tessera, so that it runs after what tessera does at the end
def last():
    sys.setswitchinterval(1)  # so that the thread runs from `set` to its call of the library
    goes_on.set()
    reached.wait()
    print(raised)

import tessera
array = tessera.open(sys.argv[1])
loader = tessera.Loader(array, tessera.UniformBoxes(array.shape, (2, 2), 9), batch=3)
shared = tessera.SharedArrays(1 << 20, lambda name: array)
works = {"loader": lambda: next(loader), "shared": lambda: shared.get("a"), "address": lambda: shared.address}

def work():
    goes_on.wait()
    reached.set()
    try:
        works[sys.argv[2]]()
    except tessera.Error as error:
        raised.append(error)

threading.Thread(target=work, daemon=True).start()
"""


@pytest.mark.parametrize("mode", ["loader", "shared", "address"])
def test_what_the_end_closed_raises_nothing(made, mode):
    array, _ = made
    assert run(CLOSED, array.store_path, mode) == ("[]\n", "")


BATCHES = """
import sys
import numpy as np, tessera
array = tessera.open(sys.argv[1])
for batch in tessera.Loader(array, tessera.UniformBoxes(array.shape, (2, 2), 9), batch=3):
    shown = np.from_dlpack(batch)
"""


def test_batches_of_a_module_leave_no_warning(made):
    """NumPy never releases memory shown after the interpreter began to end, which is not a leak of the module."""
    array, _ = made
    assert run(BATCHES, array.store_path) == ("", "")


def test_nothing_leaks(made):
    array, _ = made
    body = BATCHES.replace("import sys\n", "import sys, tessera\ntessera._tessera.warn_of_leaks()\n", 1)
    body += "array.read(out=np.empty(array.shape, 'i4')); array[...]; array.append(array[:1]); tessera.publish(array).close()\n"
    program = "def main():\n" + "".join(f"    {line}\n" for line in body.splitlines()) + "main()\n"
    assert run(program, array.store_path) == ("", "")


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="interpreters have another interface, and share no modules")
def test_another_interpreter_is_refused(tmp_path):
    """Its end does not end the calls of the main one."""
    tessera.create_array(tmp_path / "a.zarr", shape=(4,), dtype="int8")[...] = 3
    run = subprocess.run(
        [sys.executable, "-c", INTERPRETERS, str(tmp_path / "a.zarr")], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    refused, read = run.stdout.splitlines()
    assert "ImportError" in refused and ("main one" in refused or "subinterpreters" in refused) and read == "12"
