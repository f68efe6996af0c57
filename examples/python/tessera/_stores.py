"""The place of a node: the store that a path or an address names, and the node's path in it."""

from __future__ import annotations

import importlib
import os
import pathlib
import warnings
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from . import _tessera
from ._errors import StoreError
from ._options import Options, options_of

Address = str | bytes | os.PathLike[str] | os.PathLike[bytes]

_BUCKETS = ("s3", "gs", "az", "abfs")


_ZIP_SUFFIXES = (".zip", ".ozx")


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


def _extension(name: str, path: str, library: str, package: str) -> Any:
    try:
        return importlib.import_module(f"tessera.{name}")
    except ModuleNotFoundError:
        raise StoreError(
            f"{path}: this module was built without {library}, which this store needs: install it ({package} of Debian) "
            "and build the module again, in a clone of tessera: pip install --force-reinstall ."
        ) from None
    except ImportError as error:
        raise StoreError(f"{path}: {library} is missing, which this store needs: {error}") from error


def _shown(address: str) -> str:
    """Without a user and a password, and without what follows the path."""
    scheme, separator, rest = address.partition("://")
    if not separator or "/" in scheme:
        return address
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"


class Store:
    """A store, and what another process needs to open it: pickles have its address and options, also secret ones."""

    def __init__(
        self, kind: str, address: str, options: Mapping[str, Any], mode: str | None, draft: Any = None
    ) -> None:
        self.kind, self.address, self.mode = kind, address, mode
        self._options, self._draft = Options(options), draft
        self.native: _tessera.Store = self._made() if draft is None else draft.store
        self._is_unfinished = False  # a zip file with changes
        self._is_discarded = False

    def _made(self) -> Any:
        given = options_of(self.kind, _shown(self.address), self._options)
        if self.kind == "zip":
            return _extension("_zip", self.address, "libzip", "libzip-dev").store(self.address)
        if self.kind == "http":
            extension = _extension("_http", _shown(self.address), "libcurl", "libcurl4-openssl-dev")
            return extension.store(self.address, **given)
        if self.kind == "s3":  # what the options leave out comes from the environment
            needed = "libcurl4-openssl-dev, libssl-dev"
            return _extension("_s3", self.address, "libcurl or libcrypto", needed).store(self.address, **given)
        return _tessera.Store(self.address, given["follow_links"])

    @property
    def folder(self) -> str:
        """Or address."""
        return self.native.folder

    @property
    def read_only(self) -> bool:
        return self.mode == "r" or (self.kind in ("http", "zip") and self._draft is None)

    def expect_writable(self, path: str = "") -> None:
        """Called before each change. Raises StoreError, which says why the store is read only."""
        if self._is_discarded:
            problem = "an exception ended `with`, and the changes of the zip file were dropped: open it again"
            error = StoreError(f"{self.folder}: {problem}")
            error.store, error.key = self.folder, path
            raise error
        if not self.read_only:
            self._is_unfinished = self._draft is not None
            return
        why = {
            "http": "web servers are read only: make the node in a folder",
            "zip": "the zip file was opened read only: tessera.open(path, mode='a') writes to it",
        }.get(self.kind, "found mode='r', which is read only, expected 'r+' or 'a'")
        error = StoreError(f"{self.folder}{'/' if path else ''}{path}: {why}")
        error.store, error.key = self.folder, path
        raise error

    def close(self) -> None:
        """Makes what was written to a zip file the file. Other stores have written it."""
        if self._draft is not None and not self._is_discarded:
            self._draft.flush()
            self._is_unfinished = False

    def discard(self) -> None:
        """Leaves a zip file as it was, whatever is called later."""
        self._is_unfinished = False
        self._is_discarded = self._draft is not None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._draft is not None:
            raise StoreError(
                f"{self.address}: a zip file that is being written has no use in another process: close it"
            )
        return Store, (self.kind, self.address, self._options, self.mode)

    def __del__(self) -> None:
        if getattr(self, "_is_unfinished", False):
            warnings.warn(f"{self.address}: the zip file was not closed, and stays as it was", ResourceWarning, 2)


def _is_node(folder: pathlib.Path) -> bool:
    return any((folder / name).exists() for name in ("zarr.json", ".zgroup", ".zarray"))


