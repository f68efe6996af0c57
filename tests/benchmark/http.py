#!/usr/bin/env python3
"""Arrays on a web server, read whole by tessera and by TensorStore: http.py PROGRAM FOLDER [MILLISECONDS] [THREADS]

PROGRAM is built from http.cpp. The server is a process on loopback that answers each request after MILLISECONDS (20),
as a distant one would; it has one thread, and uses a good part of a processor. `curl`, if present, measures fetching
the same values, 64 at once, without processing them. All take turns, nine times; TensorStore and tessera read each
array twice in a process, and the second time counts."""
import asyncio
import multiprocessing
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import tensorstore
import zarr

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
DELAY = float(sys.argv[3]) / 1000 if len(sys.argv) > 3 else 0.02
THREADS = int(sys.argv[4]) if len(sys.argv) > 4 else 2
ROUNDS = 9
ARRAYS = {  # shape, chunks, shards
    "small": ((512, 512), (16, 16), None),
    "large": ((128, 512, 512), (32, 128, 128), None),
    "sharded": ((128, 512, 512), (16, 64, 64), (64, 256, 256)),
}


async def answer(reader, writer):
    try:
        while True:
            first, *headers = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
            await asyncio.sleep(DELAY)
            path = FOLDER / first.split()[1].lstrip("/")
            if not path.is_file():
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                continue
            value, status, part = path.read_bytes(), "200 OK", ""
            asked = next((line.partition("=")[2] for line in headers if line.startswith("range:")), None)
            if asked:
                begin, _, last = asked.partition("-")
                size = len(value)
                begin, end = (int(begin), min(int(last or size) + 1, size)) if begin else (size - int(last), size)
                value, status, part = value[begin:end], "206 Partial Content", f"Content-Range: bytes {begin}-{end - 1}/{size}\r\n"
            writer.write(f"HTTP/1.1 {status}\r\n{part}Content-Length: {len(value)}\r\n\r\n".encode() + value)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def serve(port):
    async def run():
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def of_tensorstore(address, name):
    for _ in range(2):
        begin = time.perf_counter()
        array = tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "http", "base_url": address, "path": f"/{name}/"},
                                  "context": {"data_copy_concurrency": {"limit": THREADS}}}).result()
        elements = array.read().result()
        seconds = time.perf_counter() - begin
    return seconds, int(elements.sum(dtype="i8"))


def of_tessera(address, name):
    done = subprocess.run([PROGRAM, address, str(THREADS), name], check=True, text=True, stdout=subprocess.PIPE)
    seconds, total = done.stdout.split()
    return float(seconds), int(total)


def of_curl(address, name):
    paths = [path.relative_to(FOLDER) for path in (FOLDER / name).rglob("*") if path.is_file()]
    urls = "".join(f'url = "{address}/{path}"\noutput = "/dev/null"\n' for path in paths)
    begin = time.perf_counter()
    subprocess.run(["curl", "-sZ", "--parallel-max", "64", "-K", "-"], input=urls, text=True, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin, None


if __name__ == "__main__":
    random, totals = np.random.default_rng(1), {}
    for name, (shape, chunks, shards) in ARRAYS.items():
        elements = random.integers(0, 1000, shape, dtype="i4")
        zarr.create_array(str(FOLDER / name), shape=shape, chunks=chunks, shards=shards, dtype="i4", overwrite=True)[...] = elements
        totals[name] = int(elements.sum(dtype="i8"))
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    address = f"http://127.0.0.1:{here.recv()}"
    programs = {"tessera": of_tessera, "TensorStore": of_tensorstore}
    if shutil.which("curl"):
        programs["curl"] = of_curl
    else:
        print("not run: curl, which is not here")
    print(f"{THREADS} threads, answers after {DELAY * 1000:g} ms; seconds, median of {ROUNDS} [least to most]")
    for name in ARRAYS:
        seconds = {program: [] for program in programs}
        for _ in range(ROUNDS):
            for program, measure in programs.items():
                taken, total = measure(address, name)
                assert total in (None, totals[name]), (program, name, total)
                seconds[program].append(taken)
        medians = {program: statistics.median(all) for program, all in seconds.items()}
        print(f"{name}: " + ", ".join(f"{program} {medians[program]:.3f} [{min(all):.3f} to {max(all):.3f}]" for program, all in seconds.items())
              + f"; TensorStore took {medians['TensorStore'] / medians['tessera']:.2f} times as long as tessera", flush=True)
    server.terminate()
