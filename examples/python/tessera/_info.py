"""What an array is, for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from ._stores import Store


@dataclass(frozen=True)
class ArrayInfo:
    """Shapes are in elements. `str(info)` has a line for each member that is known."""

    zarr_format: int
    data_type: str
    shape: tuple[int, ...]
    chunk_shape: tuple[int, ...]
    shard_shape: tuple[int, ...] | None
    fill_value: Any
    dimension_names: tuple[str | None, ...] | None
    codecs: tuple[str, ...]  # those of the chunks, in the order of encoding
    store: str
    read_only: bool
    nbytes: int  # of all elements
    stored_chunks: int | None = None  # or shards
    nbytes_stored: int | None = None

    @property
    def ratio(self) -> float | None:
        """How much smaller the stored bytes are."""
        return self.nbytes / self.nbytes_stored if self.nbytes_stored else None

    def __str__(self) -> str:
        known = [(field.name, getattr(self, field.name)) for field in fields(self)] + [("ratio", self.ratio)]
        return "\n".join(f"{name:<16}{_text(value)}" for name, value in known if value is not None)

    __repr__ = __str__


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "()"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _names(codecs: Iterable[dict[str, Any] | str]) -> tuple[str, ...]:
    return tuple(codec if isinstance(codec, str) else str(codec["name"]) for codec in codecs)


def info_of(document: dict[str, Any], nbytes: int, store: Store, stored: tuple[int, int] | None = None) -> ArrayInfo:
    """`stored`: how many values the array has in its store, and their bytes."""
    grid, codecs = document["chunk_grid"]["configuration"], document["codecs"]
    outer = tuple(grid.get("chunk_shape", grid.get("chunk_shapes", ())))
    shards = [codec["configuration"] for codec in codecs if codec["name"] == "sharding_indexed"]
    names = document.get("dimension_names")
    return ArrayInfo(
        zarr_format=document["zarr_format"],
        data_type=str(document["data_type"]),
        shape=tuple(document["shape"]),
        chunk_shape=tuple(shards[0]["chunk_shape"]) if shards else outer,
        shard_shape=outer if shards else None,
        fill_value=document["fill_value"],
        dimension_names=None if names is None else tuple(names),
        codecs=_names(shards[0]["codecs"] if shards else codecs),
        store=store.folder,
        read_only=store.read_only,
        nbytes=nbytes,
        stored_chunks=None if stored is None else stored[0],
        nbytes_stored=None if stored is None else stored[1],
    )
