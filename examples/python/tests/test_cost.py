"""The cost of a read of one small chunk besides the read itself, counted in calls: the same on all machines."""

import sys

import numpy as np
import pytest


def calls(work):
    """The functions that `work` calls, of Python and compiled; nanobind's are not counted."""
    found = []

    def note(frame, event, what):
        if event in ("call", "c_call"):
            found.append(what.__name__ if event == "c_call" else frame.f_code.co_name)

    work()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found[1:-1]  # without the work's own frame, and the call that ends this


@pytest.mark.parametrize("way, most", [("index", 4), ("read", 3), ("out", 8)])
def test_calls_of_a_small_read(made, way, most):
    array, _ = made
    out = np.empty((5, 4), "int32")
    works = {
        "index": lambda: array[5:10, 4:8],
        "read": lambda: array.read((slice(5, 10), slice(4, 8))),
        "out": lambda: array.read((slice(5, 10), slice(4, 8)), out=out),
    }
    found = calls(works[way])
    assert len(found) <= most, found


class Counted:
    """Memory that counts requests."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __getattr__(self, name):
        self.asked.append(name)
        return getattr(self.array, name)


def test_memory_is_asked_once(made):
    array, expected = made
    out = Counted(np.zeros((23, 17), "int32"))
    array.read(out=out)
    np.testing.assert_array_equal(out.array, expected)
    assert out.asked.count("__dlpack__") <= 2 and "__array_interface__" not in out.asked, out.asked
