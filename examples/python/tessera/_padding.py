"""Padding: elements around an array, as of numpy.pad."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _tessera
from ._array import Array
from ._fill import converted, element_of
from ._errors import MetadataError, SelectionError
from ._types import SMALL_NUMBERS, small_number

MODES = "constant", "edge", "reflect"


def _bytes_of(value: Any, array: Array) -> bytes | None:
    """Of a value as an element of the array; None, if it is none."""
    name = array._native.dtype
    if name in SMALL_NUMBERS:  # NumPy has them from another library, and converts nothing to them
        is_one = small_number(getattr(value, "dtype", None)) == name
        return np.asarray(value).tobytes() if is_one else None
    dtype = array.dtype
    if dtype.kind in "mMSU" or dtype.fields is not None:
        try:
            return element_of(value, dtype).tobytes()
        except MetadataError:
            return None
    if dtype.kind == "V":
        octets = value.tobytes() if isinstance(value, (np.void, memoryview)) else value
        is_one = isinstance(octets, (bytes, bytearray)) and len(octets) == dtype.itemsize
        return bytes(octets) if is_one else None
    found = converted(value, dtype)
    return None if found is None else bytes(found.tobytes())


@dataclasses.dataclass(frozen=True, eq=False)
class Padding:
    """What `Loader` and `read_boxes` find around an array, in the words of `numpy.pad`:

        padding = tessera.Padding(32, mode="reflect")
        crops = tessera.UniformBoxes(padding.padded(t1.shape), (64, 64, 64), seed=7)
        loader = tessera.Loader(t1, crops, padding=padding)

    Boxes are those of the padded array: index 0 is the first element of the padding. Nothing is copied.

    `pad_width`: `n` elements on all sides; `(before, after)` along each dimension; or `((before, after), ...)`, one for
    each. `mode`: "constant"; "edge", the nearest element; "reflect", the array mirrored at its first and last elements.
    `constant_values`: of "constant", one value, an element of the array or a number that it can represent; by default
    the array's fill value.

    Raises ValueError, TypeError for wrong arguments.
    """

    pad_width: npt.ArrayLike
    mode: str = "constant"
    constant_values: Any = None

    def __post_init__(self) -> None:
        width = np.asarray(self.pad_width)
        if width.dtype.kind not in "iu":
            raise TypeError(f"found pad_width={self.pad_width!r}, expected integers")
        if (width < 0).any():
            raise ValueError(f"found pad_width={self.pad_width!r}, expected numbers from 0 on")
        if self.mode not in MODES:
            raise ValueError(f"found mode={self.mode!r}, expected 'constant', 'edge' or 'reflect'")
        if self.constant_values is not None and self.mode != "constant":
            raise ValueError(f"found constant_values with mode={self.mode!r}, expected them with 'constant'")
        if np.ndim(self.constant_values) != 0:
            raise ValueError(f"found constant_values={self.constant_values!r}, expected one value")

    def padded(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of an array of that shape with its padding.

        Raises SelectionError, if `pad_width` is for another number of dimensions, 63 bits cannot count the indices, or
        "edge" or "reflect" pads a dimension without elements."""
        return self._of_rank(len(shape), None).padded(shape)

    def _of_rank(self, rank: int, element: bytes | None, ahead: int = 0) -> _tessera.Padding:
        """`ahead`: dimensions more, ahead of the others, which are not padded."""
        try:
            widths = np.broadcast_to(np.asarray(self.pad_width), (rank, 2)).tolist()
        except ValueError:
            raise SelectionError(
                f"padding: found pad_width={self.pad_width!r}, expected a number, a pair, or {rank} pairs"
            ) from None
        widths = [[0, 0]] * ahead + widths
        return _tessera.Padding([before for before, _ in widths], [after for _, after in widths], self.mode, element)


def around(array: Array, padding: Padding | None, rank: int | None = None) -> _tessera.Padding | None:
    """The padding of an array, of its last `rank` dimensions. Raises SelectionError, if it does not suit the array."""
    if padding is None:
        return None
    if not isinstance(padding, Padding):
        raise TypeError(f"found padding={padding!r}, expected a tessera.Padding")
    value, name = padding.constant_values, array._native.dtype
    element = None if value is None else _bytes_of(value, array)
    if value is not None and element is None:
        raise SelectionError(f"padding: found constant_values={value!r}, which is no element of {name}")
    rank = array.ndim if rank is None else rank
    return padding._of_rank(rank, element, array.ndim - rank)
