"""Opening and making nodes, by zarr-python's modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _stores
from ._array import Array
from ._errors import MetadataError
from ._group import Group, made_array, made_group, make_or_open, open_node
from ._spaces import space_of
from ._stores import Address


def _opened(
    address: Address,
    space: str,
    mode: str | None,
    storage_options: Mapping[str, Any] | None,
    use_consolidated: bool | None,
    is_array: bool,
    description: dict[str, Any],
) -> Any:
    store, path = _stores.find(address, mode, storage_options)
    if mode in (None, "r", "r+"):
        if description:
            names = ", ".join(sorted(description))
            raise ValueError(f"found {names}, which describe a new node, expected mode 'a', 'w' or 'w-'")
        return open_node(store, path, space, use_consolidated)

    def make() -> Any:
        if is_array:
            return made_array(store, path, space, mode == "w", description)
        unknown = sorted(description.keys() - {"attributes"})
        if unknown:
            raise ValueError(f"found {', '.join(unknown)}, expected a shape too, or attributes alone for a group")
        return made_group(store, path, space, mode == "w", description.get("attributes"))

    if mode != "a":
        return make()
    if store.native.node_type(path) is not None:
        return open_node(store, path, space, use_consolidated)
    return make_or_open(store, path, make, lambda: open_node(store, path, space, use_consolidated))


def open(
    url_or_path: Address,
    space: str = "host",
    *,
    mode: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    use_consolidated: bool | None = None,
    device: int | None = None,
    decode: str = "host",
    trusted: bool = False,
    **description: Any,
) -> Any:
    """Opens an array or a group: `tessera.open("brain.zarr/t1")`. It is in a folder; in a bucket,
    "s3://bucket/brain.zarr/t1"; in a zip file, "brain.zip/t1"; or below an address, "https://host/brain.zarr/t1". The
    last is read only, and a server has no listing: a group shows its members by consolidated metadata. Also read only
    are a snapshot of an Icechunk repository, "s3://bucket/repository|icechunk://branch.main/t1", by a branch, "tag.v1"
    or a snapshot's id; and the arrays of a references file, "refs.json/t1". Of the options, each store that these name
    gets those of its kind; another host gets no headers and no tokens.

    `mode`: None opens what is there, for what its store allows, zip files to read; "r" to read, "r+" also to write; "a"
    makes it, if it is missing; "w" replaces it; "w-" makes it, and raises MetadataError, or StoreError of a zip file,
    if it is there. What is made is an array, if there is a `shape`: with `create_array`'s arguments; otherwise a group,
    with its `attributes`. A zip file that is written is an end of `with`, or `close()`: until then it stays as it was.

    `storage_options`: by fsspec's names. For "s3://": endpoint_url, region, key, secret, token, profile, anon; and
    addressing_style, one_writer. For "gs://": key and secret of HMAC, or token. For "az://account/container" and
    "abfs://": account_key, sas_token or token. For "http://": headers; missing, status codes. For all: retries,
    most_at_once, certificates. No message shows their values. A pickle of the result has them.

    `use_consolidated`: None, if there is consolidated metadata; True, it must be there; False, it is ignored.

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
    is_array = "shape" in description
    where = space_of(space, device, decode, trusted)
    return _opened(url_or_path, where, mode, storage_options, use_consolidated, is_array, description)


def open_array(
    url_or_path: Address,
    space: str = "host",
    *,
    mode: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    device: int | None = None,
    decode: str = "host",
    trusted: bool = False,
    **description: Any,
) -> Array:
    """As `open`. Raises MetadataError, if a group is there."""
    where = space_of(space, device, decode, trusted)
    found = _opened(url_or_path, where, mode, storage_options, None, True, description)
    if not isinstance(found, Array):
        raise MetadataError(f"{found.store_path}: found a group, expected an array")
    return found


def open_group(
    url_or_path: Address,
    space: str = "host",
    *,
    mode: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    use_consolidated: bool | None = None,
    attributes: Mapping[str, Any] | None = None,
    device: int | None = None,
    decode: str = "host",
    trusted: bool = False,
) -> Group:
    """As `open`. Raises MetadataError, if an array is there."""
    description = {} if attributes is None else {"attributes": attributes}
    where = space_of(space, device, decode, trusted)
    found = _opened(url_or_path, where, mode, storage_options, use_consolidated, False, description)
    if not isinstance(found, Group):
        raise MetadataError(f"{found.store_path}: found an array, expected a group")
    return found


def create_array(
    url_or_path: Address,
    *,
    shape: int | Sequence[int],
    dtype: Any,
    chunks: int | Sequence[int] | str | None = None,
    shards: int | Sequence[int] | None = None,
    filters: Any = None,
    compressors: Any = "auto",
    fill_value: Any = None,
    attributes: Mapping[str, Any] | None = None,
    dimension_names: Sequence[str | None] | None = None,
    overwrite: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> Array:
    """Makes an array: zarr-python's arguments and defaults. Shapes are in elements.

    Codecs are dictionaries as in zarr.json, or objects of zarr.codecs.
    """
    store, path = _stores.find_to_make(url_or_path, storage_options)
    description = dict(
        shape=shape, dtype=dtype, chunks=chunks, shards=shards, filters=filters, compressors=compressors,
        fill_value=fill_value, attributes=attributes, dimension_names=dimension_names,
    )  # fmt: skip
    return made_array(store, path, "host", overwrite, description)


def create_group(
    url_or_path: Address,
    *,
    attributes: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> Group:
    store, path = _stores.find_to_make(url_or_path, storage_options)
    return made_group(store, path, "host", overwrite, attributes)


def consolidate_metadata(url_or_path: Address, *, storage_options: Mapping[str, Any] | None = None) -> Group:
    """`Group.consolidate_metadata` of the group there."""
    return open_group(url_or_path, mode="r+", storage_options=storage_options).consolidate_metadata()
