#!/usr/bin/env python3
"""Arrays on a web server, read whole by tessera and its peers:

    http.py PROGRAM FOLDER [--short] [--arrays small,large,sharded] [--peers TensorStore,obstore,zarrs,curl]
            [--delays 0,5,50] [--threads 2] [--rounds 9] [--requests]

PROGRAM is built from http.cpp. The server is a process on loopback that answers each request after a delay in
milliseconds, as a distant one would; it has one thread, and uses a good part of a processor. The peers are TensorStore,
zarr-python over obstore, with its own codecs and with those of zarrs, and `curl`, which only fetches the values, 64 at
once; those that are not installed are named. `--arrays small` reads 20,000 values of 16 KiB alone; zarrs asks for few
of them at a time, and takes minutes.
All take turns; each program reads each array twice in a process, and the second time counts. The ratio is a peer's time
over tessera's in the same round: its median and [least to most]. --short takes a tenth of the values and three rounds.

--requests counts, for each program, how often a receiver's window closed, and how often a server had to probe whether
it is open (each time after 0.2 s or more), and lists the requests of the last round: connection, milliseconds of the
request, the answer's first byte and its last, bytes, path and range. The counts are the network namespace's (Linux):
run `unshare -n sh -c 'ip link set lo up; python http.py ...'` to have one of its own.
"""
import argparse
import asyncio
import json
import multiprocessing
import shutil
import socket
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import tensorstore
import zarr

try:
    import obstore
    import zarr.storage
except ImportError:
    obstore = None
try:
    import zarrs
except ImportError:
    zarrs = None

arguments = argparse.ArgumentParser()
arguments.add_argument("program")
arguments.add_argument("folder", type=Path)
arguments.add_argument("--short", action="store_true")
arguments.add_argument("--arrays", default="small,large,sharded")
arguments.add_argument("--peers", default="TensorStore,obstore,zarrs,curl")
arguments.add_argument("--delays", default="0,5,50")
arguments.add_argument("--threads", type=int, default=2)
arguments.add_argument("--rounds", type=int)
arguments.add_argument("--requests", action="store_true")
GIVEN = arguments.parse_args()
PROGRAM, FOLDER, THREADS = GIVEN.program, GIVEN.folder, GIVEN.threads
ROUNDS = GIVEN.rounds or (3 if GIVEN.short else 9)
SMALL, LARGE = (2000, 100) if GIVEN.short else (20_000, 1000)
ARRAYS = {  # what it is, shape, chunks, shards
    "small": (f"{SMALL} values of 16 KiB", (SMALL * 64, 64), (64, 64), None),
    "large": (f"{LARGE} values of 1 MiB", (LARGE * 64, 64, 64), (64, 64, 64), None),
    "sharded": ("8 shards of 16 MiB", (128, 512, 512), (16, 64, 64), (64, 256, 256)),
}
ARRAYS = {name: ARRAYS[name] for name in GIVEN.arrays.split(",")}
delay = multiprocessing.Value("d", 0.0)  # seconds; shared with the server
requests = []  # the server's


async def answer(reader, writer):
    connection = writer.get_extra_info("peername")[1]
    try:
        while True:
            first, *headers = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
            times = [time.monotonic()]
            if first.split()[1] == "/requests":
                value = json.dumps(requests).encode()
                requests.clear()
                writer.write(value)
                return writer.close()
            await asyncio.sleep(delay.value)
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
            times.append(time.monotonic())
            writer.write(f"HTTP/1.1 {status}\r\n{part}Content-Length: {len(value)}\r\n\r\n".encode() + value)
            await writer.drain()
            if GIVEN.requests:
                requests.append((connection, [*times, time.monotonic()], len(value), first.split()[1], asked or ""))
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


