#!/usr/bin/env python3
"""Makes references.h5 and references.json: what kerchunk 0.2.10 writes of an HDF5 file.

    pip install kerchunk h5py
    python tests/with/data/make_references.py

The address in the references is relative, so that the files may be anywhere.
"""
import json
import pathlib

import h5py
import numpy
from kerchunk.hdf import SingleHdf5ToZarr

folder = pathlib.Path(__file__).parent
with h5py.File(folder / "references.h5", "w", track_order=False) as file:
    file.attrs["title"] = "made for tests"
    plain = file.create_dataset("plain", data=numpy.arange(600, dtype="<i4").reshape(20, 30), chunks=(8, 10))
    plain.attrs["units"] = "K"
    file.create_dataset("group/packed", data=numpy.arange(600, dtype="<f8").reshape(20, 30) / 4, chunks=(20, 7),
                        compression="gzip", shuffle=True)
    file.create_dataset("small", data=numpy.arange(5, dtype=">u2"))
references = SingleHdf5ToZarr(str(folder / "references.h5"), inline_threshold=100).translate()
text = json.dumps(references, indent=1).replace(str(folder / "references.h5"), "references.h5")
(folder / "references.json").write_text(text + "\n")
