#!/usr/bin/env python3
"""Makes icechunk1 and icechunk2: repositories of Icechunk's formats 1 and 2, as icechunk 2.3.0 writes them.

    pip install icechunk zarr
    python tests/with/data/make_icechunk.py

Virtual chunks are those of references.h5, at an address that tests replace.
"""
import json
import pathlib
import shutil

import icechunk
import numpy
import zarr

folder = pathlib.Path(__file__).parent
elsewhere = "file:///elsewhere/"
references = json.loads((folder / "references.json").read_text())["refs"]
for version in (1, 2):
    path = folder / f"icechunk{version}"
    shutil.rmtree(path, ignore_errors=True)
    config = icechunk.RepositoryConfig.default()
    config.set_virtual_chunk_container(
        icechunk.VirtualChunkContainer(elsewhere, icechunk.local_filesystem_store("/elsewhere")))
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(path)), config, spec_version=version)
    session = repository.writable_session("main")
    root = zarr.create_group(session.store, attributes={"title": "first"})
    native = root.create_array("native", shape=(20, 30), chunks=(10, 15), dtype="float64", compressors=None)
    native[:] = numpy.arange(600).reshape(20, 30) / 4
    inline = root.create_array("group/inline", shape=(7,), chunks=(4,), dtype="int16", dimension_names=["x"])
    inline[:4] = numpy.arange(4)
    root.create_array("scalar", shape=(), dtype="uint8")[...] = 42
    repository.create_tag("first", session.commit("first"))
    session = repository.writable_session("main")
    root = zarr.open_group(session.store)
    root.attrs["title"] = "second"
    root["native"][0, 0] = -1
    root.create_array("virtual", shape=(20, 30), chunks=(8, 10), dtype="int32", compressors=None)
    for key, reference in references.items():
        if key.startswith("plain/") and not key.startswith("plain/."):
            _, offset, size = reference
            session.store.set_virtual_ref("virtual/c/" + key[6:].replace(".", "/"), elsewhere + "references.h5",
                                          offset=offset, length=size)
    repository.create_branch("other", session.commit("second"))
    shutil.rmtree(path / "transactions", ignore_errors=True)  # and what readers do not use
    shutil.rmtree(path / "overwritten", ignore_errors=True)
