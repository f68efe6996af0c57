"""Columns of tables shared between processes: values, times, strings, lists and structs, with masks of nulls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from decimal import Decimal

import numpy as np
import numpy.typing as npt

from . import _spaces, _tessera
from ._errors import IpcError, SelectionError
from ._sharing import Attached, attach, process, publish_natively
from ._tessera import ColumnDescriptor

_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


def _space_of(descriptor: ColumnDescriptor) -> str | None:
    """Of the first of its buffers; None, if it has none."""
    for buffer in (descriptor.data, descriptor.offsets, descriptor.mask):
        if buffer is not None:
            return "host" if buffer.kind == "shared-memory" else "device"
    return next(filter(None, map(_space_of, descriptor.children)), None)


def _arrow_in(space: str, descriptor: ColumnDescriptor, name: str) -> Callable[..., tuple[object, object]]:
    """The method of that name of Arrow's PyCapsule interface. AttributeError, if the column is in other memory: so
    consumers, who look whether there is such a method, ask for the right one."""
    if (_space_of(descriptor) or "host") != space:
        raise AttributeError(f"the column is not in {space} memory: it has no {name}")
    module = _spaces.device() if space == "device" else _tessera

    def method(requested_schema: object = None, **arguments: object) -> tuple[object, object]:
        for argument, value in arguments.items():
            if value is not None:
                raise NotImplementedError(f"{name} has no argument {argument}")
        capsules: tuple[object, object] = module.arrow_column(process.consumer(), descriptor, requested_schema)
        return capsules

    return method


class PublishedColumn:
    """The result of `publish_column`. As `Published`: its arrays are published until `close()`."""

    def __init__(self, native: _tessera.PublishedColumn) -> None:
        self._native = native
        self._descriptor = native.descriptor

    @property
    def descriptor(self) -> ColumnDescriptor:
        """Pass it to other processes in any way: it pickles, and `str(descriptor)` is JSON."""
        return self._descriptor

    @property
    def __arrow_c_array__(self) -> Callable[..., tuple[object, object]]:
        """As that of `attach_column(column.descriptor)`."""
        return _arrow_in("host", self.descriptor, "__arrow_c_array__")

    @property
    def __arrow_c_device_array__(self) -> Callable[..., tuple[object, object]]:
        return _arrow_in("device", self.descriptor, "__arrow_c_device_array__")

    def close(self) -> None:
        self._native.close()

    def __enter__(self) -> PublishedColumn:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tessera.PublishedColumn {self.descriptor.name!r} {self.descriptor.schema!r} of {len(self.descriptor)}>"


def _strings(values: Sequence[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8], npt.NDArray[np.bool_] | None]:
    """Offsets, characters, and the mask of non-nulls."""
    try:
        texts = [b"" if text is None else str(text).encode() for text in values]
    except UnicodeEncodeError as error:
        raise IpcError(f"found the text {error.object!r}, which is not UTF-8, as Arrow's is") from None
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    if offsets[-1] < 2**31:
        offsets = offsets.astype(np.int32)
    present = np.array([text is not None for text in values], np.bool_)
    return offsets, np.frombuffer(b"".join(texts), np.uint8), None if present.all() else present


def _is_text(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "UT" or (values.dtype.kind == "O" and _is_text(values.tolist()))
    is_list = isinstance(values, (list, tuple)) and any(isinstance(one, str) for one in values)
    return is_list and all(one is None or isinstance(one, str) for one in values)


def _values(values: Any) -> tuple[_tessera.PublishedColumn, Any]:
    """The column without the caller's mask, and the mask of the values."""
    Column = _tessera.PublishedColumn
    if isinstance(values, Mapping):
        fields = {name: _made(one, None, name, None) for name, one in values.items()}
        lengths = {name: len(field.descriptor) for name, field in fields.items()}
        if len(set(lengths.values())) > 1:
            raise IpcError(f"found fields of the lengths {lengths}, expected one length")
        return Column.structure(process.producer(), list(fields.values())), None
    if hasattr(values, "__arrow_c_array__") and not isinstance(values, (Attached, _tessera.Tensor)):
        return _tessera.publish_arrow(process.producer(), values), None
    if _is_text(values):
        offsets, characters, valid = _strings(values)
        return Column.strings(publish_natively(offsets), publish_natively(characters)), valid
    if not hasattr(values, "__dlpack__") and not hasattr(values, "__cuda_array_interface__"):
        values = np.asarray(values)
    valid = None
    if isinstance(values, np.ma.MaskedArray):
        valid, values = ~np.ma.getmaskarray(values), np.ma.getdata(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        unit, count = np.datetime_data(values.dtype)
        if count != 1 or unit == "generic":
            raise IpcError(f"times in units of {values.dtype}, expected one of NumPy's units, such as ns")
        kind = "datetime64" if values.dtype.kind == "M" else "timedelta64"
        as_integers = values.astype(values.dtype.newbyteorder("="), copy=False).view(np.int64)
        return Column.times(publish_natively(as_integers), kind, unit), valid
    if isinstance(values, np.ndarray) and values.dtype.kind == "S":
        values = np.ascontiguousarray(values).view(f"V{values.dtype.itemsize}")
    return Column.values(publish_natively(values)), valid


def _made(values: Any, valid: Any, name: str, offsets: Any) -> _tessera.PublishedColumn:
    if offsets is None:
        column, own = _values(values)
        if valid is None:
            valid = own
        elif own is not None:
            raise IpcError(f"column {name!r}: `valid` was given, and the values have nulls of their own")
    else:
        elements = _made(values, None, "item", None)
        column = _tessera.PublishedColumn.lists(publish_natively(offsets), elements)
    if valid is not None and column.descriptor.mask is not None:
        raise IpcError(f"column {name!r}: `valid` was given, and the values have nulls of their own")
    if valid is not None:
        if _spaces.is_on_device(valid):
            flags_there = publish_natively(valid)
            column.masked(flags_there, flags_there.descriptor.shape[0] < len(column.descriptor), -1)
        else:
            flags = np.asarray(valid, np.bool_)
            if flags.shape != (len(column.descriptor),):
                raise IpcError(f"column {name!r}: {flags.shape} flags of {len(column.descriptor)} elements")
            bits = publish_natively(np.packbits(flags, bitorder="little"))
            column.masked(bits, True, int(flags.size - np.count_nonzero(flags)))
    column.named(name)
    return column


def publish_column(values: Any, *, valid: Any = None, name: str = "", offsets: Any = None) -> PublishedColumn:
    """Lets other processes of this user use a column of a table in place. Everything is copied once, as by `publish`.

    `values`, one for each element:
    - numbers, bools, raw or fixed-width bytes of one dimension: NumPy's, or any object that `publish` accepts, in host
      or device memory. Masked elements of a masked array are null;
    - `datetime64` and `timedelta64`, of any unit;
    - text: a list, or an array of NumPy's, of `str`, with None for nulls;
    - a dictionary of names and values: a struct, of columns of the same length;
    - an object with `__arrow_c_array__`: arrays and record batches of pyarrow, also of decimals, dates, dictionaries.

    `valid`: a bool for each element, False for a null; in device memory a byte for each, or a bit, as in Arrow.
    `offsets`, int32 or int64: the column is one of lists, whose elements are `values`; list i has those from
    offsets[i] to offsets[i + 1].

    Raises IpcError, if these do not fit together; and the errors of `publish`.
    """
    return PublishedColumn(_made(values, valid, name, offsets))


class AttachedColumn:
    """A column of another process, in its memory, or a slice of one. The leases last as those of `Attached` do."""

    def __init__(self, descriptor: ColumnDescriptor) -> None:
        self.descriptor = descriptor
        first, count = descriptor.offset, len(descriptor)
        self._is_packed = descriptor.schema == "b" and descriptor.data is not None and descriptor.data.dtype != "bool"
        self.offsets: Attached | None = None
        """Of strings and lists: where each element's characters or elements begin, and the last one's end."""
        self.data: Attached | None = None
        """The values of the slice; characters, or packed bits, of the whole column."""
        self.mask: Attached | None = None
        """Bytes or bits (`descriptor.mask_is_bits`), of the whole column: 1 where an element is there."""
        if descriptor.offsets is not None:
            self.offsets = attach(descriptor.offsets[first : first + count + 1])
        if descriptor.data is not None:
            is_whole = self._is_packed or descriptor.offsets is not None
            self.data = attach(descriptor.data if is_whole else descriptor.data[first : first + count])
        if descriptor.mask is not None:
            self.mask = attach(descriptor.mask)
        self.dictionary = AttachedColumn(descriptor.dictionary) if descriptor.dictionary is not None else None
        """The column into which `values()` are indices."""
        self.children = [AttachedColumn(child) for child in descriptor.children]
        """The fields of a struct; of lists one column, which has the elements."""

    @property
    def name(self) -> str:
        return self.descriptor.name

    @property
    def schema(self) -> str:
        """A format string of Arrow's C data interface."""
        return self.descriptor.schema

    def __len__(self) -> int:
        return len(self.descriptor)

    def values(self) -> npt.NDArray[Any]:
        """The elements as a NumPy array, nulls included: in the other process's memory, read-only; packed bits are a
        copy. Only in host memory; device memory is in `data`, which CuPy and PyTorch accept. Raises IpcError for text,
        lists and structs, which have no values."""
        if self.data is None or self.offsets is not None:
            raise IpcError(f"column {self.name!r} of schema {self.schema!r}: it has no values, one for each element")
        found = np.asarray(self.data)
        if self._is_packed:
            bits: npt.NDArray[Any] = self._bits(found)
            return bits
        if self.descriptor.logical:
            return found.view(np.dtype(self.descriptor.logical))
        if self.schema == "tdD":  # of 32 bits, which NumPy's have not
            return found.astype("M8[D]")
        if self.schema == "tdm":
            return found.view("M8[ms]")
        if self.schema[:2] in ("ts", "tD"):
            return found.view(f"{'M' if self.schema[1] == 's' else 'm'}8[{_UNITS[self.schema[2]]}]")
        return found

    def _bits(self, found: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        first, count = self.descriptor.offset, len(self)
        octets = found[first // 8 : (first + count + 7) // 8].view(np.uint8)
        return np.unpackbits(octets, bitorder="little")[first % 8 :][:count].view(np.bool_)

    def valid(self) -> npt.NDArray[np.bool_] | None:
        """A copy of the mask of the slice: False for a null. None: the column has no mask."""
        if self.mask is None:
            return None
        found = np.asarray(self.mask)
        if self.descriptor.mask_is_bits:
            return self._bits(found)
        flags: npt.NDArray[np.bool_] = found[self.descriptor.offset :][: len(self)].view(np.uint8) != 0
        return flags

    def _ranges(self) -> list[tuple[int, int]]:
        """Checked after they were copied: they are in another process's memory."""
        assert self.offsets is not None
        limit = self.data.shape[0] if self.data is not None else len(self.children[0])
        ends = np.array(self.offsets, np.int64)
        if ends.size and (ends[0] < 0 or ends[-1] > limit or (np.diff(ends) < 0).any()):
            raise IpcError(f"column {self.name!r}: its offsets do not lie in the {limit} elements that there are")
        return list(zip(ends[:-1].tolist(), ends[1:].tolist()))

    def to_list(self) -> list[Any]:
        """A copy in Python's own objects: None for nulls, `str`, lists, dictionaries."""
        found: list[Any]
        first, count = self.descriptor.offset, len(self)
        if self.schema == "n":
            return [None] * count
        if self.dictionary is not None:
            words = dict(enumerate(self.dictionary.to_list()))
            found = [words.get(index) for index in self.values().tolist()]
        elif self.schema.startswith("+w:"):
            size, elements = int(self.schema[3:]), self.children[0].to_list()
            found = [elements[i * size : (i + 1) * size] for i in range(first, first + count)]
        elif self.schema.startswith("d:"):
            found = self._decimals()
        elif self.offsets is not None and self.data is not None:
            characters = np.asarray(self.data).tobytes()
            found = [characters[first:end].decode() for first, end in self._ranges()]
        elif self.offsets is not None:
            elements = self.children[0].to_list()
            found = [elements[first:end] for first, end in self._ranges()]
        elif self.data is not None:
            found = self.values().tolist()
        else:
            fields = [child.to_list()[self.descriptor.offset :][: len(self)] for child in self.children]
            names = [child.name for child in self.children]
            found = [dict(zip(names, row)) for row in zip(*fields)] if fields else [{} for _ in range(len(self))]
        valid = self.valid()
        return found if valid is None else [one if there else None for one, there in zip(found, valid.tolist())]

    def _decimals(self) -> list[Decimal]:
        """Exact, whatever the precision of Python's decimal context."""
        scale = int(self.schema[2:].split(",")[1])
        found = self.values()
        size = found.dtype.itemsize
        octets = found.tobytes()
        numbers = [int.from_bytes(octets[i : i + size], "little", signed=True) for i in range(0, len(octets), size)]
        return [Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -scale)) for n in numbers]

    @property
    def __arrow_c_array__(self) -> Callable[..., tuple[object, object]]:
        """Of columns in host memory: `pyarrow.array(column)`, and of a struct `pyarrow.record_batch(column)`, use the
        other process's memory, with leases of their own. Masks and bools that are bytes are copied. The other process
        is trusted not to change offsets and indices, which are checked once. A requested schema is ignored: the
        consumer converts. Raises as `attach`; IpcError, if offsets or indices lead outside."""
        return _arrow_in("host", self.descriptor, "__arrow_c_array__")

    @property
    def __arrow_c_device_array__(self) -> Callable[..., tuple[object, object]]:
        """The same of columns in device memory. Raises ExchangeError, if masks or bools there are bytes."""
        return _arrow_in("device", self.descriptor, "__arrow_c_device_array__")

    def __getitem__(self, name: str) -> AttachedColumn:
        """The field of a struct. Slices are made of descriptors: `attach_column(column.descriptor[2:9])`."""
        if not isinstance(name, str):
            raise SelectionError(f"found {name!r}, expected the name of a field")
        for child in self.children:
            if child.name == name:
                return child
        raise KeyError(name)

    def close(self) -> None:
        """As `Attached.close`, of all arrays."""
        for array in (self.data, self.offsets, self.mask):
            if array is not None:
                array.close()
        for child in [*self.children, *filter(None, [self.dictionary])]:
            child.close()

    def __enter__(self) -> AttachedColumn:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tessera.AttachedColumn {self.name!r} {self.schema!r} of {len(self)}>"


def attach_column(descriptor: ColumnDescriptor | str) -> AttachedColumn:
    """The column of a descriptor, or of a slice of one, `attach_column(descriptor[64:96])`, with leases to read.

    Raises as `attach`; IpcError, if the column contradicts itself.
    """
    return AttachedColumn(ColumnDescriptor(descriptor) if isinstance(descriptor, str) else descriptor)
