"""A random program over one folder, where tessera does some of the steps and zarr-python and TensorStore the others,
compared with arrays of NumPy's: steps.py PROGRAM FOLDER [ENVIRONMENT]. PROGRAM is the one of steps.cpp, ENVIRONMENT the
Python environment that has the others. The arrays are of Zarr v3 and v2. The environment variables TESSERA_TEST_STEPS
and TESSERA_TEST_SEED set the number of steps and the seed ("random": another one each time, which is printed). Exit
status 77: there is no zarr-python, or no TensorStore."""
import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

if len(sys.argv) > 3 and (python := Path(sys.argv[3], "bin", "python")).exists():
    os.execv(python, [str(python), *sys.argv[:3]])
try:
    import numpy as np
    import tensorstore
    import zarr
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test")
    sys.exit(77)
from cases import NUMBERS, Case, codec, has_byte_order, item_size, sharding

warnings.simplefilter("ignore")
LONGEST = [1, 40, 14, 9, 5]  # a dimension of arrays of that rank
PATHS = ["a", "g/b", "g/h/c"]


class Tessera:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, what, path, **more):
        self.process.stdin.write(json.dumps({"do": what, "path": path, **more}) + "\n")
        self.process.stdin.flush()
        answer, _, elements = self.process.stdout.readline().rstrip("\n").partition(" ")
        if answer != "ok":
            raise RuntimeError(f"tessera: {answer} {elements}")
        return bytes.fromhex(elements)


