"""The attributes of a node, as a dictionary in the store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from ._errors import MetadataError
from ._stores import Store


def attributes_in_json(attributes: Any) -> str:
    """Raises MetadataError for text that is not UTF-8; TypeError for what JSON has not, as of zarr-python."""
    found = json.dumps(dict(attributes), ensure_ascii=False)
    try:
        found.encode()
    except UnicodeEncodeError as error:
        raise MetadataError(f"found {error.object[error.start]!r} in attributes, expected text in UTF-8") from None
    return found


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
        self._store.native.set_attributes(self._path, self._in_json(attributes))

    def update(self, *given: Any, **named: Any) -> None:
        self._store.expect_writable(self._path)
        self._store.native.merge_attributes(self._path, self._in_json(dict(*given, **named)))

    def __getitem__(self, name: str) -> Any:
        return self.asdict()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        self._store.expect_writable(self._path)
        if not isinstance(name, str) or not self._store.native.erase_attribute(self._path, name):
            raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.asdict())

    def __len__(self) -> int:
        return len(self.asdict())

    def _in_json(self, attributes: Mapping[str, Any]) -> str:
        try:
            return attributes_in_json(attributes)
        except MetadataError as error:
            folder = self._store.folder
            placed = MetadataError(f"{folder}{'/' if self._path else ''}{self._path}: {error}")
            placed.store, placed.key = folder, self._path
            raise placed from None

    def __repr__(self) -> str:
        return f"Attributes({self.asdict()!r})"
