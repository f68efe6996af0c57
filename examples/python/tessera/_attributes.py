"""The attributes of a node, as a dictionary in the store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from ._stores import Store


class Attributes(MutableMapping[str, Any]):
    """Each access reads the node's document. Each change replaces only the attributes that it names, so that programs
    which change different ones at the same time lose none."""

    def __init__(self, store: Store, path: str) -> None:
        self._store, self._path = store, path

    def asdict(self) -> dict[str, Any]:
        attributes: dict[str, Any] = json.loads(self._store.native.attributes(self._path))
        return attributes

    def put(self, attributes: Mapping[str, Any]) -> None:
        """Replaces all of them."""
        self._store.expect_writable(self._path)
        self._store.native.set_attributes(self._path, json.dumps(dict(attributes)))

    def update(self, *given: Any, **named: Any) -> None:
        self._store.expect_writable(self._path)
        self._store.native.merge_attributes(self._path, json.dumps(dict(*given, **named)))

    def __getitem__(self, name: str) -> Any:
        return self.asdict()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        self._store.expect_writable(self._path)
        if not self._store.native.erase_attribute(self._path, name):
            raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.asdict())

    def __len__(self) -> int:
        return len(self.asdict())

    def __repr__(self) -> str:
        return f"Attributes({self.asdict()!r})"
