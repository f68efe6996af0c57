#!/usr/bin/env python3
"""Makes the zip files of this folder: what zarr-python's ZipStore writes.

    build/interop-venv/bin/python tests/zip/data/make.py

stored.zarr.zip is as it does unasked; the group's document is there three times, because attributes were set.
deflated.ozx is compressed. zip64.zarr.zip has the records of large files: Python is told that all are large.
"""
import pathlib
import warnings
import zipfile

import numpy
import zarr

warnings.filterwarnings("ignore", "Duplicate name")
folder = pathlib.Path(__file__).parent
for name, compression, limit in [("stored.zarr.zip", zipfile.ZIP_STORED, zipfile.ZIP64_LIMIT),
                                 ("deflated.ozx", zipfile.ZIP_DEFLATED, zipfile.ZIP64_LIMIT),
                                 ("zip64.zarr.zip", zipfile.ZIP_STORED, 0)]:
    zipfile.ZIP64_LIMIT = limit
    with zarr.storage.ZipStore(folder / name, mode="w", compression=compression) as store:
        group = zarr.create_group(store, attributes={"state": "first"})
        plain = group.create_array("plain", shape=(4, 6), chunks=(2, 3), dtype="int32", compressors=None)
        plain[:] = numpy.arange(24).reshape(4, 6)
        shards = group.create_array("inner/shards", shape=(8, 8), chunks=(2, 2), shards=(4, 8), dtype="float32",
                                    compressors=zarr.codecs.ZstdCodec(level=1))
        shards[:] = numpy.arange(64).reshape(8, 8) / 4
        for state in ["second", "last"]:
            group.attrs["state"] = state