class Selection:
    """One of five kinds: in tessera's form, as NumPy's index, and as zarr-python's."""

    def __init__(self, random, shape, chunks, repeats):
        kinds = ["box", "orthogonal", "points", "mask", "blocks"] if shape else ["box"]
        self.kind = str(random.choice(kinds))
        grid = [-(-n // c) for n, c in zip(shape, chunks)]
        slices = [slice_in(random, n) for n in (grid if self.kind == "blocks" else shape)]
        told = [[s.start, s.stop, s.step] for s in slices]
        if self.kind == "box":
            self.told, self.numpy, self.zarr = told, tuple(slices), lambda array: array
        elif self.kind == "orthogonal":
            lists = [s if random.integers(3) == 0 else list_in(random, n, repeats) for s, n in zip(slices, shape)]
            self.told = [{"slice": t} if isinstance(of, slice) else of.tolist() for t, of in zip(told, lists)]
            self.keys = tuple(lists)
            self.numpy = np.ix_(*[np.arange(n)[of] for of, n in zip(lists, shape)])
            self.zarr = lambda array: array.oindex
        elif self.kind == "points":
            places = np.array([random.integers(n, size=20) for n in shape] if 0 not in shape else np.zeros((len(shape), 0)), int)
            if not repeats:
                places = np.unique(places, axis=1)[:, random.permutation(np.unique(places, axis=1).shape[1])]
            self.told, self.numpy, self.zarr = places.T.tolist(), tuple(places), lambda array: array.vindex
        elif self.kind == "mask":
            mask = random.random(shape) < random.random()
            self.told, self.numpy = "".join("01"[int(m)] for m in mask.ravel()), (mask,)
            self.zarr = lambda array: array.vindex
        else:
            lists = [np.concatenate([np.zeros(0, int), *[np.arange(b * c, min(b * c + c, n)) for b in range(g)[s]]])
                     for s, c, n, g in zip(slices, chunks, shape, grid)]
            self.told, self.numpy, self.keys = told, np.ix_(*lists), tuple(slices)
            self.zarr = lambda array: array.blocks
        if not hasattr(self, "keys"):
            self.keys = self.numpy

    def known_to_zarr(self):
        """Its blocks have no steps."""
        return self.kind != "blocks" or all(s.step == 1 for s in self.keys)

    def written_by_zarr(self, case):
        """By lists, and without dimensions, it writes only into some shards: others raise an IndexError of its own."""
        is_sharded = case.codecs[0]["name"] == "sharding_indexed"
        return self.known_to_zarr() and not (is_sharded and (self.kind in ("orthogonal", "points", "mask") or not case.shape))


def slice_in(random, n):
    first = int(random.integers(n + 1))
    return slice(first, int(random.integers(first, n + 1)), int(random.integers(1, max(n // 2, 1) + 1)) if random.integers(2) else 1)


def list_in(random, n, repeats):
    if n == 0:
        return np.zeros(0, int)
    if repeats:
        return random.integers(n, size=random.integers(2 * n + 1))
    return random.permutation(n)[:random.integers(n + 1)]


def shape_of(random, rank, most):
    return tuple(int(n) for n in random.integers(most + 1, size=rank))


def chain(random, data_type, shape):
    """Codecs for chunks of that shape, which may be shards."""
    if random.integers(2):
        inner = [int(random.choice([d for d in range(1, n + 1) if n % d == 0])) for n in shape]
        index = [codec("bytes", endian=str(random.choice(["little", "big"])))] + [codec("crc32c")] * int(random.integers(2))
        return [sharding(inner, chain(random, data_type, inner), index, str(random.choice(["start", "end"])))]
    codecs = [codec("transpose", order=random.permutation(len(shape)).tolist())] if random.integers(3) == 0 else []
    endian = {"endian": str(random.choice(["little", "big"]))} if has_byte_order(data_type) else {}
    codecs.append(codec("bytes", **endian))
    more = [codec("gzip", level=1), codec("zstd", level=1, checksum=bool(random.integers(2))), codec("crc32c"),
            codec("blosc", typesize=item_size(data_type), cname="lz4", clevel=5, shuffle="shuffle", blocksize=0)]
    return codecs + [c for c in more if random.integers(4) == 0]


def v2_document(random, data_type, shape, chunks, fill, separator):
    """Of an array, and whether TensorStore knows its codecs."""
    size, kind = item_size(data_type), np.dtype(data_type).kind
    dtype = np.dtype(data_type).newbyteorder(str(random.choice(["<", ">"]))).str
    compressors = [None, {"id": "zlib", "level": 1}, {"id": "zstd", "level": 1}, {"id": "bz2", "level": 1},
                   {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}, {"id": "lz4", "acceleration": 1}]
    compressor = compressors[random.integers(len(compressors))]
    filters = [[{"id": "shuffle", "elementsize": size}], [{"id": "delta", "dtype": dtype}] if kind in "iu" else None]
    chosen = filters[random.integers(2)] if random.integers(4) == 0 else None
    document = {"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype, "fill_value": fill,
                "order": str(random.choice(["C", "F"])), "filters": chosen, "compressor": compressor,
                "dimension_separator": separator}
    return document, chosen is None and (compressor or {}).get("id") != "lz4"


class Program:
    def __init__(self, program, folder, seed):
        self.random, self.folder = np.random.default_rng(seed), folder
        self.tessera, self.arrays = Tessera(program, folder), {}  # path -> (document, elements)

    def one_in(self, n):
        return self.random.integers(n) == 0

    def step(self):
        path = PATHS[self.random.integers(len(PATHS))]
        what = self.random.integers(20)
        if path not in self.arrays or what == 0:
            return self.create(path)
        [self.write, self.read, self.resize, self.append, self.compact, self.erase][np.searchsorted([8, 14, 16, 18, 19], what)](path)

    def values(self, path, shape):
        """Small numbers, including the fill value, and often only that."""
        _, elements, fill = self.arrays[path]
        values = self.random.integers(0, 1 if self.one_in(5) else 6, shape).astype(elements.dtype)
        return np.where(values == 0, fill, values) if not self.one_in(3) else values

    def python(self, path):
        return zarr.open_array(str(self.folder / path), mode="r+")

    def create(self, path):
        random = self.random
        data_type = str(random.choice(["bool", *NUMBERS]))
        rank = int(random.integers(5))
        shape, chunks = shape_of(random, rank, LONGEST[rank]), tuple(1 + n for n in shape_of(random, rank, LONGEST[rank] // 2))
        fill = np.array(random.choice([0, 0, 1, 3])).astype(data_type)
        shown = [float(fill.real), float(fill.imag)] if fill.dtype.kind == "c" else fill.item()
        if self.one_in(3):
            return self.create_v2(path, data_type, shape, chunks, fill, shown)
        kind = str(random.choice(["default", "v2"]))
        codecs = chain(random, data_type, chunks)
        if codecs[0]["name"] == "sharding_indexed" and self.one_in(3):  # the shard is encoded as a whole
            codecs += [codec("zstd", level=1, checksum=False)] * int(self.one_in(2)) + [codec("crc32c")]
        case = Case(path, data_type, codecs, shape, chunks, fill=shown,
                    key_encoding=(kind, str(random.choice(["/", "."]))))
        self.last = f"create {path} of {data_type} {shape}, chunks {chunks}, {json.dumps(case.codecs)}"
        if path in self.arrays:
            self.erase_files(path)
        if self.one_in(2):
            self.tessera.do("create", path, document=case.document())
        else:
            Path(self.folder, path).mkdir(parents=True, exist_ok=True)
            Path(self.folder, path, "zarr.json").write_text(case.text())
            self.python(path)
            self.tessera.do("open", path)
        case.is_known_to_tensorstore = codecs[0]["name"] != "sharding_indexed" or len(codecs) == 1  # nothing behind a shard
        self.arrays[path] = case, np.full(shape, fill, data_type), fill

    def create_v2(self, path, data_type, shape, chunks, fill, shown):
        separator = str(self.random.choice(["/", "."]))
        case = Case(path, data_type, [codec("bytes")], shape, chunks)
        document, case.is_known_to_tensorstore = v2_document(self.random, data_type, shape, chunks, shown, separator)
        self.last = f"create {path}: {json.dumps(document)}"
        if path in self.arrays:
            self.erase_files(path)
        Path(self.folder, path).mkdir(parents=True, exist_ok=True)
        Path(self.folder, path, ".zarray").write_text(json.dumps(document))
        self.tessera.do("open", path)
        self.arrays[path] = case, np.full(shape, fill, data_type), fill

    def tensorstore(self, path):
        driver = "zarr3" if Path(self.folder, path, "zarr.json").exists() else "zarr"
        kvstore = {"driver": "file", "path": f"{self.folder / path}/"}
        return tensorstore.open({"driver": driver, "kvstore": kvstore}, open=True).result()

    def check(self, path):
        """Both see the whole current array."""
        case, elements, _ = self.arrays[path]
        self.hold("tessera", self.tessera.do("read", path, kind="box", selection=[[0, n, 1] for n in elements.shape]), elements)
        found = self.python(path)
        assert found.shape == elements.shape, f"zarr-python: shape {found.shape}, expected {elements.shape}"
        self.hold("zarr-python", np.asarray(found[...]), elements)
        if case.is_known_to_tensorstore:
            self.hold("TensorStore", self.tensorstore(path).read().result(), elements)

    @staticmethod
    def hold(who, found, expected):
        if isinstance(found, np.ndarray):  # which may have the byte order of the file
            assert found.shape == expected.shape, f"{who}: shape {found.shape}, expected {expected.shape}"
            found = found.astype(expected.dtype).tobytes()
        assert found == expected.tobytes(), f"{who}: other elements than expected: {found.hex()}, {expected.tobytes().hex()}"

    def write(self, path):
        case, elements, fill = self.arrays[path]
        selection = Selection(self.random, elements.shape, case.chunks, repeats=False)
        values = self.values(path, elements[selection.numpy].shape)
        by_python = self.one_in(2) and values.size > 0 and selection.written_by_zarr(case)
        by_tensorstore = by_python and self.one_in(2) and selection.kind == "box" and case.is_known_to_tensorstore
        who = "TensorStore" if by_tensorstore else "zarr-python" if by_python else "tessera"
        self.last = f"write {path}{list(elements.shape)} {selection.kind} {selection.told} by {who}"
        if by_tensorstore:
            self.tensorstore(path)[selection.keys].write(values).result()
        elif by_python:
            selection.zarr(self.python(path))[selection.keys] = values
        else:
            self.tessera.do("write", path, kind=selection.kind, selection=selection.told, elements=values.tobytes().hex(),
                            append_to_shards=bool(self.one_in(2)))
        elements[selection.numpy] = values
        self.check(path)

    def read(self, path):
        case, elements, _ = self.arrays[path]
        selection = Selection(self.random, elements.shape, case.chunks, repeats=True)
        self.last = f"read {path}{list(elements.shape)} {selection.kind} {selection.told}"
        expected = elements[selection.numpy]
        self.hold("tessera", self.tessera.do("read", path, kind=selection.kind, selection=selection.told), expected)
        if expected.size > 0 and selection.known_to_zarr():
            self.hold("zarr-python", np.asarray(selection.zarr(self.python(path))[selection.keys]), expected)

    def resize(self, path):
        case, elements, fill = self.arrays[path]
        shape = shape_of(self.random, elements.ndim, LONGEST[elements.ndim])
        # zarr-python keeps cut elements in chunks, and shows them when the array grows again: it only shrinks here.
        by_python = self.one_in(2)
        if by_python:
            shape = tuple(min(a, b) for a, b in zip(shape, elements.shape))
        self.last = f"resize {path}{list(elements.shape)} to {shape} by {'zarr-python' if by_python else 'tessera'}"
        if by_python:
            self.python(path).resize(shape)
            self.tessera.do("open", path)
        else:
            self.tessera.do("resize", path, shape=shape)
        self.arrays[path] = case, self.grown(elements, shape, fill), fill
        self.check(path)

    def append(self, path):
        case, elements, fill = self.arrays[path]
        if elements.ndim == 0:
            return
        axis, block = int(self.random.integers(elements.ndim)), list(elements.shape)
        block[axis] = int(self.random.integers(LONGEST[elements.ndim] // 2 + 1))
        if elements.shape[axis] > 2 * LONGEST[elements.ndim]:
            return self.resize(path)
        values = self.values(path, tuple(block))
        by_python = self.one_in(2) and values.size > 0
        self.last = f"append {block} to {path}{list(elements.shape)} along {axis} by {'zarr-python' if by_python else 'tessera'}"
        if by_python:
            self.python(path).append(values, axis)
            self.tessera.do("open", path)
        else:
            self.tessera.do("append", path, axis=axis, block=block, elements=values.tobytes().hex(),
                            append_to_shards=bool(self.one_in(2)))
        self.arrays[path] = case, np.concatenate([elements, values], axis), fill
        self.check(path)

    def compact(self, path):
        self.last = f"compact {path}"
        self.tessera.do("compact", path)
        self.check(path)

    def erase(self, path):
        self.last = f"erase {path}"
        self.erase_files(path)
        del self.arrays[path]

    def erase_files(self, path):
        """Empty folders within folders that zarr-python left: they block a key of their name."""
        self.tessera.do("erase", path)
        left = [p for p in Path(self.folder, path).rglob("*") if not p.is_dir()]
        assert not left, f"erased, but there are {left}"
        shutil.rmtree(Path(self.folder, path), ignore_errors=True)

    @staticmethod
    def grown(elements, shape, fill):
        result = np.full(shape, fill, elements.dtype)
        common = tuple(slice(0, min(a, b)) for a, b in zip(shape, elements.shape))
        result[common] = elements[common]
        return result


def main(program, folder):
    steps, seed = int(os.environ.get("TESSERA_TEST_STEPS", 200)), os.environ.get("TESSERA_TEST_SEED", "1")
    seed = np.random.SeedSequence().entropy % 10**9 if seed == "random" else int(seed)
    begun = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    running = Program(program, folder, seed)
    for step in range(steps):
        try:
            running.step()
        except Exception as error:
            print(f"FAILED seed {seed}, step {step}: {running.last}\n{type(error).__name__}: {str(error)[:1000]}")
            return 1
    print(f"{steps} steps of seed {seed}, {time.monotonic() - begun:.0f} s: tessera, zarr-python {zarr.__version__} and TensorStore "
          "agree with NumPy")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
