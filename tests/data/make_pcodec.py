"""Writes the cases of pcodec.json that this environment's version of pcodec makes, in place of those of that version:
make_pcodec.py. Run with pcodec 0.1.0, 0.2.0, 0.3.6 and 1.1.0, which write the format's versions 1 to 4.1."""
import hashlib
import importlib.metadata
import json
import pathlib
import struct

import numpy as np
import pcodec
from pcodec import ChunkConfig, PagingSpec, standalone

VERSION = importlib.metadata.version("pcodec")
AT = pathlib.Path(__file__).parent / "pcodec.json"
TYPES = ["uint8", "int8", "uint16", "int16", "float16", "uint32", "int32", "float32", "uint64", "int64", "float64"]
SIZES = 0, 1, 255, 256, 257, 5000
random = np.random.default_rng(39)


def numbers(kind, dtype, n):
    dtype = np.dtype(dtype)
    few = 5 if n > 1000 else 12
    if kind == "any":
        return np.frombuffer(random.bytes(n * dtype.itemsize), dtype)
    if kind == "walk":
        return (100 + np.cumsum(random.integers(-1, 2, n)) % 20).astype(dtype)
    if kind == "wave":
        return (60 + 50 * np.sin(np.arange(n) / 20)).astype(dtype)
    if kind == "repeated":
        return np.resize(random.integers(0, 100, 9), n).astype(dtype)
    if kind == "multiple":
        return (random.integers(0, few, n) * 5 + (random.integers(0, 40, n) == 0)).astype(dtype) if dtype.kind != "f" else (
            random.integers(-few, few, n) * 0.1).astype(dtype)
    if kind == "quantized":
        return random.integers(-few, few, n).astype(np.float16).astype(dtype) + (random.integers(0, 9, n) == 0) * np.finfo(dtype).eps
    few_numbers = random.integers(-100, 100, 5) * 1e3 if dtype.kind == "f" else random.integers(0, 120, 5)
    result = random.choice(few_numbers, n).astype(dtype)
    if dtype.kind == "f" and n > 5:
        result[:5] = np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).smallest_subnormal
    return result


def cases():
    """Name, numbers, and the options of a ChunkConfig."""
    if VERSION.startswith("0.1."):
        for dtype in TYPES[5:]:
            for n, order in (1, 0), (257, 2):
                yield f"walk/{n}/consecutive-{order}", numbers("walk", dtype, n), {"delta_encoding_order": order}
            yield "multiple/300/auto", numbers("multiple", dtype, 300), {}
        return
    from pcodec import ModeSpec
    if VERSION.startswith("0.2."):
        for dtype in TYPES[2:]:
            yield "walk/257/consecutive-1", numbers("walk", dtype, 257), {"delta_encoding_order": 1}
            yield "multiple/300/auto", numbers("multiple", dtype, 300), {}
        yield "quantized/300/quantized", numbers("quantized", "float32", 300), {"mode_spec": ModeSpec.try_float_quant(13)}
        return
    from pcodec import DeltaSpec
    if VERSION.startswith("0.3."):
        for dtype in TYPES[2:]:
            yield "walk/300/auto", numbers("walk", dtype, 300), {}
            yield "repeated/300/lookback", numbers("repeated", dtype, 300), {"delta_spec": DeltaSpec.try_lookback()}
        return
    deltas = {"none": DeltaSpec.no_op(), "lookback": DeltaSpec.try_lookback()}
    deltas |= {f"consecutive-{k}": DeltaSpec.try_consecutive(k) for k in (1, 2, 7)}
    convolutions = {f"convolution-{k}": DeltaSpec.try_conv1(k) for k in (1, 6, 32)}
    for i, dtype in enumerate(TYPES):
        for n in SIZES[: 6 if dtype in ("int32", "float64") else 5]:
            yield f"walk/{n}/auto", numbers("walk", dtype, n), {}
        yield "any/40/auto", numbers("any", dtype, 40), {}
        yield "walk/150/pages", numbers("walk", dtype, 150), {"paging_spec": PagingSpec.equal_pages_up_to(60)}
        modes = {"classic": ("few", ModeSpec.classic()), "dictionary": ("few", ModeSpec.try_dict())}
        if np.dtype(dtype).kind == "f":
            modes |= {"multiple": ("multiple", ModeSpec.try_float_mult(0.1)), "quantized": ("quantized", ModeSpec.try_float_quant(6))}
        else:
            modes |= {"multiple": ("multiple", ModeSpec.try_int_mult(5))}
        for k, (mode, (kind, spec)) in enumerate(modes.items()):
            for delta in ("none", list(deltas)[1 + (i + k) % 4]):
                yield f"{kind}/264/{mode}/{delta}", numbers(kind, dtype, 264), {"mode_spec": spec, "delta_spec": deltas[delta]}
        if i % 3 == 0:  # of each width
            for name, delta in (deltas | (convolutions if np.dtype(dtype).itemsize < 8 else {})).items():
                kind = "repeated" if name == "lookback" else "wave"
                yield f"{kind}/560/{name}", numbers(kind, dtype, 560), {"delta_spec": delta, "mode_spec": ModeSpec.classic()}


def main():
    kept = [case for case in json.loads(AT.read_text() if AT.exists() else "[]") if not case["name"].startswith(VERSION + "/")]
    def add(name, elements, file):
        kept.append({"name": f"{VERSION}/{elements.dtype}/{name}", "type": str(elements.dtype), "count": len(elements),
                     "sha256": hashlib.sha256(elements.tobytes()).hexdigest(), "file": file.hex()})
    for name, elements, options in cases():
        if elements.dtype.itemsize == 1:
            options = {**options, "enable_8_bit": True}
        file = bytes(standalone.simple_compress(elements, ChunkConfig(**options)))
        add(name, elements, file)
        if VERSION == "0.1.0" and name.startswith("multiple"):  # as the format's first versions had it, without a count
            hint = 6 + 1 + file[5] % 64
            add(f"{name}/version-1", elements, file[:4] + file[5 + (hint + 7) // 8 :])
    kept.sort(key=lambda case: [int(part) if part.isdigit() else -1 for part in case["name"].split("/")[0].split(".")])
    AT.write_text("[\n" + ",\n".join(json.dumps(case) for case in kept) + "\n]\n")


main()
