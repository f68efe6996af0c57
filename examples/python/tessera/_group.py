"""Groups."""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _stores, _tessera
from ._array import Array, opened
from ._attributes import attributes_in_json
from ._create import document
from ._errors import Error, MetadataError, StoreError
from ._node import Node


class Tree(str):
    """A drawing of a hierarchy, which a prompt shows as it is."""

    def __repr__(self) -> str:
        return str(self)


class Group(Node, Mapping[str, Any]):
    """Arrays and groups by their names: `group["scan/t1"]`. With consolidated metadata it shows what is below as it was
    when the group was opened, or changed by this object; otherwise as it is now."""

    def __init__(
        self,
        store: _stores.Store,
        path: str,
        space: str = "host",
        use_consolidated: bool | None = None,
        native: _tessera.Group | None = None,
        above: tuple[Group, str] | None = None,
    ) -> None:
        self._store = store
        self.path = path
        self.space = space  # for arrays opened from it
        self._wanted = use_consolidated
        self._opened = native
        self._above = above  # the group whose consolidated metadata this one shows, and the name there

    @property
    def _native(self) -> _tessera.Group:
        opened = self._opened  # another thread may change the group
        if opened is None:
            opened = self._opened = _tessera.Group(self._store.native, self.path, self._wanted)
        return opened

    def _changes(self) -> None:
        self._store.expect_writable(self.path)
        self._opened = self._above = None  # a change below removes consolidated metadata
        if self._wanted:
            self._wanted = None

    @property
    def is_consolidated(self) -> bool:
        """Whether it shows what is below by consolidated metadata."""
        return self._native.is_consolidated

    def _key_of(self, name: str) -> str:
        """As of zarr-python, "/a//b/" is "a/b". Raises StoreError for text that is not a Zarr key."""
        parts = [part for part in _stores.expect_name(name).split("/") if part]
        if "." in parts or ".." in parts:
            error = StoreError(f"{self.store_path}: found {name!r}, expected the name of a node, without '.' and '..'")
            error.store, error.key = self._store.folder, name
            raise error
        return "/".join(parts)

    def _below(self, name: str) -> str:
        name = self._key_of(name)
        if not name:  # with overwrite it would replace the group itself
            raise StoreError(f"{self.store_path}: found an empty name, expected that of a node in the group")
        return f"{self.path}/{name}" if self.path else name

    def _child(self, name: str, kind: str) -> Any:
        path = self._below(name)
        if kind == "group" and self._wanted is False:
            return Group(self._store, path, self.space, False)
        if kind == "group":
            above = (self, name) if self.is_consolidated else None
            return Group(self._store, path, self.space, None, self._native.open_group(name), above)
        return Array(self._native.open_array(name), self._store, path, self.space)

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError(f"found {name!r} of type {type(name).__name__}, expected the name of a node, a str")
        key = self._key_of(name)
        kind = self._native.node_type(key) if key else None
        if kind is None:
            raise KeyError(name)
        return self._child(key, kind)

    def __contains__(self, name: object) -> bool:
        try:
            key = self._key_of(name) if isinstance(name, str) else ""
        except StoreError:
            return False
        return key != "" and self._native.node_type(key) is not None

    # Not a Mapping's, which compares all that is below, and has no hash.
    __eq__ = Node.__eq__
    __hash__ = Node.__hash__

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._native.children())

    def __len__(self) -> int:
        return len(self._native.children())

    def __delitem__(self, name: str) -> None:
        if not self._key_of(name):  # which would be the group itself
            raise KeyError(name)
        path = self._below(name)
        self._changes()
        if not self._store.native.erase(path):
            raise KeyError(name)

    def array_keys(self) -> Iterator[str]:
        return (name for name, kind in self._native.children() if kind == "array")

    def group_keys(self) -> Iterator[str]:
        return (name for name, kind in self._native.children() if kind == "group")

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Those one level below, by name."""
        return ((name, self._child(name, "array")) for name in self.array_keys())

    def groups(self) -> Iterator[tuple[str, Group]]:
        """Those one level below, by name."""
        return ((name, self._child(name, "group")) for name in self.group_keys())

    def members(self, max_depth: int | None = 0) -> tuple[tuple[str, Array | Group], ...]:
        """What is below, by its path from here, each group before what is in it. 0 is one level, None all."""
        return tuple(self._members(max_depth))

    def _members(self, max_depth: int | None) -> Iterator[tuple[str, Array | Group]]:
        if max_depth is not None and max_depth < 0:
            raise ValueError(f"found max_depth={max_depth}, expected 0 or more, or None")
        for name, kind in self._native.children():
            node = self._child(name, kind)
            yield name, node
            if isinstance(node, Group) and max_depth != 0:
                deeper = node._members(None if max_depth is None else max_depth - 1)
                yield from ((f"{name}/{below}", one) for below, one in deeper)

    def _groups_below(self) -> Iterator[tuple[str, Group]]:
        for name, group in self.groups():
            yield name, group
            yield from ((f"{name}/{below}", one) for below, one in group._groups_below())

    def nmembers(self, max_depth: int | None = 0) -> int:
        return len(self.members(max_depth))

    def tree(self, level: int | None = None) -> Tree:
        """A drawing of what is below, `level` levels deep, or whole. An array that cannot be opened shows its error."""
        return Tree("\n".join([f"/{self.path}", *self._lines(level)]))

    def _lines(self, level: int | None) -> Iterator[str]:
        found = self._native.children() if level is None or level > 0 else []
        for i, (name, kind) in enumerate(found):
            is_last = i + 1 == len(found)
            branch, beside = ("└── ", "    ") if is_last else ("├── ", "│   ")
            try:
                node = self._child(name, kind)
            except Error as error:
                yield f"{branch}{name} ({type(error).__name__}: {error})"
                continue
            if isinstance(node, Array):
                yield f"{branch}{name} {node.shape} {node._native.dtype}"
                continue
            yield branch + name
            yield from (beside + line for line in node._lines(None if level is None else level - 1))

    def create_array(self, name: str, *, overwrite: bool = False, **description: Any) -> Array:
        """As `tessera.create_array`."""
        path = self._below(name)
        self._changes()
        return made_array(self._store, path, self.space, overwrite, description)

    def create_group(self, name: str, *, attributes: Mapping[str, Any] | None = None, overwrite: bool = False) -> Group:
        path = self._below(name)
        self._changes()
        return made_group(self._store, path, self.space, overwrite, attributes)

    def require_group(self, name: str) -> Group:
        """The group of that name, made if it is missing. Raises MetadataError, if an array has the name."""
        path = self._below(name)
        if name not in self:
            made = make_or_open(self._store, path, lambda: self.create_group(name), lambda: self._expected(name, Group))
        else:
            made = self._expected(name, Group)
        found: Group = made
        return found

    def require_array(self, name: str, *, shape: int | Sequence[int], dtype: Any, **description: Any) -> Array:
        """The array of that name, made as `create_array` makes it if it is missing. Raises MetadataError, if it has
        another shape or type, or a group has the name."""
        wanted = document(**_described({"shape": shape, "dtype": dtype, **description}))
        path = self._below(name)

        def made() -> Array:
            return self.create_array(name, shape=shape, dtype=dtype, **description)

        if name not in self:
            found = make_or_open(self._store, path, made, lambda: self._expected(name, Array))
        else:
            found = self._expected(name, Array)
        there = found._document
        for member in ("shape", "data_type"):
            if there[member] != wanted[member]:
                raise MetadataError(
                    f"{found.store_path}: found an array of {member} {there[member]}, expected {wanted[member]}"
                )
        array: Array = found
        return array

    def _expected(self, name: str, kind: type[Array | Group]) -> Any:
        found = self[name]
        if not isinstance(found, kind):
            words = ("a group", "an array") if kind is Array else ("an array", "a group")
            raise MetadataError(f"{found.store_path}: found {words[0]}, expected {words[1]}")
        return found

    def consolidate_metadata(self) -> Group:
        """Copies all documents below into this group's, so that one request reads them. A later change of a document
        below removes the copies. Returns the group with them."""
        self._store.expect_writable(self.path)
        self._store.native.consolidate(self.path)
        return Group(self._store, self.path, self.space)

    def __reduce__(self) -> tuple[Any, ...]:
        """Of its address and options; what is below stays where it is."""
        if self._above is not None:
            return operator.getitem, self._above
        return Group, (self._store, self.path, self.space, self._wanted)

    def __repr__(self) -> str:
        return f"<tessera.Group {self.path or '/'}>"


def _described(description: Mapping[str, Any]) -> Mapping[str, Any]:
    """Raises TypeError, if a new array needs more, or has no use for a part of it."""
    known = inspect.signature(document).parameters
    missing = [name for name in ("shape", "dtype") if name not in description]
    unknown = sorted(description.keys() - known.keys())
    if missing:
        raise TypeError(f"found no {' and no '.join(missing)}, expected a shape and a dtype for a new array")
    if unknown:
        raise TypeError(f"found {', '.join(unknown)}, expected of a new array's arguments: {', '.join(known)}")
    return description


def made_array(store: _stores.Store, path: str, space: str, overwrite: bool, description: Mapping[str, Any]) -> Array:
    made = document(**_described(description))
    store.expect_writable(path)
    return Array(store.native.create_array(path, json.dumps(made), overwrite), store, path, space)


def made_group(
    store: _stores.Store, path: str, space: str, overwrite: bool, attributes: Mapping[str, Any] | None
) -> Group:
    store.expect_writable(path)
    store.native.create_group(path, attributes_in_json(attributes or {}), overwrite)
    return Group(store, path, space)


def open_node(store: _stores.Store, path: str, space: str, use_consolidated: bool | None = None) -> Any:
    if store.native.node_type(path) == "group":
        native = _tessera.Group(store.native, path, use_consolidated)
        return Group(store, path, space, use_consolidated, native)
    return opened(store, path, space)  # which names the cause, if nothing is there


def make_or_open(store: _stores.Store, path: str, make: Any, open_it: Any) -> Any:
    """Another program may make the node meanwhile."""
    try:
        return make()
    except MetadataError:
        if store.native.node_type(path) is None:
            raise
    return open_it()
