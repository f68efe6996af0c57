"""Codecs that change elements, compared with numcodecs on elements of any bits: the stored bytes, and the elements
read."""
import numcodecs
import numpy as np
import zarr

from run import attempt, differs, run_exchange

def some_elements(dtype, seed, most):
    """Half of them any bits, including NaN; the rest numbers up to that size."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    elements = np.frombuffer(random.integers(0, 256, 600 * dtype.itemsize, "u1").tobytes(), dtype.newbyteorder("=")).copy()
    if dtype.kind == "f":
        elements[300:] = (random.uniform(-most, most, 300) * random.choice([1, 1e-3, 1e-6], 300)).astype(dtype)
        bits = elements.view(f"u{dtype.itemsize}")  # a signalling NaN stays one on some processors only
        bits[np.isnan(elements)] |= bits.dtype.type(1 << {2: 9, 4: 22, 8: 51}[dtype.itemsize])
        elements[:8] = [np.nan, np.inf, -np.inf, -0.0, 0.5, 1.5, -2.5, np.finfo(dtype).smallest_subnormal]
    elif dtype.kind == "b":
        elements = random.integers(0, 2, 600).astype(dtype)
    else:
        with np.errstate(all="ignore"):
            elements[300:] = random.integers(-most if dtype.kind == "i" else 3, most, 300).astype(dtype)
    return elements.astype(dtype).reshape(20, 30)


def chains():
    """Name -> type of the elements, the largest of half of them, filters of numcodecs."""
    scale = lambda dtype, astype, offset, scale: dict(id="fixedscaleoffset", scale=scale, offset=offset, dtype=dtype, astype=astype)
    for dtype in ("<f4", "<f8", ">f8", "<f2"):
        name = f"{dtype[1:]}-{'big' if dtype[0] == '>' else 'little'}"
        for astype in ("|i1", "|u1", "<i2", ">u2", "<i4", "<i8", "<u8", "<f2", "<f4", "<f8"):
            yield f"fixedscaleoffset/{name}-{astype[1:]}", (dtype, 100, [scale(dtype, astype, 1.5, 10)])
            yield f"astype/{name}-{astype[1:]}", (dtype, 1000, [dict(id="astype", encode_dtype=astype, decode_dtype=dtype)])
        for digits in (-2, -1, 0, 1, 3, 10):
            if digits < 4 or dtype != "<f2":
                yield f"quantize/{name}-{digits}", (dtype, 1000, [dict(id="quantize", digits=digits, dtype=dtype, astype=dtype)])
        for bits in (0, 1, 3, 7, 10) if dtype[0] == "<" else ():  # numcodecs rounds no others
            yield f"bitround/{name}-{bits}", (dtype, 1000, [dict(id="bitround", keepbits=bits)])
    yield "quantize/narrower", ("<f8", 1000, [dict(id="quantize", digits=2, dtype="<f8", astype="<f4")])
    for dtype in ("|i1", "|u1", "<i2", "<u4", ">i4", "<i8", "<u8"):
        for astype in ("|i1", "<u2", "<i8", "<f2", "<f4", "<f8"):
            yield f"fixedscaleoffset/{dtype[1:]}-{astype[1:]}", (dtype, 100, [scale(dtype, astype, 3, 2)])
            yield f"fixedscaleoffset/{dtype[1:]}-{astype[1:]}-fractions", (dtype, 100, [scale(dtype, astype, 3, 0.5)])
            yield f"fixedscaleoffset/{dtype[1:]}-{astype[1:]}-offset", (dtype, 100, [scale(dtype, astype, 3.5, 2)])
            yield f"astype/{dtype[1:]}-{astype[1:]}", (dtype, 100, [dict(id="astype", encode_dtype=astype, decode_dtype=dtype)])
    yield "packbits/all", ("|b1", 1, [dict(id="packbits")])
    yield "several/two", ("<f8", 100, [scale("<f8", "<i4", 0, 100), dict(id="delta", dtype="<i4", astype="<i4")])
    yield "several/checked", ("<f4", 100, [dict(id="bitround", keepbits=5), dict(id="shuffle", elementsize=4), dict(id="jenkins_lookup3")])


def of_v3(filters):
    import zarr.codecs.numcodecs as of
    classes = {"fixedscaleoffset": of.FixedScaleOffset, "astype": of.AsType, "quantize": of.Quantize, "bitround": of.BitRound,
               "packbits": of.PackBits, "delta": of.Delta, "shuffle": of.Shuffle, "jenkins_lookup3": of.JenkinsLookup3}
    made = [classes[f["id"]](**{name: value for name, value in f.items() if name != "id"}) for f in filters]
    is_of_bytes = lambda f: f["id"] in ("shuffle", "jenkins_lookup3")
    return ([m for m, f in zip(made, filters) if not is_of_bytes(f)], [m for m, f in zip(made, filters) if is_of_bytes(f)])


def decoded(filters, elements):
    """numcodecs' decoding of its own encoding."""
    codecs, made = [numcodecs.get_codec(dict(f)) for f in filters], elements
    for codec in codecs:
        made = codec.encode(made)
    for codec in reversed(codecs):
        made = codec.decode(made)
    return np.frombuffer(np.ascontiguousarray(made).tobytes(), elements.dtype)


def native(array):
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("=")).tobytes()


def unlike(program, folder):
    """Differences from numcodecs. The elements are one chunk."""
    theirs, values, ours, given, encoded = (folder / name for name in ("theirs", "values", "ours", "given", "encoded"))
    with np.errstate(all="ignore"):
        written = {}
        for i, (name, (dtype, most, filters)) in enumerate(chains()):
            elements = some_elements(dtype, i, most)
            for zarr_format in (2, 3):
                if zarr_format == 3 and dtype[0] == ">":
                    continue  # v3 has the byte order elsewhere
                path = f"v{zarr_format}/{name}"
                common = dict(shape=elements.shape, chunks=elements.shape, dtype=elements.dtype, zarr_format=zarr_format,
                              fill_value=elements.dtype.type(0))
                made, compressors = of_v3(filters)
                if zarr_format == 2:
                    made, compressors = [numcodecs.get_codec(dict(f)) for f in filters], None
                array, problem = attempt(lambda: zarr.create_array(str(theirs / path), filters=made, compressors=compressors, **common))
                if not problem:
                    _, problem = attempt(lambda: array.__setitem__(..., elements))
                if problem:
                    yield f"numcodecs, writes, {path}: {problem}"
                    continue
                written[path] = decoded(filters, elements)
                (given / path).parent.mkdir(parents=True, exist_ok=True)
                (given / path).write_bytes(native(elements))
    refused = run_exchange(program, "read", theirs, values)
    for path, expected in written.items():
        if problem := refused.get(path) or differs((values / path).read_bytes(), native(expected)):
            yield f"numcodecs, is read by tessera, {path}: {problem}"
    refused = run_exchange(program, "write", theirs, given, ours)
    for path in written:
        chunk = "c/0/0" if path.startswith("v3") else "0.0"
        if problem := refused.get(path) or differs((ours / path / chunk).read_bytes(), (theirs / path / chunk).read_bytes()):
            yield f"numcodecs, same chunk, {path}: {problem}"
