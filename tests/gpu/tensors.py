#!/usr/bin/env python3
"""Reads an array into a GPU's memory through tessera's Python module, and passes it to another library and back.

    tensors.py cupy|torch|jax FOLDER [ALONG=512] [REPETITIONS=5]

Each tensor is the same memory, by its address, and has the elements that NumPy wrote. Then: the time of a whole read,
of raw chunks and of zstd, compared with TensorStore's and a copy of its result if its wheel is installed. Exits with 77
if the library, or its GPU version, is missing.
"""
import importlib
import os
import statistics
import sys
import time

import numpy as np

import tessera

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take the whole GPU
name, folder = sys.argv[1:3]
along, repetitions = (int(argument) for argument in sys.argv[3:5] or (512, 5))
try:
    library = importlib.import_module(name)
    if name == "torch":
        library.cuda.synchronize()
        zeros = lambda shape: library.zeros(shape, dtype=library.int32, device="cuda")
        address, as_numpy = lambda tensor: tensor.data_ptr(), lambda tensor: tensor.cpu().numpy()
        stream = lambda: library.cuda.current_stream().cuda_stream or 1
    elif name == "cupy":
        library.cuda.Device().synchronize()
        zeros = lambda shape: library.zeros(shape, dtype="int32")
        address, as_numpy = lambda tensor: tensor.data.ptr, library.asnumpy
        stream = lambda: library.cuda.get_current_stream().ptr or 1
    else:
        library.devices("gpu")
        address, as_numpy = lambda tensor: tensor.unsafe_buffer_pointer(), np.asarray
except Exception as error:
    print(f"there is no {name} for a GPU ({error}): nothing was read", flush=True)
    sys.exit(77)
from_dlpack = importlib.import_module("jax.dlpack").from_dlpack if name == "jax" else library.from_dlpack

expected = np.arange(1000 * 700, dtype="int32").reshape(1000, 700)
array = tessera.create_array(f"{folder}/tensors-{name}.zarr", shape=expected.shape, dtype="int32", chunks=(256, 128),
                             overwrite=True)
array[...] = expected
on_device = tessera.open(array.store_path, space="device")


def check(what, true):
    print(f"{what}: {'yes' if true else 'NO'}", flush=True)
    if not true:
        sys.exit(1)


def same(tensor, values):
    return np.array_equal(as_numpy(tensor), values)


for selection in (np.s_[...], np.s_[3:900:7, 5:], np.s_[:, 17]):
    found = on_device[selection]
    where = found.__cuda_array_interface__["data"][0]
    tensor = from_dlpack(found)
    check(f"{selection} is that library's, where it lies", address(tensor) == where)
    check(f"{selection} is what was written", same(tensor, expected[selection]))
    del found
    check(f"{selection} outlives what gave it", same(tensor, expected[selection]))

if name == "jax":  # whose arrays are immutable
    on_device[2:5] = library.numpy.full((3, 700), 7, dtype="int32")
    check("what it made is written", bool((np.asarray(array[2:5]) == 7).all()))
    sys.exit(0)

out = zeros((100, 700))
on_device.read(np.s_[100:200], out=out, stream=stream())
check("a read into memory of that library, on its stream", same(out, expected[100:200]))
on_device[200:300] = out + 1
check("memory of that library is written", np.array_equal(np.asarray(array[200:300]), expected[100:200] + 1))
other = library.cuda.Stream() if name == "torch" else library.cuda.Stream(non_blocking=True)
with library.cuda.stream(other) if name == "torch" else other:
    out = zeros((100, 700))
    on_device.read(np.s_[300:400], out=out, stream=stream())
    doubled = out * 2
    on_device[400:500] = doubled
    check("the same on a stream of its own", np.array_equal(np.asarray(array[400:500]), 2 * expected[300:400]))
with tessera.publish(on_device) as published:
    check("it is published", published.descriptor.kind == "cuda-ipc")


def seconds(read):
    taken = []
    for _ in range(repetitions + 1):
        begin = time.perf_counter()
        read()
        taken.append(time.perf_counter() - begin)
    return sorted(taken[1:])


def print_row(kind, program, taken):
    middle = statistics.median(taken)
    print(f"| {kind} | {program} | {1e3 * middle:.3f} | {1e3 * taken[0]:.3f} to {1e3 * taken[-1]:.3f} | "
          f"{1e-9 * 4 * along**3 / middle:.2f} |", flush=True)


numbers = (np.arange(along**3, dtype="int64") * 2654435761 >> 7 & 0x3ff).astype("int32").reshape((along,) * 3)
for kind, compressors in (("raw", None), ("zstd", [{"name": "zstd", "configuration": {"level": 1, "checksum": False}}])):
    path = f"{folder}/large-{name}-{kind}.zarr"
    made = tessera.create_array(path, shape=numbers.shape, dtype="int32", chunks=(64, 64, 64), overwrite=True,
                                compressors=compressors)
    made[...] = numbers
    large = tessera.open(path, space="device")
    out = zeros(numbers.shape)

    def read():
        large.read(np.s_[...], out=out, stream=stream())
        (library.cuda.synchronize if name == "torch" else library.cuda.Device().synchronize)()

    read()
    check(f"{kind} is what was written", same(out, numbers))
    print("\n| array | program | ms | least to most | GB/s |\n|---|---|---|---|---|")
    print_row(kind, f"tessera into {name}'s memory", seconds(read))
    print_row(kind, "tessera, new memory", seconds(lambda: from_dlpack(large[...])))
    try:
        tensorstore = importlib.import_module("tensorstore")
    except ImportError:
        continue
    source = tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": path + "/"}}, open=True).result()

    def copied():
        host = source.read().result()
        if name == "torch":
            out.copy_(library.from_numpy(host))
        else:
            out.set(host)
        (library.cuda.synchronize if name == "torch" else library.cuda.Device().synchronize)()

    print_row(kind, f"TensorStore and {name}'s copy", seconds(copied))
