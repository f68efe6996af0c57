"""The place of a node: the store that a path or an address names, and the node's path in it."""

from __future__ import annotations

import functools
import importlib
import os
import pathlib
import warnings
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from . import _tessera
from ._errors import StoreError
from ._options import Options, expect_known, options_among, options_of

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


def _scheme_of(address: str) -> str:
    """"" of a path."""
    scheme, separator, _ = address.partition("://")
    return scheme if separator and "/" not in scheme and "|" not in scheme else ""


def _path_in(address: str) -> str:
    """Of a path, or of file:///PATH."""
    if _scheme_of(address) != "file":
        return address
    if urlsplit(address).netloc not in ("", "localhost"):
        raise StoreError(f"{_shown(address)}: found a file of another host, expected file:///PATH")
    return expect_name(unquote(urlsplit(address).path))


def _kind_of(scheme: str) -> str:
    """"" of a scheme that has no store."""
    kinds = dict.fromkeys(("", "file"), "folder") | dict.fromkeys(("http", "https"), "http")
    return (kinds | dict.fromkeys(_BUCKETS, "s3")).get(scheme, "")


def _no_store(address: str) -> StoreError:
    return StoreError(
        f"{_shown(address)}: this module has no store for {_scheme_of(address)}://, but for paths, file://, http://, "
        "https://, s3://, gs://, az:// and abfs://: zarr-python reads others by zarr.storage.FsspecStore, with "
        "tessera's codecs if you set codec_pipeline.path to tessera.zarr.CodecPipeline"
    )


def _referenced(given: Mapping[str, Any], address: str, is_trusted: bool) -> _tessera.Store:
    """The store of a repository, or of files that a snapshot or a references file names."""
    scheme = _scheme_of(address)
    kind = _kind_of(scheme)
    if not kind:
        raise _no_store(address)
    place = os.path.abspath(_path_in(address)) if kind == "folder" else address
    return Store(kind, place, options_among(kind, scheme, given, is_trusted), "r").native


def _references_at(address: str, options: Mapping[str, Any]) -> tuple[_tessera.Store, str] | None:
    """Of a snapshot of an Icechunk repository, or a references file: None of another address."""
    return _tessera.references_at(address, functools.partial(_referenced, Options(options)))


class Store:
    """A store, and what another process needs to open it: pickles have its address and options, also secret ones."""

    def __init__(
        self, kind: str, address: str, options: Mapping[str, Any], mode: str | None, draft: Any = None, made: Any = None
    ) -> None:
        self.kind, self.address, self.mode = kind, address, mode
        self._options, self._draft = Options(options), draft
        self.native: _tessera.Store = made or (self._made() if draft is None else draft.store)
        self._is_unfinished = False  # a zip file with changes
        self._is_discarded = False

    def _made(self) -> Any:
        if self.kind == "references":
            found = _references_at(self.address, self._options)
            if found is None:
                raise StoreError(f"{_shown(self.address)}: the references file is missing")
            return found[0]
        given = options_of(self.kind, _shown(self.address), self._options)
        if self.kind == "zip":
            return _extension("_zip", self.address, "libzip", "libzip-dev").store(self.address)
        if self.kind == "http":
            extension = _extension("_http", _shown(self.address), "libcurl", "libcurl4-openssl-dev")
            return extension.store(self.address, **given)
        if self.kind == "s3":  # what the options leave out comes from the environment
            needed = "libcurl4-openssl-dev, libssl-dev"
            extension = _extension("_s3", _shown(self.address), "libcurl or libcrypto", needed)
            return extension.store(self.address, **given)
        return _tessera.Store(self.address, given["follow_links"])

    @property
    def folder(self) -> str:
        """Or address."""
        return self.native.folder

    @property
    def read_only(self) -> bool:
        return self.mode == "r" or (self.kind in ("http", "zip", "references") and self._draft is None)

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
            "references": "snapshots of Icechunk and references files are read only",
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


def _references_in(path: str, mode: str | None, options: Mapping[str, Any]) -> tuple[Store, str] | None:
    repository, mark, version = path.partition("|icechunk:")
    if _kind_of(_scheme_of(repository)) == "folder":
        repository = os.path.abspath(_path_in(repository))
    address = repository + mark + version
    found = _references_at(address, options)
    if found is None:
        return None
    expect_known(_shown(address), options)
    return Store("references", address, options, mode, made=found[0]), found[1]


def find(
    address: Address, mode: str | None = None, storage_options: Mapping[str, Any] | None = None
) -> tuple[Store, str]:
    """The store, and the node's path in it, for zarr-python's mode; None is for whatever the store allows. Raises
    StoreError, which names the missing part for this address, or why the store is not for the mode."""
    if mode not in MODES:
        raise ValueError(f"found mode {mode!r}, expected 'r', 'r+', 'a', 'w' or 'w-'")
    path, options = expect_name(os.fsdecode(address)), dict(storage_options or {})
    kind, inside = _kind_of(_scheme_of(path)), ""
    if references := _references_in(path, mode, options):
        store, inside = references
    elif kind == "folder":
        return _root_of(_path_in(path), mode, options)
    elif kind:
        store = Store(kind, path, options, mode)
    else:
        raise _no_store(path)
    if mode not in (None, "r"):
        store.expect_writable()
    return store, inside


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
