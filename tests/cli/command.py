"""Common code of the command's tests: `test_x.py COMMAND DATA` runs the tests of test_x.py.

COMMAND is the binary, DATA the folder with brain.zarr and its README.md.
"""
import array
import ast
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
DATA = pathlib.Path(sys.argv[2]).resolve()
BRAIN = DATA / "brain.zarr"

# A sanitizer's report must not look like the command's own exit status 1.
ENVIRONMENT = dict(os.environ, LC_ALL="C.UTF-8")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"):
    ENVIRONMENT[name] = ENVIRONMENT.get(name, "") + ":exitcode=86:allocator_may_return_null=1"
ENVIRONMENT.pop("NO_COLOR", None)
TIMEOUT = int(os.environ.get("TESSERA_TEST_TIMEOUT", 60))  # seconds for one process


class Result:
    def __init__(self, done):
        self.status, self.output = done.returncode, done.stdout
        self.text = done.stdout.decode(errors="replace")
        # AddressSanitizer would report failed allocations, which some tests provoke.
        self.errors = [line for line in done.stderr.decode().splitlines()
                       if "WARNING: AddressSanitizer failed to allocate" not in line]

    def __str__(self):
        return f"status {self.status}, stderr {self.errors}"


def tessera(*arguments, cwd=None, **environment):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, stdin=subprocess.DEVNULL, cwd=cwd,
                          env=ENVIRONMENT | environment, timeout=TIMEOUT)
    return Result(done)


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera-cli-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_ok(self, *arguments, **options):
        result = tessera(*arguments, **options)
        self.assertEqual((result.status, result.errors), (0, []), f"tessera {arguments}: {result}")
        return result

    def assert_refused(self, result, status, *words):
        """One line on stderr that contains these words."""
        self.assertEqual(result.status, status, str(result))
        self.assertEqual(len(result.errors), 1, str(result))
        self.assertTrue(result.errors[0].startswith("tessera: "), str(result))
        for word in words:
            self.assertIn(word, result.errors[0])

    def read_bin(self, path, *arguments):
        output = self.folder / "elements.bin"
        self.run_ok("read", path, "--output", output, *arguments)
        return output.read_bytes()


def peak_memory(*arguments, timeout=120):
    """The command's peak memory, in MiB, its exit status, and its output."""
    program = ("import resource, subprocess, sys; status = subprocess.run(sys.argv[1:]).returncode; "
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, status)")
    done = subprocess.run([sys.executable, "-c", program, BINARY, *map(str, arguments)], capture_output=True, check=True,
                          env=ENVIRONMENT, timeout=timeout)
    *said, last = done.stdout.decode().splitlines()
    memory, status = last.split()
    return int(memory), int(status), said + done.stderr.decode().splitlines()


def sums():
    """The arrays that README.md lists and the SHA-256 sums of their elements."""
    rows = re.findall(r"^\| `(\w+)` .* `([0-9a-f]{64})` \|$", (DATA / "README.md").read_text(), re.MULTILINE)
    assert len(rows) == 3, rows
    return dict(rows)


def make_array(folder, shape, data_type, chunk_shape, chunks, **document):
    """Writes an uncompressed array; chunks are bytes by their position."""
    folder.mkdir(parents=True)
    (folder / "zarr.json").write_text(json.dumps({
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk_shape}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]} | document))
    for position, content in chunks.items():
        file = folder.joinpath("c", *map(str, position))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


# Valid documents of features that tessera lacks, and their names: as zarr-python writes strings and dates, and one of
# each kind of extension.
VLEN = [{"name": "vlen-utf8", "configuration": {}}, {"name": "zstd", "configuration": {"level": 0, "checksum": False}}]
SHARDS = {"chunk_shape": [1], "codecs": ["bytes"], "index_codecs": ["bytes", "crc32c"], "index_location": "end"}
UNSUPPORTED = {
    "strings": ('data type "text"', {"data_type": "text", "fill_value": "", "codecs": VLEN}),
    "fixed": ('data type "zarrs.optional"',
              {"data_type": {"name": "zarrs.optional", "configuration": {"name": "int8"}}, "fill_value": None}),
    "dates": ('data type "numpy.datetime32"',
              {"data_type": {"name": "numpy.datetime32", "configuration": {"unit": "s", "scale_factor": 1}},
               "fill_value": "NaT"}),
    "codec": ('codec "lz5"', {"codecs": ["bytes", {"name": "lz5"}]}),
    "first_codec": ('codec "delta"', {"codecs": [{"name": "delta", "configuration": {}}, "bytes"]}),
    "inner_codec": ('codec "lz5"', {"codecs": [{"name": "sharding_indexed",
                                                "configuration": SHARDS | {"codecs": ["bytes", "lz5"]}}]}),
    "index_codec": ('codec "adler32" in index_codecs',
                    {"codecs": [{"name": "sharding_indexed",
                                 "configuration": SHARDS | {"index_codecs": ["bytes", "adler32"]}}]}),
    "grid": ('chunk grid "spiral"', {"chunk_grid": {"name": "spiral", "configuration": {}}}),
    "keys": ('chunk key encoding "hashed"', {"chunk_key_encoding": "hashed"}),
    "transformer": ('storage transformer "cache"', {"storage_transformers": [{"name": "cache"}]}),
}


def make_unsupported(folder):
    """An array of each kind, with a chunk; and their names."""
    for name, (_, members) in UNSUPPORTED.items():
        make_array(folder / name, [4], **{"data_type": "uint8", "chunk_shape": [2], "chunks": {(0,): b"12"}} | members)
    return {name: what for name, (what, _) in UNSUPPORTED.items()}


def little_endian(code, values):
    """Values of array module's type `code`, as bytes."""
    numbers = array.array(code, values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def read_npy(path):
    """Type, shape and bytes of a .npy file, checked against the format's specification."""
    content = pathlib.Path(path).read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00", content[:8]
    end = 10 + int.from_bytes(content[8:10], "little")
    assert end % 64 == 0 and content[end - 1:end] == b"\n", end
    header = ast.literal_eval(content[10:end].decode("ascii"))
    assert sorted(header) == ["descr", "fortran_order", "shape"] and header["fortran_order"] is False
    return header["descr"], header["shape"], content[end:]


def write_npy(path, descr, shape, content, fortran_order=False, version=1, header=None):
    """Writes a .npy file; `header` replaces the usual text."""
    header = header or f"{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}"
    before = 10 if version == 1 else 12
    text = header.encode("utf-8" if version == 3 else "latin1")
    text += b" " * (-(before + len(text) + 1) % 64) + b"\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(before - 8, "little") + text +
                                   content)
    return path


def in_fortran_order(content, shape, size):
    """The elements, given in C order, in Fortran order."""
    strides = [math.prod(shape[d + 1:]) * size for d in range(len(shape))]
    starts = (sum(i * s for i, s in zip(reversed(index), strides))
              for index in itertools.product(*(range(n) for n in reversed(shape))))
    return b"".join(content[at:at + size] for at in starts)


def swapped(content, size):
    """The elements' components of `size` bytes in the other byte order."""
    return b"".join(content[at:at + size][::-1] for at in range(0, len(content), size))


def document(path):
    return json.loads((pathlib.Path(path) / "zarr.json").read_text())


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
