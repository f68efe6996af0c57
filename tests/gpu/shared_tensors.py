#!/usr/bin/env python3
"""Reads and writes an array that another process published, by its descriptor alone (docs/ipc.md): as a tensor of CuPy
or PyTorch, of the same memory.

    shared with python3 shared_tensors.py cupy|torch

Exits with 77 if the library, or its GPU version, is missing.
"""
import base64
import ctypes
import importlib
import json
import os
import sys

name = sys.argv[1]
try:
    library = importlib.import_module(name)
except ImportError as error:
    print(f"there is no {name} ({error}): nothing was read", flush=True)
    sys.exit(77)
if name == "torch" and not library.cuda.is_available():
    print("there is no torch for a GPU: nothing was read", flush=True)
    sys.exit(77)
library.zeros(1, **({"device": "cuda"} if name == "torch" else {}))  # the device's context is current from here on

descriptor = json.loads(os.environ["TESSERA_DESCRIPTOR"])
memory = descriptor["memory"]
assert memory["kind"] == "cuda-ipc" and descriptor["data_type"] == "float32", descriptor


class Handle(ctypes.Structure):
    _fields_ = [("octets", ctypes.c_char * 64)]


driver = ctypes.CDLL("libcuda.so.1")
address = ctypes.c_uint64()
octets = memory["handle"]
handle = Handle.from_buffer_copy(base64.b64decode(octets) if isinstance(octets, str) else bytes(octets))
status = driver.cuIpcOpenMemHandle_v2(ctypes.byref(address), handle, ctypes.c_uint(1))
assert status == 0, f"cuIpcOpenMemHandle: {status}"


class Array:
    __cuda_array_interface__ = {
        "shape": tuple(descriptor["shape"]), "typestr": "<f4", "version": 3,
        "strides": tuple(4 * stride for stride in descriptor["strides"]),
        "data": (address.value + descriptor["offset"], False)}


if name == "torch":
    tensor = library.as_tensor(Array(), device="cuda")
    where = tensor.data_ptr()
    count = library.arange(tensor.numel(), device="cuda", dtype=library.float32).reshape(tensor.shape)
else:
    tensor = library.asarray(Array())
    where = tensor.data.ptr
    count = library.arange(tensor.size, dtype=library.float32).reshape(tensor.shape)
assert where == address.value + descriptor["offset"], "the tensor is a copy"
assert bool((tensor == count).all()), "elements are not what was published"
tensor[0, 0] = 42
library.cuda.synchronize() if name == "torch" else library.cuda.Device().synchronize()
assert driver.cuIpcCloseMemHandle(address) == 0
print(f"{name} {library.__version__} read {tuple(tensor.shape)} elements where they are, and wrote one")
