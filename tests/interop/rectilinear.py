"""Exchanges arrays of rectilinear grids with other programs in both directions, bit for bit:
rectilinear.py EXCHANGE FOLDER [ENVIRONMENT]

As run.py; FOLDER is emptied first. zarr-python has such grids from version 3.2 on, enabled by a switch, so the
environment differs from that of run.py."""
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

if len(sys.argv) > 3 and (python := Path(sys.argv[3], "bin", "python")).exists():
    os.execv(python, [str(python), *sys.argv[:3]])
try:
    import peers
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test, if it finds Python 3.12 or newer")
    sys.exit(77)
import zarr

if "rectilinear_chunks" not in zarr.config.get("array"):
    print(f"not run: zarr {zarr.__version__} has no rectilinear grids. tests/run.sh makes the environment of this test")
    sys.exit(77)
zarr.config.set({"array.rectilinear_chunks": True})

import cases
from cases import codec
from run import Record, compare_stored, conclude, exceptions, exchange, table

# (peer, direction, cases, the observation): why
KNOWN = {
    ("TensorStore", "writes", "", "chunk_grid"): "has regular grids alone",
    ("TensorStore", "reads tessera", "", "chunk_grid"): "has regular grids alone",
}


def lengths(axis):
    """Of each chunk; an axis that is one number stays so."""
    if isinstance(axis, int):
        return axis
    return [n for run in axis for n in ([run[0]] * run[1] if isinstance(run, list) else [run])]


@dataclass
class Case(cases.Case):
    edges: tuple = ()  # as in the document

    def document(self):
        grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": list(self.edges)}}
        return super().document() | {"chunk_grid": grid}


def case(name, shape, edges, codecs, data_type="int32"):
    first = tuple(axis if isinstance(axis, int) else lengths(axis)[0] for axis in edges)
    return Case(name, data_type, codecs, shape, first, edges=edges)


def everything():
    little, big = codec("bytes", endian="little"), codec("bytes", endian="big")
    zstd, gzip = codec("zstd", level=0, checksum=False), codec("gzip", level=5)
    index = [little, codec("crc32c")]
    shard = lambda *inner: [codec("sharding_indexed", chunk_shape=list(inner), codecs=[little, zstd], index_codecs=index,
                                  index_location="end")]
    grids = {
        "lengths": ((10, 12), ([1, 2, 3, 4], [5, 4, 3])),
        "runs": ((12, 9), ([[3, 2], 2, [1, 4]], [[2, 3], 3])),
        "one-run": ((12, 6), ([[4, 3]], [1, 5])),
        "step": ((11, 9), (4, [2, 6, 1])),  # the last chunk of four reaches beyond the array
        "partial": ((8, 7), ([2, 3, 5], [[3, 3]])),  # the same
        "surplus": ((6, 5), ([[4, 3], 7], [2, 3])),  # whole chunks beyond the array
        "line": ((1000,), ([[3, 300], [1, 60], 40],)),
        "cube": ((7, 6, 9), ([1, 6], 4, [[2, 2], 5])),
        "four": ((4, 5, 3, 6), ([1, 3], [2, 1, 2], 2, [[3, 2]])),
    }
    for name, (shape, edges) in grids.items():
        yield case(f"{name}/bytes", shape, edges, [little])
        yield case(f"{name}/zstd", shape, edges, [little, zstd])
        yield case(f"{name}/big-gzip-crc32c", shape, edges, [big, gzip, codec("crc32c")], "float64")
        order = list(reversed(range(len(shape))))
        yield case(f"{name}/transpose", shape, edges, [codec("transpose", order=order), little], "uint16")
    yield case("shards/lengths", (12, 10), ([2, 4, 6], [6, 4]), shard(2, 2))
    yield case("shards/runs", (20, 9), ([[4, 3], 8], 6), shard(2, 3))
    yield case("shards/partial", (11, 10), ([2, 4, 6], [4, 8]), shard(2, 2))


class ZarrPython(peers.ZarrPython):
    def write(self, case, folder):
        kinds = {"transpose": "filters", "bytes": "serializer", "sharding_indexed": "serializer"}
        codecs = {"filters": [], "serializer": [], "compressors": []}
        for one in case.codecs:
            codecs[kinds.get(one["name"], "compressors")].append(one)
        codecs["serializer"] = codecs["serializer"][0]
        edges = [lengths(axis) for axis in case.edges]
        # An array gets chunks beyond its shape by shrinking.
        shape = tuple(n if isinstance(axis, int) else sum(axis) for n, axis in zip(case.shape, edges))
        with zarr.config.set(self.pipeline):
            array = zarr.create_array(folder, shape=shape, chunks=edges, dtype=case.data_type, fill_value=0, **codecs)
            if shape != case.shape:
                array.resize(case.shape)
            array[...] = peers.elements_of(case)


class Zarrs(ZarrPython):
    name, versions, pipeline = peers.Zarrs.name, peers.Zarrs.versions, peers.Zarrs.pipeline


PEERS = [ZarrPython(), Zarrs(), peers.TensorStore()]


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    record, arrays = Record(KNOWN), list(everything())
    compare_stored(record, exchange(record, program, folder, arrays, PEERS))
    return conclude(report(record, len(arrays)), folder, record)


def report(record, count):
    """For interop.md, beside this."""
    text = table(record, f"{count} arrays of rectilinear grids", PEERS)
    return f"\n## Rectilinear grids\n\n{text}\n{exceptions(record)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
