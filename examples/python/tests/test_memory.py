"""Memory that is dropped comes back, whatever is dropped first."""

import subprocess
import sys

import numpy as np
import pytest

import tessera

MOST = 1 << 21  # bytes that the process may grow by: fewer than 210 for each call

READS = """
import os, sys
import numpy as np
import tessera

array, words = tessera.open(sys.argv[1] + "/a.zarr"), tessera.open(sys.argv[1] + "/words.zarr")
out = np.empty((32, 32), "f4")
works = {
    "index": lambda: array[...],
    "tensor": lambda: array.read(),
    "shown": lambda: np.from_dlpack(array.read()),
    "out": lambda: array.read(out=out),
    "list": lambda: array.oindex[[3, 1, 2], :],
    "strings": lambda: words[...],
    "write": lambda: array.__setitem__((slice(0, 9), slice(0, 9)), 1),
    "error": lambda: refused(lambda: array[99]),
    "open": lambda: tessera.open(sys.argv[1] + "/a.zarr"),
}


def refused(work):
    try:
        work()
    except IndexError:
        pass


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


work = works[sys.argv[2]]
for _ in range(2000):  # what is made once
    work()
before = resident()
for _ in range(10_000):
    work()
print(resident() - before)
"""


def run(program, *arguments):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=120, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def folder(tmp_path):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(32, 32), dtype="f4", chunks=(16, 16))
    array[...] = np.arange(1024, dtype="f4").reshape(32, 32)
    words = tessera.create_array(tmp_path / "words.zarr", shape=(9,), dtype="string")
    words[...] = np.array([f"the word number {i}" for i in range(9)], np.dtypes.StringDType())
    return tmp_path


@pytest.mark.parametrize("work", ["index", "tensor", "shown", "out", "list", "strings", "write", "error", "open"])
def test_ten_thousand_calls_keep_nothing(folder, work):
    assert int(run(READS, folder, work)) <= MOST


OBJECTS = """
import sys
import numpy as np
import tessera

MAKERS = {
    "group": lambda: tessera.open(sys.argv[1], mode="a"),
    "array": lambda: tessera.open(sys.argv[1] + "/a.zarr"),
    "tensor": lambda: made["array"].read(),
    "shown": lambda: np.from_dlpack(made["tensor"]),
    "strings": lambda: tessera.open(sys.argv[1] + "/words.zarr").read(),
    "published": lambda: tessera.publish(made["array"]),
    "attached": lambda: tessera.attach(made["published"].descriptor),
    "mapped": lambda: np.asarray(made["attached"]),
    "loader": lambda: tessera.Loader(made["array"], tessera.UniformBoxes((32, 32), (4, 4), 9), batch=3),
    "batch": lambda: next(made["loader"]),
}
made = {}
for name, make in MAKERS.items():
    made[name] = make()
order = list(MAKERS)[int(sys.argv[3]):] + list(MAKERS)[:int(sys.argv[3])]
if sys.argv[4] == "backwards":
    order.reverse()
"""
ENDS = {
    "dropped": "tessera._tessera.warn_of_leaks()\nfor name in order: del made[name]\n",
    "globals": "globals().update((name, made.pop(name)) for name in order)\n",
    "cycle": "for name in order: made[name] = [made.pop(name), made]\n",
    "builtins": "import builtins\nfor name in order: setattr(builtins, name, made.pop(name))\n",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("direction", ["forwards", "backwards"])
@pytest.mark.parametrize("first", [0, 5])
def test_objects_end_in_any_order(folder, end, direction, first):
    """Without a message: `dropped` also asks for nanobind's warnings of what is left."""
    assert run(OBJECTS + ENDS[end], folder, end, first, direction) == ""
