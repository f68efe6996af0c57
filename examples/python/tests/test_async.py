"""Reads and writes for asyncio."""

import asyncio
import collections
import contextlib
import fcntl
import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from processes import comes_true

import tessera


def test_reads(made):
    array, expected = made

    async def main():
        np.testing.assert_array_equal(await array.read_async(), expected)
        np.testing.assert_array_equal(await array.read_async((slice(2, 9), -1)), expected[2:9, -1])
        np.testing.assert_array_equal(await array.read_async([1, 5]), expected[[1, 5]])
        out = np.zeros((23, 17), "int32")
        assert await array.read_async(..., out) is out
        np.testing.assert_array_equal(out, expected)

    asyncio.run(main())


def test_writes(made):
    array, expected = made

    async def main():
        await array.write_async((slice(0, 4), 2), 7)
        await asyncio.gather(*(array.write_async(row, np.full(17, row)) for row in range(10, 23)))

    asyncio.run(main())
    expected[0:4, 2] = 7
    expected[10:23] = np.arange(10, 23)[:, None]
    np.testing.assert_array_equal(array[...], expected)


def test_a_thousand_at_once(made):
    array, expected = made

    async def main():
        crops = [(slice(i % 20, i % 20 + 3), slice(i % 13, i % 13 + 4)) for i in range(1000)]
        found = await asyncio.gather(*(array.read_async(crop) for crop in crops))
        for crop, one in zip(crops, found):
            np.testing.assert_array_equal(one, expected[crop])

    asyncio.run(main())


@contextlib.asynccontextmanager
async def served_by_the_loop(folder, at_chunk=None):
    """The address of a web server whose answers are tasks of the loop; for chunks it first awaits at_chunk(path)."""

    async def answer(reader, writer):
        while request := await reader.readline():
            path = folder / request.split()[1].decode().lstrip("/")
            while (await reader.readline()).strip():
                pass
            if "/c/" in str(path) and at_chunk is not None:
                await at_chunk(path)
            body = path.read_bytes() if path.is_file() else None
            status = b"404 Not Found" if body is None else b"200 OK"
            writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (status, len(body or b"")) + (body or b""))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def test_the_loop_goes_on(made, tmp_path):
    """The loop itself answers the requests of the reads."""
    array, expected = made

    async def main():
        async with served_by_the_loop(tmp_path) as address:
            found = await asyncio.to_thread(tessera.open, f"{address}/a.zarr")
            for one in await asyncio.gather(*(found.read_async() for _ in range(8))):
                np.testing.assert_array_equal(one, expected)

    asyncio.run(main())


def test_a_cancelled_task_cancels_the_read(made, tmp_path):
    array, _ = made
    threads = os.cpu_count()

    async def main():
        begun, never, asked = asyncio.Event(), asyncio.Event(), collections.Counter()

        async def at_chunk(path):
            asked[path] += 1
            begun.set()
            await never.wait()

        async with served_by_the_loop(tmp_path, at_chunk) as address:
            found = await asyncio.to_thread(tessera.open, f"{address}/a.zarr")
            out = np.zeros((23, 17), "int32")
            waiting = [asyncio.create_task(found.read_async(..., out)) for _ in range(4 * threads)]
            await begun.wait()
            for task in waiting:
                task.cancel()
            ended = await asyncio.gather(*waiting, return_exceptions=True)  # though the server never answers
            assert [type(one) for one in ended] == 4 * threads * [asyncio.CancelledError]
            assert max(asked.values()) <= threads  # no request was repeated, and reads that had not begun sent none
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(found.read_async(), 0)
            coroutine = found.read_async()
            coroutine.send(None)
            coroutine.close()
            assert not out.any()
            never.set()

    asyncio.run(main())