def of_obstore(address, name, codecs={}):
    for _ in range(2):
        begin = time.perf_counter()
        store = zarr.storage.ObjectStore(obstore.store.HTTPStore(f"{address}/{name}/", client_options={"allow_http": True}),
                                         read_only=True)
        with zarr.config.set({"threading.max_workers": THREADS, "async.concurrency": 64, **codecs}):
            elements = zarr.open_array(store, mode="r")[...]
        seconds = time.perf_counter() - begin
    return seconds, int(elements.sum(dtype="i8"))


def of_zarrs(address, name):  # told to refuse what it would leave to zarr-python
    warnings.filterwarnings("ignore", "Successfully reconstructed a store")  # it has connections of its own
    return of_obstore(address, name, {"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})


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


def windows():
    """How often windows closed, and how often a server probed one."""
    try:
        lines = Path("/proc/net/netstat").read_text().splitlines()
    except OSError:
        return None
    counts = dict(zip(lines[0].split(), lines[1].split()))
    return np.array([int(counts.get(name, 0)) for name in ("TCPToZeroWindowAdv", "TCPWinProbe")])


def take_requests(address):
    """The requests since the last call, by time."""
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as to, to.makefile("rb") as answer:
        to.sendall(b"GET /requests HTTP/1.1\r\n\r\n")
        return sorted(json.load(answer), key=lambda one: one[1][0])


def show_requests(program, all, counts):
    closed = "not counted" if counts is None else f"{counts[0]} windows closed, {counts[1]} probes"
    connections = len({one[0] for one in all})
    print(f"    {program}: {closed}; {len(all)} requests over {connections} connections in the last round")
    for connection, times, size, path, asked in all:
        shown = " ".join(f"{1000 * (one - all[0][1][0]):8.1f}" for one in times)
        print(f"      {connection:5} {shown} {size:9} {path} {asked}")


def show(name, seconds):
    def spread(all, digits):
        return f"{statistics.median(all):.{digits}f} [{min(all):.{digits}f} to {max(all):.{digits}f}]"

    print(f"  {ARRAYS[name][0]}: tessera {spread(seconds['tessera'], 3)} s")
    for program, all in seconds.items():
        if program != "tessera":
            ratios = [one / ours for one, ours in zip(all, seconds["tessera"])]
            print(f"    {program} {spread(all, 3)} s, {spread(ratios, 2)} times tessera's", flush=True)


if __name__ == "__main__":
    random, totals = np.random.default_rng(1), {}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (_, shape, chunks, shards) in ARRAYS.items():
        elements = random.integers(-2**31, 2**31, shape, dtype="i4")  # whose compressed chunks are as large
        zarr.create_array(str(FOLDER / name), shape=shape, chunks=chunks, shards=shards, dtype="i4", overwrite=True)[...] = elements
        totals[name] = int(elements.sum(dtype="i8"))
        del elements
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    address = f"http://127.0.0.1:{here.recv()}"
    peers = {"TensorStore": of_tensorstore, "obstore": of_obstore, "zarrs": of_zarrs, "curl": of_curl}
    programs = {"tessera": of_tessera, **{name: peers[name] for name in GIVEN.peers.split(",")}}
    for name, is_here in (("obstore", obstore), ("zarrs", obstore and zarrs), ("curl", shutil.which("curl"))):
        if name in programs and not is_here:
            print(f"not run: {name}, which is not installed")
            del programs[name]
    for milliseconds in GIVEN.delays.split(","):
        delay.value = float(milliseconds) / 1000
        print(f"{THREADS} threads, answers after {milliseconds} ms; median of {ROUNDS} [least to most]")
        for name in ARRAYS:
            seconds = {program: [] for program in programs}
            counts = {program: None if windows() is None else 0 for program in programs}
            for round in range(ROUNDS):
                for program, measure in programs.items():
                    before = windows()
                    taken, total = measure(address, name)
                    assert total in (None, totals[name]), (program, name, total)
                    seconds[program].append(taken)
                    if before is not None:
                        counts[program] += windows() - before
                    made = take_requests(address) if GIVEN.requests else []
                    if GIVEN.requests and round == ROUNDS - 1:
                        show_requests(program, made, counts[program])
            show(name, seconds)
    server.terminate()
