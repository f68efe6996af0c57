"""Groups, and opening and making nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _stores, _tessera
from ._array import Array
from ._attributes import Attributes
from ._create import document
from ._errors import StoreError
from ._spaces import space_of
from ._stores import Address


def _is_name(name: str) -> bool:
    try:
        return bool(_stores.expect_name(name))
    except StoreError:
        return False


def _open(store: _tessera.Store, path: str, space: str) -> Array | Group:
    kind = store.node_type(path)
    if kind == "group":
        return Group(store, path, space)
    return Array(store.open_array(path), store, path, space)  # which names the cause, if nothing is there


def open(
    url_or_path: Address,
    space: str = "host",
    *,
    device: int | None = None,
    decode: str = "host",
    trusted: bool = False,
) -> Any:
    """Opens an array or a group: `tessera.open("brain.zarr/t1")`. It is in a folder; in a bucket,
    "s3://bucket/brain.zarr/t1"; in a zip file, "brain.zip/t1"; or below an address, "https://host/brain.zarr/t1". The
    last two are read only, and a server has no listing: a group shows its members by consolidated metadata.

    Elements are read into memory of `space`: 'host'; 'device', the memory of the calling thread's CUDA device when the
    module first needs one; 'pinned', page-locked host memory, for copies to a device. For a group this applies to its
    arrays.

    For `space="device"`: `device` is the number of another device. `decode` says who decodes: the "host"; "auto",
    nvCOMP on the device if the bytes are checked before, by `crc32c` after the compressor, otherwise the host;
    "device", nvCOMP: an array whose chunks it cannot decode, or must not, is refused at its first read. nvCOMP's
    behaviour is undefined for damaged bytes: with `trusted=True` you vouch for bytes that nothing checks. The host
    encodes.
    Raises DeviceError, which names the cause, if CUDA, the device or nvCOMP is missing.
    """
    return _open(*_stores.find(url_or_path), space_of(space, device, decode, trusted))


def create_array(
    url_or_path: Address,
    *,
    shape: int | Sequence[int],
    dtype: Any,
    chunks: int | Sequence[int] | None = None,
    shards: int | Sequence[int] | None = None,
    filters: Any = None,
    compressors: Any = "auto",
    fill_value: Any = None,
    attributes: Mapping[str, Any] | None = None,
    dimension_names: Sequence[str | None] | None = None,
    overwrite: bool = False,
) -> Array:
    """Makes an array: zarr-python's arguments and defaults. Shapes are in elements.

    Codecs are dictionaries as in zarr.json, or objects of zarr.codecs.
    """
    store, path = _stores.find(url_or_path, writes=True)
    made = document(
        shape=shape, dtype=dtype, chunks=chunks, shards=shards, filters=filters, compressors=compressors,
        fill_value=fill_value, attributes=attributes, dimension_names=dimension_names,
    )  # fmt: skip
    return Array(store.create_array(path, json.dumps(made), overwrite), store, path)


def create_group(
    url_or_path: Address, *, attributes: Mapping[str, Any] | None = None, overwrite: bool = False
) -> Group:
    store, path = _stores.find(url_or_path, writes=True)
    store.create_group(path, json.dumps(dict(attributes or {})), overwrite)
    return Group(store, path)


class Group(Mapping[str, Any]):
    """Arrays and groups by their names: `group["scan/t1"]`."""

    def __init__(self, store: _tessera.Store, path: str, space: str = "host") -> None:
        self._store = store
        self.path = path
        self.space = space  # for arrays opened from it

    @property
    def attrs(self) -> Attributes:
        return Attributes(self._store, self.path)

    def _below(self, name: str) -> str:
        _stores.expect_name(name)
        return f"{self.path}/{name}" if self.path else name

    def __getitem__(self, name: str) -> Any:
        if self._store.node_type(self._below(name)) is None:
            raise KeyError(name)
        return _open(self._store, self._below(name), self.space)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _is_name(name) and self._store.node_type(self._below(name)) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._store.children(self.path))

    def __len__(self) -> int:
        return len(self._store.children(self.path))

    def __delitem__(self, name: str) -> None:
        if not self._store.erase(self._below(name)):
            raise KeyError(name)

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Those one level below, by name."""
        return ((name, self[name]) for name, kind in self._store.children(self.path) if kind == "array")

    def groups(self) -> Iterator[tuple[str, Group]]:
        """Those one level below, by name."""
        return ((name, self[name]) for name, kind in self._store.children(self.path) if kind == "group")

    def create_array(self, name: str, *, overwrite: bool = False, **description: Any) -> Array:
        """As `tessera.create_array`."""
        made = document(**description)
        path = self._below(name)
        return Array(self._store.create_array(path, json.dumps(made), overwrite), self._store, path, self.space)

    def create_group(
        self, name: str, *, attributes: Mapping[str, Any] | None = None, overwrite: bool = False
    ) -> Group:
        self._store.create_group(self._below(name), json.dumps(dict(attributes or {})), overwrite)
        return Group(self._store, self._below(name), self.space)

    def __repr__(self) -> str:
        return f"<tessera.Group {self.path or '/'}>"
