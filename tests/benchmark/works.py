"""The tasks of the benchmark: an action on an array of a kind, and its target. The programs are bare_loop.cpp or
loops.cpp, measure.cpp, libzarr.cpp, and peers.py."""
from dataclasses import dataclass

ALL_PEERS = ("zarrs", "tensorstore", "zarr-python")


@dataclass(frozen=True)
class Work:
    name: str
    action: str
    kind: str
    title: str
    peers: tuple = ALL_PEERS
    more: str = ""  # after the path, for all programs: "picks" stands for a file
    loop_limit: float | None = None  # most of tessera's time over the loop's
    peer_limit: float | None = None  # least of the best peer's time over tessera's
    over_loop: float | None = None  # most seconds over the loop's
    most: float | None = None  # most seconds
    grid: int = 0  # tiny chunks along each axis
    threads: int = 0  # 0: no limit
    warm_ups: int = 1  # number of warm-up runs

    @property
    def is_bare(self):
        """Its rival is bare_loop.cpp."""
        return self.action == "read" and self.kind in ("raw", "zstd", "shard64", "shard32")

    @property
    def is_libzarrs(self):
        """libzarr.cpp does it too; tessera must not be slower."""
        return self.action in ("read", "new", "chunks", "slab", "each", "open") and not self.kind.startswith("v2")

    @property
    def array(self):
        """The kind of array that must exist before, if any."""
        return None if self.grid or self.action in ("round-trip", "pick", "put") else self.kind


def read(kind, title, loop_limit, peer_limit, **more):
    return Work(f"read-{kind}", "read", kind, f"read whole, {title}", loop_limit=loop_limit, peer_limit=peer_limit, **more)


def tiny(action, kind, grid, **more):
    return Work(f"tiny-{action}-{kind}-{grid**3}", f"tiny-{action}", kind, f"{action} {grid**3:,} chunks of 4 KiB, {kind}",
                peers=(), grid=grid, threads=1, over_loop=1e-6, **more)


def scattered(action, kind, title):
    return Work(f"{action}-{kind}", action, kind, f"{'read' if action == 'pick' else 'write'} {title}", peer_limit=1.3,
                peers=("tensorstore", "zarr-python"))  # zarrs leaves these selections to zarr-python


STORED = {"raw": "raw", "zstd": "zstd", "shard64": "shards of 64^3 zstd", "shard32": "shards of 32^3 zstd"}
BRAIN = {"zstd": 1.3, "lz4": 1.3, "gzip": 1.8}


def works_at(size):
    """All of them, for arrays of size^3; a million tiny chunks need 8.5 GB, so there are fewer at a smaller size."""
    most = 100 if size >= 1024 else 46
    return [
        read("raw", "raw", 1.10, 1.4),
        read("zstd", "zstd", 1.00, 1.35),
        read("shard64", STORED["shard64"], 1.05, 2),
        read("shard32", STORED["shard32"], 1.10, 2),
        read("transposed", "raw, stored transposed", None, None),
        *(read(f"brain-{codec}", f"brain, {codec}", 1.05, limit) for codec, limit in BRAIN.items()),
        read("v2-blosc", "Zarr v2, blosc lz4", 1.05, 1.3),
        # The Python package of zarrs reads neither order F nor the other byte order.
        read("v2-zlib", "Zarr v2, zlib, order F, big-endian", 1.10, 1.8, peers=("tensorstore", "zarr-python")),
        *(Work(f"chunks-{kind}", "chunks", kind, f"chunk by chunk, {STORED[kind]}") for kind in ("raw", "zstd", "shard64")),
        Work("inner", "inner", "shard32", "1,024 random inner chunks, one call", more="picks", loop_limit=1.15, peer_limit=2,
             peers=("tensorstore", "zarr-python")),  # zarrs leaves lists of indices to zarr-python
        Work("each", "each", "shard32", "1,024 random inner chunks, one call each", more="picks", loop_limit=1.3),
        # With raw chunks it would end before a new process's second thread has got a processor.
        *(Work(f"slab-{kind}", "slab", kind, f"4 planes, {STORED[kind]}", warm_ups=50 if kind == "raw" else 1)
          for kind in ("raw", "zstd", "shard32")),
        *(Work(f"new-{kind}", "new", kind, f"read into a new array, {STORED[kind]}", peer_limit=1.4)
          for kind in ("raw", "zstd", "shard64")),
        *(Work(f"round-trip-{kind}", "round-trip", kind, f"round trip, {STORED[kind]}", more="no-fsync", loop_limit=1.15,
               peer_limit=1.3) for kind in ("raw", "zstd", "shard64")),
        *(Work(f"round-trip-fsync-{kind}", "round-trip", kind, f"round trip with fsync, {STORED[kind]}", more="fsync",
               peers=("tensorstore",), loop_limit=1.15, peer_limit=1.3) for kind in ("raw", "zstd")),
        # Of a plane of (4 size)^2 in memory.
        *(scattered(action, kind, title) for action in ("pick", "put")
          for kind, title in (("points", f"{size**2:,} random points"), ("lists", "rows and columns in any order"),
                              ("mask", "half of the elements, by a mask"))),
        Work("open", "open", "zstd", "open an array", most=1e-4),
        *(tiny(action, kind, most) for action in ("read", "write") for kind in ("raw", "zstd")),
        *(tiny("read", "zstd", grid) for grid in (5, 10, 22, 46) if grid < most),  # the cost of a chunk, from 125 on
    ]