def _draft(file: pathlib.Path, mode: str, is_root: bool) -> Store:
    path = str(file)
    if mode == "w-" and is_root and file.exists():
        raise StoreError(f"{path}: found a file, expected none, because of mode='w-'; 'w' replaces it")
    if mode == "r+" and not file.exists():
        raise StoreError(f"{path}: found no file, expected one, because of mode='r+'; 'a' begins it")
    extension = _extension("_zip", path, "libzip", "libzip-dev")
    return Store("zip", path, {}, mode, extension.Draft(path, mode == "w" and is_root))


def _root_of(path: str, mode: str | None, options: Mapping[str, Any]) -> tuple[Store, str]:
    """The hierarchy's root, whose locks and groups apply to the nodes below it."""
    node = pathlib.Path(os.path.abspath(path))
    above = next((folder for folder in (node, *node.parents) if folder.exists()), node)  # new nodes may be levels down
    zip_file = above if os.path.isfile(above) and _is_zip(str(above)) else None
    if zip_file is None and above != node and mode not in (None, "r"):
        new = [node, *node.parents][: len(node.relative_to(above).parts)]
        zip_file = next((path for path in reversed(new) if path.suffix in _ZIP_SUFFIXES), None)
    if zip_file is not None:
        name = "/".join(node.relative_to(zip_file).parts)
        if mode in (None, "r"):
            return Store("zip", str(zip_file), options, mode), name
        options_of("zip", path, options)
        return _draft(zip_file, str(mode), not name), name
    if above.suffix in _ZIP_SUFFIXES and above.is_file():
        raise StoreError(f"{above}: found a file that is no zip file, in spite of its name")
    root, above = node, above if above != node else node.parent
    for folder in (above, *above.parents):
        if not _is_node(folder):
            break
        root = folder
    return Store("folder", str(root), options, mode), "/".join(node.relative_to(root).parts)


MODES = (None, "r", "r+", "a", "w", "w-")


def find(
    address: Address, mode: str | None = None, storage_options: Mapping[str, Any] | None = None
) -> tuple[Store, str]:
    """The store, and the node's path in it, for zarr-python's mode; None is for whatever the store allows. Raises
    StoreError, which names the missing part for this address, or why the store is not for the mode."""
    if mode not in MODES:
        raise ValueError(f"found mode {mode!r}, expected 'r', 'r+', 'a', 'w' or 'w-'")
    path, options = expect_name(os.fsdecode(address)), dict(storage_options or {})
    scheme, separator, _ = path.partition("://")
    if not separator or "/" in scheme or scheme == "file":
        is_url = bool(separator) and scheme == "file"
        if is_url and urlsplit(path).netloc not in ("", "localhost"):
            raise StoreError(f"{_shown(path)}: found a file of another host, expected file:///PATH")
        return _root_of(expect_name(unquote(urlsplit(path).path)) if is_url else path, mode, options)
    if scheme in ("http", "https"):
        store = Store("http", path, options, mode)
    elif scheme in _BUCKETS:
        store = Store("s3", path, options, mode)
    else:
        raise StoreError(
            f"{_shown(path)}: this module has no store for {scheme}://, but for paths, file://, http://, https://, "
            "s3://, gs://, az:// and abfs://: zarr-python reads others by zarr.storage.FsspecStore, with tessera's codecs "
            "if you set codec_pipeline.path to tessera.zarr.CodecPipeline"
        )
    if mode not in (None, "r"):
        store.expect_writable()
    return store, ""


def find_to_make(address: Address, storage_options: Mapping[str, Any] | None) -> tuple[Store, str]:
    """For a node that is made by itself. Raises StoreError for zip files, which have to be closed, and for web
    servers."""
    store, node = find(address, None, storage_options)
    whole = pathlib.Path(store.folder, node)
    parts = [part for part in (whole, *whole.parents) if part.suffix in _ZIP_SUFFIXES and not part.exists()]
    if store.kind == "zip" or (store.kind == "folder" and parts):
        raise StoreError(f"{whole}: zip files are written by tessera.open(path, mode='a'), and then closed")
    store.expect_writable(node)
    return store, node
