"""Reads and writes for asyncio: a thread of the library does them, while the loop goes on."""

from __future__ import annotations

import asyncio
import atexit
import functools
from collections.abc import Callable
from typing import Any

from ._tessera import Transfer

_under_way: set[Transfer] = set()


@atexit.register
def _end() -> None:
    """Of loops that ended before their work."""
    for transfer in tuple(_under_way):
        transfer.cancel()


def _set(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


def _call(loop: asyncio.AbstractEventLoop, waiting: list[asyncio.Future[None]]) -> None:
    done = waiting.pop()  # a transfer keeps this call's arguments: a task that nothing continues would keep itself
    try:
        loop.call_soon_threadsafe(_set, done)
    except RuntimeError:
        if not loop.is_closed():  # a closed one has nothing that waits
            raise


async def finished(start: Callable[[Callable[[], None]], Transfer]) -> None:
    """Waits for `start(done)`, which calls `done` from any thread. A cancelled task cancels the work, and ends when its
    memory is out of use. Raises the error of the work."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    transfer = start(functools.partial(_call, loop, [done]))
    _under_way.add(transfer)
    cancelled: asyncio.CancelledError | None = None
    try:
        while not done.done():
            try:
                await asyncio.shield(done)
            except asyncio.CancelledError as error:
                transfer.cancel()
                cancelled = error
        if cancelled is not None:
            raise cancelled
        transfer.wait()
    finally:
        _under_way.discard(transfer)
