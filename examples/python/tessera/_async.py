"""Reads and writes for asyncio: a thread of the library does them, while the loop goes on."""

from __future__ import annotations

import asyncio
import atexit
import functools
from collections.abc import Callable
from typing import Any

from ._tessera import Stop, Transfer

_under_way: set[Transfer | Stop] = set()


@atexit.register
def _end() -> None:
    """Of loops that ended before their work."""
    for one in tuple(_under_way):
        one.cancel()


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


async def finished_in_thread(work: Callable[[Stop], Any]) -> Any:
    """Waits for `work(stop)`, in a thread of asyncio's. A cancelled task cancels `stop`, and ends when the work has
    ended. Raises the error of the work."""
    stop = Stop()
    running = asyncio.get_running_loop().run_in_executor(None, work, stop)
    _under_way.add(stop)
    cancelled: asyncio.CancelledError | None = None
    try:
        while not running.done():
            try:
                await asyncio.wait([running])
            except asyncio.CancelledError as error:
                stop.cancel()
                cancelled = error
        if cancelled is not None:
            running.exception()  # otherwise asyncio reports it
            raise cancelled
        return running.result()
    finally:
        stop.cancel()  # of a loop that ended before the work
        _under_way.discard(stop)
