"""Random arrays of both formats, read and changed in turn by tessera and by zarr-python, against NumPy. Each prints its
seed and its calls."""

import json

import numpy as np
import pytest
import zarr

import tessera

pytestmark = pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning", "ignore::FutureWarning")

NUMBERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
ARRAYS, CHANGES = 6, 6


def pick(random, items):
    return items[int(random.integers(len(items)))]


def values(random, dtype, shape):
    """Any bits; of bools those that are bools, and no -0 in complex numbers, which zarr-python takes for 0."""
    count = int(np.prod(shape, dtype=int))
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "c" or random.random() < 0.4:
        return random.integers(0, 3, shape).astype(dtype)
    return np.frombuffer(random.bytes(count * dtype.itemsize), dtype).reshape(shape).copy()


def named(name, **configuration):
    return {"name": name, "configuration": configuration}


def compressors(random, size):
    choices = [
        named("gzip", level=1), named("zstd", level=0, checksum=bool(random.integers(2))), {"name": "crc32c"},
        named("blosc", cname=pick(random, ["lz4", "zstd", "zlib"]), clevel=5, typesize=size, blocksize=0,
              shuffle=pick(random, ["noshuffle", "shuffle", "bitshuffle"])),
    ]  # fmt: skip
    return [pick(random, choices) for _ in range(random.integers(3))]


def codecs(random, dtype, chunk, depth=0):
    """In shards too, two levels deep, with the index before or after the chunks."""
    found = []
    if chunk and random.random() < 0.3:
        order = random.permutation(len(chunk)).tolist()
        found.append(named("transpose", order=order))
        chunk = [chunk[d] for d in order]
    if chunk and not found and depth < 2 and random.random() < 0.4:  # zarr-python 3.1 reads none without dimensions
        inner = [pick(random, [n for n in range(1, length + 1) if length % n == 0]) for length in chunk]
        index = [named("bytes", endian=pick(random, ["little", "big"]))]
        index += [{"name": "crc32c"}] * int(random.integers(2))
        place = pick(random, ["start", "end"])
        parts = codecs(random, dtype, inner, depth + 1)
        return [named("sharding_indexed", chunk_shape=inner, codecs=parts, index_codecs=index, index_location=place)]
    endian = {"endian": pick(random, ["little", "big"])} if dtype.itemsize > 1 else {}
    return [*found, named("bytes", **endian), *compressors(random, dtype.itemsize)]


def make(random, folder):
    """Writes a document, and returns the fill value."""
    dtype = np.dtype(pick(random, NUMBERS))
    rank = int(random.integers(4))
    shape = [int(n) for n in random.integers(0 if random.random() < 0.1 else 1, 12 if rank < 3 else 7, rank)]
    chunk = [int(n) for n in random.choice([1, 2, 3, 4, 6], rank)]
    fill = random.integers(0, 2, 1).astype(dtype)[0]
    number = bool(fill) if dtype.kind == "b" else int(fill.real) if dtype.kind in "iu" else float(fill.real)
    shown = [number, 0.0] if dtype.kind == "c" else number
    folder.mkdir()
    if random.random() < 0.4:
        coder = pick(random, [None, {"id": "zlib", "level": 1}, {"id": "zstd", "level": 1}, {"id": "bz2", "level": 1}])
        document = {
            "zarr_format": 2, "shape": shape, "chunks": chunk, "dtype": dtype.newbyteorder(pick(random, "<>")).str,
            "compressor": coder, "filters": pick(random, [None, [{"id": "crc32"}]]), "order": pick(random, "CF"),
            "fill_value": shown, "dimension_separator": pick(random, "./"),
        }  # fmt: skip
        (folder / ".zarray").write_text(json.dumps(document))
    else:
        key = named(pick(random, ["default", "v2"]), separator=pick(random, "./"))
        document = {
            "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": dtype.name, "fill_value": shown,
            "chunk_grid": named("regular", chunk_shape=chunk), "chunk_key_encoding": key, "attributes": {},
            "codecs": codecs(random, dtype, chunk),
        }  # fmt: skip
        (folder / "zarr.json").write_text(json.dumps(document))
    print(json.dumps(document))
    return fill, np.full(shape, fill)


def box(random, shape):
    ends = [sorted(int(i) for i in random.integers(0, n + 1, 2)) for n in shape]
    return tuple(slice(first, last, int(random.integers(1, 4))) for first, last in ends)


def change(random, array, model, fill):
    """By one of the two. Returns the new elements."""
    way = random.integers(4) if model.ndim else 0
    if way == 0:
        index = box(random, model.shape)
        model[index] = value = values(random, model.dtype, model[index].shape)
        print(type(array).__module__, index)
        array[index] = value
    elif way == 1 and model.size and isinstance(array, tessera.Array):  # zarr-python 3.1 fails at them in shards
        index = np.ix_(*(np.unique(random.integers(0, n, 3)) for n in model.shape))
        model[index] = value = values(random, model.dtype, model[index].shape)
        print(type(array).__module__, "oindex", index)
        array.oindex[tuple(part.reshape(-1) for part in index)] = value
    elif way == 2:
        axis = int(random.integers(model.ndim))
        more = values(random, model.dtype, [3 if d == axis else n for d, n in enumerate(model.shape)])
        print(type(array).__module__, "append", axis)
        array.append(more, axis=axis)
        model = np.concatenate([model, more], axis)
    elif isinstance(array, tessera.Array):  # zarr-python keeps removed elements of chunks, and shows them again
        new = [max(n + int(i), 0) for n, i in zip(model.shape, random.integers(-4, 5, model.ndim))]
        print(type(array).__module__, "resize", new)
        array.resize(new)
        common = tuple(slice(min(n, m)) for n, m in zip(model.shape, new))
        resized = np.full(new, fill)
        resized[common] = model[common]
        model = resized
    return model


@pytest.mark.parametrize("seed", range(8))
def test_each_reads_what_the_other_wrote(tmp_path, seed):
    random = np.random.default_rng(seed)
    for number in range(ARRAYS):
        folder = tmp_path / f"{number}"
        fill, model = make(random, folder)
        for _ in range(CHANGES):
            ours, theirs = tessera.open(folder), zarr.open_array(folder, mode="r+")
            model = change(random, ours if random.random() < 0.6 else theirs, model, fill)
            for read in (tessera.open(folder)[...], zarr.open_array(folder)[...]):
                assert read.shape == model.shape and np.asarray(read, model.dtype).tobytes() == model.tobytes()
