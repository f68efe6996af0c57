"""What this build of the module has."""

from __future__ import annotations

import importlib
import platform
from importlib.metadata import version
from typing import Any

from . import _tessera


def _missing(extension: str) -> str | None:
    """Why the module lacks it; None, if it has it."""
    try:
        importlib.import_module(f"tessera.{extension}")
    except ModuleNotFoundError:
        return "not built"
    except ImportError as error:
        return f"not loaded: {error}"
    return None


def info() -> dict[str, Any]:
    """Versions; the stores and the codecs that this build has, and why it lacks others, or CUDA. For reports of
    problems: it shows no address and no option."""
    extensions = {"zip": "_zip", "http": "_http", "s3": "_s3"}
    missing = {name: why for name, extension in extensions.items() if (why := _missing(extension))}
    without_cuda = _missing("_device")
    return {
        "tessera": version("tessera-zarr"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "stores": ["folder", *(name for name in extensions if name not in missing)],
        "missing_stores": missing,
        "codecs": _tessera.codec_names().split(", "),
        "cuda": without_cuda is None,
        "why_no_cuda": without_cuda,
    }
