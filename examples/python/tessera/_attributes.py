"""The attributes of a node, as a dictionary in the store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from . import _tessera


class Attributes(MutableMapping[str, Any]):
    """Each access reads the node's zarr.json, and each change replaces it."""

    def __init__(self, store: _tessera.Store, path: str) -> None:
        self._store, self._path = store, path

    def asdict(self) -> dict[str, Any]:
        attributes: dict[str, Any] = json.loads(self._store.attributes(self._path))
        return attributes

    def put(self, attributes: Mapping[str, Any]) -> None:
        """Replaces all of them."""
        self._store.set_attributes(self._path, json.dumps(dict(attributes)))

    def update(self, *given: Any, **named: Any) -> None:
        self.put(self.asdict() | dict(*given, **named))

    def __getitem__(self, name: str) -> Any:
        return self.asdict()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.put(self.asdict() | {name: value})

    def __delitem__(self, name: str) -> None:
        attributes = self.asdict()
        del attributes[name]
        self.put(attributes)

    def __iter__(self) -> Iterator[str]:
        return iter(self.asdict())

    def __len__(self) -> int:
        return len(self.asdict())

    def __repr__(self) -> str:
        return f"Attributes({self.asdict()!r})"
