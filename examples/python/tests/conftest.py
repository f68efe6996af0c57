"""Fixtures of the module's tests: a folder for each, and the arrays that come with the library."""

import pathlib

import numpy as np
import pytest

import tessera

DATA = pathlib.Path(__file__).resolve().parents[2] / "data" / "brain.zarr"


@pytest.fixture
def brain():
    return DATA


@pytest.fixture
def made(tmp_path):
    """An array of two dimensions and its elements."""
    expected = np.arange(23 * 17, dtype="int32").reshape(23, 17)
    array = tessera.create_array(tmp_path / "a.zarr", shape=(23, 17), dtype="int32", chunks=(5, 4), fill_value=-1)
    array[...] = expected
    return array, expected
