"""Codecs of Zarr v3 beyond the core that zarrs' Python package has: packbits, reshape, squeeze and pcodec, on elements
of any bits. zarr-python makes the arrays, and has only the metadata of these codecs: zarrs runs them."""
import re
from dataclasses import dataclass

import numpy as np
import zarr
from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec
from zarr.registry import register_codec

from filters import some_elements
from run import attempt, differs, run_exchange

# (direction, cases): why
KNOWN = {
    ("reads", "packbits/int32-.*-some"): "zarrs extends the sign of int32 within a byte alone",
    ("stores", "packbits/.*-first_byte-all"): "zarrs leaves the byte of padding out where elements are whole bytes",
    ("stores", "packbits/.*-last_byte-all"): "zarrs leaves the byte of padding out where elements are whole bytes",
    ("stores", "pcodec/.*"): "tessera decodes pcodec, and does not encode it",
}


def named(kind, name):
    @dataclass(frozen=True)
    class Named(kind):
        configuration: dict
        is_fixed_size = True

        @classmethod
        def from_dict(cls, data):
            return cls(data.get("configuration", {}))

        def to_dict(self):
            return {"name": name, "configuration": self.configuration}

        def compute_encoded_size(self, size, _):
            return size

        def __hash__(self):
            return hash(name)

    register_codec(name, Named)
    return Named


def cases():
    """Name -> type of the elements, arguments of create_array."""
    pack_bits, reshape = named(ArrayBytesCodec, "packbits"), named(ArrayArrayCodec, "reshape")
    for padding in ("none", "first_byte", "last_byte"):
        for dtype in ("int8", "uint8", "int32", "uint64", "float16", "float64"):
            yield f"packbits/{dtype}-{padding}-all", (dtype, {"serializer": pack_bits({"padding_encoding": padding})})
            yield f"packbits/{dtype}-{padding}-some", (dtype, {"serializer": pack_bits(
                {"padding_encoding": padding, "first_bit": 1, "last_bit": 5})})
        yield f"packbits/bool-{padding}", ("bool", {"serializer": pack_bits({"padding_encoding": padding})})
    for name, shape in {"joined": [[0, 1]], "left": [4, -1]}.items():
        yield f"reshape/{name}", ("int32", {"filters": [reshape({"shape": shape})]})
    squeeze, pcodec = named(ArrayArrayCodec, "zarrs.squeeze"), named(ArrayBytesCodec, "numcodecs.pcodec")
    for dtype in ("uint8", "float64"):
        yield f"squeeze/{dtype}", (dtype, {"filters": [squeeze({})]})
    deltas = {"auto": {}, "none": {"delta_spec": "none"}, "lookback": {"delta_spec": "try_lookback"},
              "consecutive": {"delta_spec": "try_consecutive", "delta_encoding_order": 2}, "pages": {"equal_pages_up_to": 100}}
    for dtype in ("uint16", "int16", "float16", "uint32", "int32", "float32", "uint64", "int64", "float64"):
        for name, configuration in deltas.items():
            yield f"pcodec/{dtype}-{name}", (dtype, {"serializer": pcodec(configuration)})


def is_known(direction, name):
    return any(direction == known and re.fullmatch(pattern, name) for known, pattern in KNOWN)


def unlike(program, folder):
    """Differences from zarrs. The elements are one chunk."""
    theirs, given, values, ours = (folder / name for name in ("theirs", "given", "values", "ours"))
    expected = {}
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}):
        for i, (name, (dtype, codecs)) in enumerate(cases()):
            elements = some_elements(np.dtype(dtype).str, i, 100)
            if name.startswith("squeeze"):
                elements = elements[:, np.newaxis]

            def exchanged():
                array = zarr.create_array(str(theirs / name), shape=elements.shape, chunks=elements.shape, dtype=elements.dtype,
                                          compressors=None, fill_value=0, **codecs)
                array[...] = elements
                return np.asarray(array[...]).tobytes()

            expected[name], problem = attempt(exchanged)
            if problem:
                yield f"zarrs, writes, {name}: {problem}"
                del expected[name]
                continue
            (given / name).parent.mkdir(parents=True, exist_ok=True)
            (given / name).write_bytes(elements.tobytes())
    chunk = lambda name: "c/0/0/0" if name.startswith("squeeze") else "c/0/0"
    directions = [("reads", run_exchange(program, "read", theirs, values), lambda name: (values / name, expected[name])),
                  ("stores", run_exchange(program, "write", theirs, given, ours),
                   lambda name: (ours / name / chunk(name), (theirs / name / chunk(name)).read_bytes()))]
    for direction, refused, pair in directions:
        for name in expected:
            problem = refused.get(name) or differs(pair(name)[0].read_bytes(), pair(name)[1])
            if bool(problem) != is_known(direction, name):
                yield f"zarrs, tessera {direction}, {name}: {problem or 'KNOWN is not so'}"
