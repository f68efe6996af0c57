"""Groups, and how nodes are opened and made."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from . import _tessera
from ._array import Array
from ._attributes import Attributes
from ._create import document
from ._errors import StoreError
from ._spaces import expect_space


def _folder(url_or_path: str | os.PathLike[str]) -> str:
    path = os.fspath(url_or_path)
    if path.startswith("file://"):
        return unquote(urlsplit(path).path)
    if "://" in path:
        raise StoreError(f"{path}: found a URL, expected a path or file://")
    return path


def _root_of(path: str) -> tuple[str, str]:
    """The folder of the hierarchy's root, and the node's path from there: locks and groups above are the root's."""
    node = pathlib.Path(os.path.abspath(path))
    above = next((folder for folder in node.parents if folder.exists()), node)  # new nodes may be several levels down
    root = node
    for folder in (above, *above.parents):
        if not (folder / "zarr.json").exists():
            break
        root = folder
    return str(root), "/".join(node.relative_to(root).parts)


def _open(store: _tessera.Store, path: str, space: str) -> Array | Group:
    kind = store.node_type(path)
    if kind == "group":
        return Group(store, path, space)
    return Array(store.open_array(path), store, path, space)  # which says what is missing, if nothing is there


def open(url_or_path: str | os.PathLike[str], space: str = "host") -> Any:
    """Opens an array or a group: `tessera.open("brain.zarr/t1")`.

    Elements are read into memory of `space`: 'host'; 'device', that of the CUDA device that is the calling thread's when
    the module first needs one; 'pinned', page-locked memory of the host's, for copies to a device. Of a group, those of
    its arrays are. Raises DeviceError, which says what is missing, where CUDA is not.
    """
    expect_space(space)
    folder, path = _root_of(_folder(url_or_path))
    return _open(_tessera.Store(folder), path, space)


def create_array(
    url_or_path: str | os.PathLike[str],
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
    folder, path = _root_of(_folder(url_or_path))
    made = document(
        shape=shape, dtype=dtype, chunks=chunks, shards=shards, filters=filters, compressors=compressors,
        fill_value=fill_value, attributes=attributes, dimension_names=dimension_names,
    )  # fmt: skip
    store = _tessera.Store(folder)
    return Array(store.create_array(path, json.dumps(made), overwrite), store, path)


def create_group(
    url_or_path: str | os.PathLike[str], *, attributes: Mapping[str, Any] | None = None, overwrite: bool = False
) -> Group:
    folder, path = _root_of(_folder(url_or_path))
    store = _tessera.Store(folder)
    store.create_group(path, json.dumps(dict(attributes or {})), overwrite)
    return Group(store, path)


class Group(Mapping[str, Any]):
    """Arrays and groups by their names: `group["scan/t1"]`."""

    def __init__(self, store: _tessera.Store, path: str, space: str = "host") -> None:
        self._store = store
        self.path = path
        self.space = space  # of the arrays that are opened of it

    @property
    def attrs(self) -> Attributes:
        return Attributes(self._store, self.path)

    def _below(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name

    def __getitem__(self, name: str) -> Any:
        if self._store.node_type(self._below(name)) is None:
            raise KeyError(name)
        return _open(self._store, self._below(name), self.space)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._store.node_type(self._below(name)) is not None

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
