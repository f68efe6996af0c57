"""Memory spaces, and the part of the module that needs CUDA."""

from __future__ import annotations

import importlib
from typing import Any

from ._errors import DeviceError

SPACES = ("host", "device", "pinned")


def expect_space(space: str) -> None:
    if space not in SPACES:
        raise ValueError(f"found space {space!r}, expected 'host', 'device' or 'pinned'")
    if space != "host":
        device().open_device()  # here, and not in the first read, errors of a missing driver or device appear


def device() -> Any:
    """The extension for device memory. Raises DeviceError, which names the cause."""
    try:
        return importlib.import_module("tessera._device")
    except ModuleNotFoundError:
        raise DeviceError(
            "this module was built without CUDA, so it has the host's memory alone: install it where nvcc is, "
            "pip install -C cmake.define.TESSERA_PYTHON_CUDA=ON ./examples/python"
        ) from None
    except ImportError as error:
        raise DeviceError(f"the CUDA runtime is missing, which device and pinned memory need: {error}") from error


def device_type(memory: Any) -> int:
    """As DLPack numbers them: 1 is host memory. 2, CUDA's, for memory with only `__cuda_array_interface__`."""
    if hasattr(memory, "__dlpack_device__"):
        return int(memory.__dlpack_device__()[0])
    return 2 if hasattr(memory, "__cuda_array_interface__") else 1


def is_on_device(memory: Any) -> bool:
    """Whether it is CUDA's, device or managed memory, which is used in the order of streams."""
    return device_type(memory) in (2, 13)
