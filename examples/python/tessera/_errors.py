"""tessera's exceptions. Each class is also the built-in exception that Python code expects there."""

import re

# Of a C++ program: a part of a message that has one, and is not the first, is advice for such programs.
_OF_CPP = re.compile(r"<tessera/|\.hpp|\.cuh|codec::|Codecs<|Pipeline<|space::|OutOfRange::|Store<|Store\{|docs/|std::")
_IN_PYTHON = [
    (re.compile(pattern), words)
    for pattern, words in [
        (r"\.overwrite = true replaces it.*", "overwrite=True replaces it"),
        (r"list it as nvcomp::Trusted<\.\.\.>.*", "trusted=True vouches for the bytes"),
        (r": read on a queue with an IpcResource.*", ": copy=True publishes a copy"),
        (r", or read it as a ZipStore of <tessera/with/zip\.hpp>", ""),
        (r"nvcomp::\w+ does not decode", "nvCOMP does not decode"),
        (r": codec::Blosc does, on the host", ": decode='auto' lets the host decode it"),
        (r": nvcomp::Blosc does", ": trusted=True lets nvCOMP decode it"),
        (r"consolidate\(store, path\) makes it", "tessera.consolidate_metadata makes it"),
        (r"LocalOptions\{\.links = Links::follow\}", "storage_options={'follow_links': True}"),
        (r"; LocalOptions::patience sets how long a call waits", ""),
        (r"found no key (.*) in S3Options and environment", r"found no key \1 in storage_options and environment"),
        (r"in S3Options::sas or", "in storage_options['sas_token'] or"),
        (r"found no credentials in S3Options, ", "found no credentials in storage_options, "),
        (r"set S3Options::anonymous to read what is public", "storage_options={'anon': True} reads what is public"),
        (r"expected keys in S3Options", "expected key and secret in storage_options"),
        (r"longer than S3Options::lease", "longer than a lock lasts"),
        (r"S3Options::one_writer", "storage_options={'one_writer': True}"),
        (r"access_key and secret_key", "key and secret"),
        (r": an (S3Store|HttpStore) of tessera/with/\w+\.hpp reads.*", ""),
    ]
]


def in_words_of_python(message: str, unsupported: str = "") -> str:
    """Without a message's advice for C++ programs, and with advice for Python programs. `unsupported`: what the library
    lacks, such as "codec zfp"."""
    first, *rest = message.split("; ")
    found = "; ".join([first, *(part for part in rest if not _OF_CPP.search(part))])
    for pattern, words in _IN_PYTHON:
        found = pattern.sub(words, found)
    if unsupported.startswith("codec "):
        found += "; this module has no such codec: zarr-python may read the array"
    return found


class Error(Exception):
    """`store`, `key` and `codec` name the place, and are in the message; they are empty if unknown."""

    store: str = ""
    key: str = ""
    codec: str = ""


class StoreError(Error, OSError):
    """The store could not answer. A missing chunk is not an error."""


class CodecError(Error, ValueError):
    """A chunk's bytes contradict its metadata."""


class MetadataError(Error, ValueError):
    """A zarr.json is wrong, is missing, or needs a feature that tessera lacks."""


class NodeNotFound(MetadataError, FileNotFoundError):
    """There is neither an array nor a group at the path."""


class SelectionError(Error, IndexError):
    """A selection, or the memory for it, does not fit the array."""


class ConversionError(Error, ValueError):
    """A number does not fit the type to which it is converted, or numbers of a type are not converted."""


class BudgetError(Error, MemoryError):
    """A call needs more memory than its options allow."""


class ExchangeError(Error, BufferError):
    """Memory cannot be exported or imported in the requested way."""


class Cancelled(Error, RuntimeError):
    """The call was cancelled."""


class IpcError(Error, OSError):
    """Memory cannot be published, or a published array cannot be attached or used."""


class ProducerGone(IpcError, ConnectionError):
    """The publishing process has ended, or no longer publishes."""


class LeaseRefused(IpcError, BlockingIOError):
    """Another process holds the lease: one process writes, or many read. Requests do not wait."""


class DeviceError(Error, RuntimeError):
    """CUDA is missing, or a call of it failed."""


class OutOfMemory(DeviceError, MemoryError):
    """Device memory, or memory that a device can access, is exhausted."""
