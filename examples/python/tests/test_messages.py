"""The messages of the library's C++ code, in words of Python."""

import pathlib
import re

import pytest

from tessera._errors import in_words_of_python

INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "include" / "tessera"
NAMES_OF_CPP = (
    r"LocalOptions[{:]|S3Options|HttpOptions|ZipOptions|Links::|\.overwrite = true replaces|consolidate\(store"
    r"|nvcomp::Blosc|codec::Blosc does|IpcResource|as a ZipStore"
)


def literals():
    """The text of those in the library's code that name a thing of C++ programs, adjacent ones joined."""
    found = set()
    for path in sorted(path for kind in ("hpp", "ipp", "cuh") for path in INCLUDE.rglob(f"*.{kind}")):
        if path.is_relative_to(INCLUDE / "c") or path.is_relative_to(INCLUDE / "testing"):
            continue
        lines = (line for line in path.read_text().splitlines() if not re.match(r"\s*(//|#include)", line))
        for text in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', "\n".join(lines)):
            whole = re.sub(r'"\s*"', "", text)[1:-1]
            if re.search(NAMES_OF_CPP, whole) and not whole.startswith("tessera: "):
                found.add(whole)
    return sorted(found)


def test_there_are_some():
    assert len(literals()) >= 6


@pytest.mark.parametrize("message", literals())
def test_no_name_of_cpp_is_left(message):
    assert not re.search(NAMES_OF_CPP, in_words_of_python(f"a.zarr: c/0: {message}"))


@pytest.mark.parametrize(
    "message, expected",
    [
        ("a: no codec; include <tessera/with/zfp.hpp>; found x", "a: no codec; found x"),
        ("a: a node; .overwrite = true replaces it, erase_node erases it", "a: a node; overwrite=True replaces it"),
        ("found codec::Zstd", "found codec::Zstd"),
        ("", ""),
    ],
)  # fmt: skip
def test_advice(message, expected):
    assert in_words_of_python(message) == expected


def test_codecs_that_are_missing():
    assert in_words_of_python("a: no zfp", "codec zfp").endswith(
        "; this module has no such codec: zarr-python may read the array"
    )
    assert in_words_of_python("a: no grid", "chunk grid x") == "a: no grid"
