"""What arrays and groups have in common."""

from __future__ import annotations

from typing import Self

from ._attributes import Attributes
from ._stores import Store


class Node:
    """A node of a store. `with` closes it, and leaves a zip file as it was after an exception."""

    _store: Store
    path: str  # from the store's root

    @property
    def attrs(self) -> Attributes:
        return Attributes(self._store, self.path)

    @property
    def read_only(self) -> bool:
        return self._store.read_only

    @property
    def store_path(self) -> str:
        """The node's own folder; below an address, its address."""
        return f"{self._store.folder}/{self.path}" if self.path else self._store.folder

    def close(self) -> None:
        """Ends the writing of a zip file: what was written since it was opened becomes the file. Other stores need
        none."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._store.close() if kind is None else self._store.discard()
