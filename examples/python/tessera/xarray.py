"""xarray's datasets, read by tessera.

    xarray.open_dataset("ocean.zarr", engine="tessera", chunks={})

Elements are read when they are needed, and only those. CF conventions (masks, scales, times) are decoded by xarray.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

from xarray import Dataset, DataTree, Variable
from xarray.backends import AbstractDataStore, BackendArray, BackendEntrypoint
from xarray.backends.common import datatree_from_dict_with_io_cleanup
from xarray.backends.store import StoreBackendEntrypoint
from xarray.backends.zarr import FillValueCoder
from xarray.core import indexing

from ._array import Array
from ._errors import DeviceError, MetadataError, NodeNotFound
from ._group import Group
from ._open import open_group

_V2_DIMENSIONS = "_ARRAY_DIMENSIONS"


class _Elements(BackendArray):
    """An array, to be indexed lazily."""

    __slots__ = ("_array", "dtype", "shape")

    def __init__(self, array: Array) -> None:
        self._array, self.shape, self.dtype = array, array.shape, array.dtype

    def _of(self, key: indexing.ExplicitIndexer) -> Any:
        if isinstance(key, indexing.VectorizedIndexer):
            return self._array.vindex
        return self._array.oindex if isinstance(key, indexing.OuterIndexer) else self._array

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        def read(index: Any) -> Any:
            found = self._of(key)[index]
            return _on_device(found) if self._array.space == "device" else found

        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.VECTORIZED, read)

    async def async_getitem(self, key: indexing.ExplicitIndexer) -> Any:
        async def read(index: Any) -> Any:
            return self._array._shown(await self._of(key).read_async(index))

        return await indexing.async_explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.VECTORIZED, read
        )


def _on_device(tensor: Any) -> Any:
    try:
        cupy = importlib.import_module("cupy")
    except ImportError as error:
        raise DeviceError(f"found space='device' without CuPy, whose arrays xarray has on a device: {error}") from error
    return cupy.from_dlpack(tensor)


def _variable(array: Array, masks_fill: bool | None) -> Variable:
    if array.dtype.kind in "TO":  # strings, which have no memory in other spaces
        array = Array(array._native, array._store, array.path)
    document = array._document
    attributes, names = dict(document.get("attributes", {})), array.dimension_names
    is_v2 = document["zarr_format"] == 2
    of_v2 = attributes.pop(_V2_DIMENSIONS, None) if is_v2 or not names else None
    dimensions = names or of_v2 or ()
    if len(dimensions) != array.ndim or None in dimensions:
        member = _V2_DIMENSIONS if is_v2 else "dimension_names"
        error = MetadataError(
            f"{array.store_path}: found {member} {list(dimensions)}, expected {array.ndim}: "
            "xarray needs a name for each dimension"
        )
        error.store, error.key = array._store.folder, array.path
        raise error
    encoding: dict[str, Any] = {}
    if document["chunk_grid"]["name"] == "regular":
        encoding = {
            "chunks": array.chunks,
            "preferred_chunks": dict(zip(dimensions, array.chunks)),
            "shards": array.shards,
        }
    if array.dtype.kind == "T":  # otherwise xarray makes objects of strings, and forgets the chunks
        encoding["dtype"] = array.dtype
    fill = array.fill_value
    if is_v2 if masks_fill is None else masks_fill:
        if fill is not None:
            attributes["_FillValue"] = fill
    else:
        if not is_v2:
            encoding["fill_value"] = fill
        if "_FillValue" in attributes:
            attributes["_FillValue"] = FillValueCoder.decode(attributes["_FillValue"], array.dtype)
    shown = {name: value for name, value in attributes.items() if not (is_v2 and name.lower().startswith("_nc"))}
    return Variable(dimensions, indexing.LazilyIndexedArray(_Elements(array)), shown, encoding)


class _Variables(AbstractDataStore):
    """The arrays of a group."""

    __slots__ = ("_group", "_left_out", "_masks_fill")

    def __init__(self, group: Group, left_out: set[str], masks_fill: bool | None) -> None:
        self._group, self._left_out, self._masks_fill = group, left_out, masks_fill

    def get_variables(self) -> dict[str, Variable]:
        names = [name for name in self._group.array_keys() if name not in self._left_out]
        return {name: _variable(self._group[name], self._masks_fill) for name in names}

    def get_attrs(self) -> dict[str, Any]:
        return {name: one for name, one in self._group.attrs.asdict().items() if not name.lower().startswith("_nc")}

    def get_dimensions(self) -> dict[str, int]:
        return {str(name): n for one in self.get_variables().values() for name, n in one.sizes.items()}

    def get_encoding(self) -> dict[str, Any]:
        return {"source": self._group.store_path}


def _group_of(
    place: Any, group: str | None, space: str, consolidated: bool | None, storage_options: Mapping[str, Any] | None
) -> Group:
    if isinstance(place, Group):
        root = place
    else:
        if isinstance(place, str):  # as xarray's engines have it; other paths begin with no "~/"
            place = os.path.expanduser(place)
        root = open_group(place, space, mode="r", storage_options=storage_options, use_consolidated=consolidated)
    name = (group or "").strip("/")
    if not name:
        return root
    found = root[name] if name in root else None
    if not isinstance(found, Group):
        raise NodeNotFound(f"{root.store_path}: there is no group {name}")
    return found


class Backend(BackendEntrypoint):
    """`engine="tessera"`. `filename_or_obj` is an address, as of `tessera.open`, or a tessera.Group."""

    description = "Zarr in folders, zip files and buckets, and on web servers, read by tessera"
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Never: the engine is chosen by its name."""
        return False

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: bool = True,
        decode_times: bool = True,
        concat_characters: bool = True,
        decode_coords: bool = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: bool | None = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        space: str = "host",
        consolidated: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
        use_zarr_fill_value_as_mask: bool | None = None,
    ) -> Dataset:
        """`group`: below the address. `space`, `storage_options`: as of `tessera.open`; 'device' needs CuPy.
        `consolidated` is its use_consolidated. `use_zarr_fill_value_as_mask`: elements with the array's fill value are
        missing; None: in Zarr v2."""
        found = _group_of(filename_or_obj, group, space, consolidated, storage_options)
        return _dataset(
            found, use_zarr_fill_value_as_mask, drop_variables, mask_and_scale=mask_and_scale,
            decode_times=decode_times, concat_characters=concat_characters, decode_coords=decode_coords,
            use_cftime=use_cftime, decode_timedelta=decode_timedelta,
        )  # fmt: skip

    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        group: str | None = None,
        drop_variables: str | Iterable[str] | None = None,
        space: str = "host",
        consolidated: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
        use_zarr_fill_value_as_mask: bool | None = None,
        **decoding: Any,
    ) -> dict[str, Dataset]:
        """Each group, by its path from `group`; otherwise as open_dataset."""
        root = _group_of(filename_or_obj, group, space, consolidated, storage_options)
        return {
            f"/{name}": _dataset(one, use_zarr_fill_value_as_mask, drop_variables, **decoding)
            for name, one in [("", root), *root._groups_below()]
        }

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> DataTree:
        """As open_groups_as_dict."""
        found: DataTree = datatree_from_dict_with_io_cleanup(self.open_groups_as_dict(filename_or_obj, **options))
        return found


def _dataset(group: Group, masks_fill: bool | None, drop: str | Iterable[str] | None, **decoding: Any) -> Dataset:
    left_out = {drop} if isinstance(drop, str) else set(drop or ())
    return StoreBackendEntrypoint().open_dataset(_Variables(group, left_out, masks_fill), **decoding)