def test_a_cancelled_task_cancels_the_read_of_strings(tmp_path):
    """It ends though the server never answers, and then the memory is out of use."""
    array = tessera.create_array(tmp_path / "a.zarr", shape=(8,), dtype="string", chunks=(4,))
    array[...] = "new"

    async def main():
        begun, ever = asyncio.Event(), asyncio.Event()

        async def at_chunk(path):
            begun.set()
            await ever.wait()

        async with served_by_the_loop(tmp_path, at_chunk) as address:
            found = await asyncio.to_thread(tessera.open, f"{address}/a.zarr")
            out = np.full(8, None, object)
            task = asyncio.create_task(found.read_async(..., out))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            ever.set()
            await asyncio.get_running_loop().shutdown_default_executor()  # a thread that reads would read to the end
            assert out.tolist() == [None] * 8

    asyncio.run(main())


def test_a_cancelled_task_cancels_the_write_of_strings(tmp_path):
    """It ends though another program holds the lock of the chunk."""
    array = tessera.create_array(tmp_path / "a.zarr", shape=(8,), dtype="string", chunks=(4,))
    array[...] = "new"

    async def main():
        with open(tmp_path / "a.zarr" / "c" / "0", "rb") as chunk:
            fcntl.flock(chunk, fcntl.LOCK_EX)
            task = asyncio.create_task(array.write_async(0, "late"))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(main())
    assert array[0] == "new"


def test_errors_are_those_of_reads(made, tmp_path):
    array, expected = made
    (tmp_path / "a.zarr" / "c" / "0" / "0").write_bytes(b"not zstd")

    async def main():
        with pytest.raises(tessera.CodecError) as raised:
            await array.read_async()
        assert raised.value.key == "c/0/0"
        with pytest.raises(tessera.SelectionError):
            await array.read_async((99, 0))
        with pytest.raises(tessera.SelectionError):
            await array.read_async(..., np.zeros((2, 2), "int32"))
        with pytest.raises(tessera.ExchangeError, match="int8, expected int32"):
            await array.read_async(..., np.zeros((23, 17), "int8"))
        with pytest.raises(tessera.StoreError, match="mode='r'"):
            await tessera.open(array.store_path, mode="r").write_async(0, 1)
        np.testing.assert_array_equal(await array.read_async(22), expected[22])

    asyncio.run(main())


def test_loops_in_threads(made):
    array, expected = made
    wrong = []

    def run():
        async def main():
            return await asyncio.gather(*(array.read_async() for _ in range(50)))

        if not all(np.array_equal(one, expected) for one in asyncio.run(main())):
            wrong.append(1)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_is_released(made):
    array, _ = made

    async def main():
        out = np.zeros((23, 17), "int32")
        await array.read_async(..., out)
        return weakref.ref(out)

    assert asyncio.run(main())() is None


def test_the_memory_of_a_closed_loop_is_released(made):
    """Though its reads never end there."""
    array, _ = made

    async def begin():
        out = np.zeros((23, 17), "int32")
        task = asyncio.ensure_future(array.read_async(..., out))
        await asyncio.sleep(0)
        return weakref.ref(out), task

    loop = asyncio.new_event_loop()
    out, task = loop.run_until_complete(begin())
    task._log_destroy_pending = False
    loop.close()
    del loop, task
    assert comes_true(lambda: gc.collect() is not None and out() is None)


PROGRAM = """
import asyncio, sys, threading
import tessera

array = tessera.open(sys.argv[1])
begun = threading.Event()


async def main():
    tasks = [asyncio.create_task(array.read_async()) for _ in range(100)]
    await asyncio.sleep(0)
    begun.set()
    if sys.argv[2] == "thread":
        await asyncio.gather(*tasks)
        await asyncio.Event().wait()


if sys.argv[2] == "thread":
    threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
    begun.wait()
elif sys.argv[2] == "run":
    asyncio.run(main())
else:  # the loop is closed over reads that are under way
    loop = asyncio.new_event_loop()
    loop.run_until_complete(main())
    loop.close()
"""


@pytest.mark.parametrize("mode", ["thread", "run", "closed"])
def test_the_end_of_the_interpreter(tmp_path, mode):
    array = tessera.create_array(tmp_path / "a.zarr", shape=(256, 256), dtype="f4", chunks=(16, 16))
    array[...] = 1
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, array.store_path, mode], capture_output=True, timeout=60, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr  # asyncio itself warns of tasks that it drops
