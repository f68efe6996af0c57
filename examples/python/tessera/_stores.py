"""The place of a node: the store that a path or an address names, and the node's path in it."""

from __future__ import annotations

import importlib
import os
import pathlib
from typing import Any
from urllib.parse import unquote, urlsplit

from . import _tessera
from ._errors import StoreError

Address = str | bytes | os.PathLike[str] | os.PathLike[bytes]

_HOW_TO = {
    "gs": "a public bucket is read over HTTPS, https://storage.googleapis.com/BUCKET/PATH",
    "gcs": "a public bucket is read over HTTPS, https://storage.googleapis.com/BUCKET/PATH",
    "az": "a public container is read over HTTPS, https://ACCOUNT.blob.core.windows.net/CONTAINER/PATH",
    "abfs": "a public container is read over HTTPS, https://ACCOUNT.blob.core.windows.net/CONTAINER/PATH",
}


def expect_name(name: str, what: str = "path") -> str:
    """Raises StoreError for text that is not a Zarr key: not UTF-8, as file names may be, or with a NUL."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise StoreError(f"{name!r}: the {what} is not UTF-8, which the names of Zarr are") from None
    if "\0" in name:
        raise StoreError(f"{name!r}: the {what} has a NUL, which no name has")
    return name


def _is_zip(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"PK"
    except OSError:
        return False


def is_folder(store: _tessera.Store) -> bool:
    """False: below an address, or in a zip file."""
    return "://" not in store.folder and not os.path.isfile(store.folder)


def _extension(name: str, path: str, library: str, package: str) -> Any:
    try:
        return importlib.import_module(f"tessera.{name}")
    except ModuleNotFoundError:
        raise StoreError(
            f"{path}: this module was built without {library}, which this store needs: install it ({package} of Debian) "
            "and build the module again, pip install --force-reinstall ./examples/python"
        ) from None
    except ImportError as error:
        raise StoreError(f"{path}: {library} is missing, which this store needs: {error}") from error


def _root_of(path: str) -> tuple[_tessera.Store, str]:
    """The hierarchy's root, whose locks and groups apply to the nodes below it."""
    node = pathlib.Path(os.path.abspath(path))
    above = next((folder for folder in (node, *node.parents) if folder.exists()), node)  # new nodes may be levels down
    if os.path.isfile(above) and _is_zip(str(above)):
        store = _extension("_zip", path, "libzip", "libzip-dev").store(str(above))
        return store, "/".join(node.relative_to(above).parts)
    root, above = node, above if above != node else node.parent
    for folder in (above, *above.parents):
        if not (folder / "zarr.json").exists():
            break
        root = folder
    return _tessera.Store(str(root)), "/".join(node.relative_to(root).parts)


def find(address: Address, writes: bool = False) -> tuple[_tessera.Store, str]:
    """The store, and the node's path in it. Raises StoreError, which names the missing part for this address."""
    path = expect_name(os.fsdecode(address))
    scheme, separator, _ = path.partition("://")
    if not separator or "/" in scheme:
        store, node = _root_of(path)
    elif scheme == "file":
        store, node = _root_of(expect_name(unquote(urlsplit(path).path)))
    elif scheme in ("http", "https"):
        store, node = _extension("_http", path, "libcurl", "libcurl4-openssl-dev").store(path), ""
    elif scheme == "s3":  # endpoint, region and credentials come from the environment
        extension = _extension("_s3", path, "libcurl or libcrypto", "libcurl4-openssl-dev, libssl-dev")
        store, node = extension.store(path), ""
    else:
        how = f"{_HOW_TO[scheme]}; " if scheme in _HOW_TO else ""
        raise StoreError(
            f"{path}: this module has no store for {scheme}://, but for paths, file://, http://, https:// and s3://: {how}"
            "zarr-python reads others by zarr.storage.FsspecStore, with tessera's codecs if you set "
            "codec_pipeline.path to tessera.zarr.CodecPipeline"
        )
    if writes and scheme != "s3" and not is_folder(store):
        error = StoreError(f"{path}: stores over HTTP and in zip files are read only: make the node in a folder")
        error.store = store.folder
        raise error
    return store, node
