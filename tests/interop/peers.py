"""The other programs: each writes a case into a folder and reads a folder's elements, as bytes."""
import base64
import importlib.metadata
import json
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
import tensorstore
import zarr

warnings.simplefilter("ignore")


def is_raw(case):
    return case.data_type.startswith("r")


def dtype_of(case):
    return f"V{int(case.data_type[1:]) // 8}" if is_raw(case) else case.data_type


def elements_of(case):
    return np.frombuffer(case.elements(), dtype_of(case)).reshape(case.shape)


def respell(folder, data_type, fill_value):
    """zarr-python has a data type of raw bits, with its own name and its own fill value."""
    path = Path(folder) / "zarr.json"
    document = json.loads(path.read_text()) | {"data_type": data_type, "fill_value": fill_value}
    path.write_text(json.dumps(document, indent=2))


class ZarrPython:
    name = "zarr-python"
    versions = f"zarr {zarr.__version__}"
    pipeline = {"codec_pipeline.path": "zarr.core.codec_pipeline.BatchedCodecPipeline"}

    def write(self, case, folder):
        kinds = {"transpose": "filters", "bytes": "serializer", "sharding_indexed": "serializer"}
        codecs = {"filters": [], "serializer": [], "compressors": []}
        for codec in case.codecs:
            codecs[kinds.get(codec["name"], "compressors")].append(codec)
        codecs["serializer"] = codecs["serializer"][0]
        fill = np.frombuffer(case.fill_bytes, dtype_of(case))[0] if case.fill_bytes else None
        kind, separator = case.key_encoding
        with zarr.config.set(self.pipeline):
            array = zarr.create_array(
                folder, shape=case.shape, chunks=case.chunks, dtype=np.dtype(dtype_of(case)), fill_value=fill, **codecs,
                chunk_key_encoding={"name": kind, "separator": separator}, dimension_names=case.names,
                attributes=case.attributes)
            if 0 not in case.shape:  # if it cannot write
                array[...] = elements_of(case)
        if is_raw(case):
            respell(folder, case.data_type, case.document()["fill_value"])

    def read(self, case, folder):
        if not is_raw(case):
            return self.elements(folder)
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            size = np.dtype(dtype_of(case)).itemsize
            respell(copy, {"name": "raw_bytes", "configuration": {"length_bytes": size}},
                    base64.b64encode(bytes(size)).decode())
            return self.elements(copy)

    def elements(self, folder):
        with zarr.config.set(self.pipeline):
            return np.asarray(zarr.open_array(folder, mode="r")[...]).tobytes()

    def arrays_in(self, folder):
        """The names of all arrays, through the group."""
        return {name for name, node in zarr.open_group(str(folder), mode="r").members(max_depth=None)
                if isinstance(node, zarr.Array)}

    def make_group(self, folder):
        zarr.create_group(folder)


class Zarrs(ZarrPython):
    """The codecs of zarrs below zarr-python's arrays. `strict`: it never hands a chunk back to zarr-python."""
    name = "zarrs"
    versions = f"zarrs {importlib.metadata.version('zarrs')} (its Python package), zarr {zarr.__version__}"
    pipeline = {"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}


class TensorStore:
    name = "TensorStore"
    versions = f"tensorstore {importlib.metadata.version('tensorstore')}"

    def open(self, folder, **more):
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": folder}} | more
        return tensorstore.open(spec, context=self.context).result()

    context = tensorstore.Context({"cache_pool": {"total_bytes_limit": 0}})

    def write(self, case, folder):
        if is_raw(case):  # a document without these ends its process in a failed check
            raise ValueError("cannot create arrays of raw bits")
        self.open(folder, metadata=case.document(), create=True).write(elements_of(case)).result()

    def read(self, case, folder):
        return np.asarray(self.open(folder).read().result()).tobytes()


PEERS = [ZarrPython(), Zarrs(), TensorStore()]
