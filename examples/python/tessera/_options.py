"""Options of stores by fsspec's names, which no message shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._errors import StoreError

_REQUESTS: dict[str, Any] = {"retries": 3, "most_at_once": 64, "certificates": ""}
_TEXTS = "endpoint_url region key secret token profile sas_token account_key".split()
_KNOWN: dict[str, dict[str, Any]] = {
    "folder": {"follow_links": False},
    "http": {"headers": {}, "missing": [404, 410]} | _REQUESTS,
    "s3": dict.fromkeys(_TEXTS, "") | {"anon": False, "addressing_style": "auto", "one_writer": False} | _REQUESTS,
}
# What fsspec's stores pass to the libraries below them.
_CLIENT = {"http": {"headers": "headers"}, "s3": {"endpoint_url": "endpoint_url", "region_name": "region"}}
_STYLES = ("auto", "virtual", "path")


class Options(dict[str, Any]):
    """Their values may be secret: a repr shows the names."""

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: ..." for name in self) + "}"


def _fail(address: str, problem: str) -> StoreError:
    error = StoreError(f"{address}: storage_options: {problem}")
    error.store = address
    return error


def _expect_type(address: str, name: str, value: Any, default: Any) -> None:
    if not isinstance(value, type(default)) or (isinstance(value, bool) and not isinstance(default, bool)):
        raise _fail(address, f"found {name} of type {type(value).__name__}, expected {type(default).__name__}")


def expect_known(address: str, given: Mapping[str, Any]) -> None:
    """For a call that opens stores of several kinds. Raises StoreError, which names an option that none has."""
    for name in given:
        if name != "client_kwargs" and not any(name in known for known in _KNOWN.values()):
            raise _fail(address, f"found {name}, which no store has")


def options_among(kind: str, scheme: str, given: Mapping[str, Any], is_trusted: bool) -> Options:
    """Those that are for one of several stores of a call. Of a store that is not trusted, because it is at another host
    than the file that names it: without what is sent to the host."""
    found = {name: value for name, value in given.items() if name in _KNOWN[kind]}
    of_client = _CLIENT.get(kind, {})
    for name, value in (given.get("client_kwargs") or {}).items():
        if name in of_client:
            found.setdefault(of_client[name], value)
    if not is_trusted:
        for name in ("headers", "sas_token", *(["token"] if scheme != "s3" else [])):
            found.pop(name, None)
        if kind == "s3" and scheme not in ("s3", "gs"):  # a token of the environment would go to the account's owner
            found["anon"] = True
    return Options(found)


def _headers(address: str, given: Mapping[Any, Any]) -> list[str]:
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise _fail(address, "found headers that are not text, expected a dictionary of names and values")
    return [f"{name}: {value}" for name, value in given.items()]


def options_of(kind: str, address: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every option of that kind of store: what is given, and defaults. `address` is for messages. Raises StoreError,
    which names an option and shows no value."""
    known = _KNOWN.get(kind)
    if known is None:
        if given:
            raise _fail(address, f"found {', '.join(sorted(given))}, but zip files have no options")
        return {}
    flat = {name: value for name, value in given.items() if name != "client_kwargs" and value is not None}
    of_given = given.get("client_kwargs") or {}
    if not isinstance(of_given, Mapping):
        raise _fail(address, f"found client_kwargs of type {type(of_given).__name__}, expected dict")
    for name, value in of_given.items():
        of_client = _CLIENT.get(kind, {})
        if name not in of_client:
            raise _fail(address, f"found {name} in client_kwargs, expected one of {', '.join(of_client) or 'none'}")
        flat.setdefault(of_client[name], value)
    for name, value in flat.items():
        if name not in known:
            raise _fail(address, f"found {name}, expected one of {', '.join(known)}")
        _expect_type(address, name, value, known[name])
    found = known | flat
    if kind == "s3" and bool(found["key"]) != bool(found["secret"]):
        raise _fail(address, "found one of key and secret, expected both or neither")
    if kind == "s3" and found["addressing_style"] not in _STYLES:
        raise _fail(address, f"found another addressing_style than {', '.join(_STYLES)}")
    if kind == "http":
        if any(not isinstance(code, int) or not 100 <= code < 1000 for code in found["missing"]):
            raise _fail(address, "found missing with something else than status codes, such as [404]")
        found["headers"] = _headers(address, found["headers"])
    for name, least in (("retries", 0), ("most_at_once", 1)):
        if name in found and not least <= found[name] < 1 << 31:
            raise _fail(address, f"found {name}={found[name]}, expected {least} or more")
    return found
