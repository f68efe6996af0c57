"""Memory spaces, and the part of the module that needs CUDA."""

from __future__ import annotations

import importlib
from typing import Any

from . import _tessera
from ._errors import DeviceError

SPACES = ("host", "device", "pinned")


DECODERS = ("host", "auto", "device")


class Space(str):
    """The name of a memory space; of device memory, also which device's, and who decodes."""

    device: int | None = None  # the module's
    decode = "host"
    trusted = False


def space_of(name: str, number: int | None, decode: str, trusted: bool) -> Space:
    """Raises DeviceError, which names the cause, if CUDA, the device or nvCOMP is missing."""
    if name not in SPACES:
        raise ValueError(f"found space {name!r}, expected 'host', 'device' or 'pinned'")
    if decode not in DECODERS:
        raise ValueError(f"found decode {decode!r}, expected 'host', 'auto' or 'device'")
    if name != "device" and (number is not None or decode != "host" or trusted):
        raise ValueError(f"found space {name!r} with device, decode or trusted, which are for space='device'")
    if trusted and decode == "host":
        raise ValueError("found trusted=True with decode='host', which checks all bytes: it is for 'auto' and 'device'")
    space = Space(name)
    space.device, space.decode, space.trusted = number, decode, trusted
    if name != "host":
        device().open_device(number)  # here, and not in the first read, errors of a missing driver or device appear
    if decode != "host" and not device().has_nvcomp():
        raise DeviceError(
            "this module was built without nvCOMP, which decodes on the device: install it with "
            "-C cmake.define.TESSERA_PYTHON_NVCOMP=ON"
        )
    return space


def on_device(array: _tessera.Array, space: str) -> Any:
    """The array in device memory."""
    where = space if isinstance(space, Space) else Space(space)
    return device().Array(array, where.device, where.decode, where.trusted)


def device() -> Any:
    """The extension for device memory. Raises DeviceError, which names the cause."""
    try:
        return importlib.import_module("tessera._device")
    except ModuleNotFoundError:
        raise DeviceError(
            "this module was built without CUDA, so it has the host's memory alone: where nvcc is, in a clone of "
            "tessera, pip install -C cmake.define.TESSERA_PYTHON_CUDA=ON ."
        ) from None
    except ImportError as error:
        raise DeviceError(f"a library of CUDA is missing, which device and pinned memory need: {error}") from error


def device_type(memory: Any) -> int:
    """As DLPack numbers them: 1 is host memory. 2, CUDA's, for memory with only `__cuda_array_interface__`."""
    if hasattr(memory, "__dlpack_device__"):
        return int(memory.__dlpack_device__()[0])
    return 2 if hasattr(memory, "__cuda_array_interface__") else 1


def is_on_device(memory: Any) -> bool:
    """Whether it is CUDA's, device or managed memory, which is used in the order of streams."""
    return device_type(memory) in (2, 13)
