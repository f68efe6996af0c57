"""numcodecs' own fixtures, read as arrays of Zarr v2: fixtures.py EXCHANGE FIXTURES FOLDER [ENVIRONMENT]

FIXTURES has the folder `fixture` of numcodecs' sources, where tests/fetch_source.py puts it: the output of its codecs
over the years, with the arrays. Each becomes an array of one chunk. Compressors know no types: their output for times
and strings is read as integers and raw bytes. Prints the number of fixtures of codecs that tessera lacks."""
import json
import os
import shutil
import sys
import warnings
from collections import Counter
from pathlib import Path

if len(sys.argv) > 4 and (python := Path(sys.argv[4], "bin", "python")).exists():
    os.execv(python, [str(python), *sys.argv[:4]])
found = sorted(Path(sys.argv[2]).glob("numcodecs-*/fixture"))
if not found:
    print(f"not run: numcodecs' fixtures are not in {sys.argv[2]}; tests/run.sh downloads them")
    sys.exit(77)
try:
    import numcodecs
    import numpy as np
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test")
    sys.exit(77)
from filters import native
from run import attempt, differs, run_exchange

warnings.simplefilter("ignore")
OTHERS = {"base64", "categorize", "json", "json2", "msgpack", "msgpack2", "pickle", "vlen-array", "vlen-bytes", "vlen-utf8", "zfpy"}
# Must be refused, by message: why
REFUSED = {
    ("delta/bool/", "member dtype"): "numcodecs sums booleans up to true, which is not what it encoded",
    ("lzma/codec.04/", "member format"): "a raw stream, whose filters the document has",
}
FILTERS = {"astype", "delta", "fixedscaleoffset", "packbits", "quantize", "shuffle"}


def main(program, fixtures, folder):
    shutil.rmtree(folder, ignore_errors=True)
    arrays, values = folder / "arrays", folder / "values"
    expected, passed_over = {}, Counter()
    for config in sorted(fixtures.rglob("config.json")):
        codec = json.loads(config.read_text())
        for stored in sorted(config.parent.glob("encoded.*.dat")):
            array = np.load(config.parent.parent / f"array.{stored.name.split('.')[1]}.npy", allow_pickle=True)
            if codec["id"] in OTHERS:
                passed_over[codec["id"]] += 1
                continue
            if array.dtype.kind == "O":
                passed_over["objects"] += 1
                continue
            name = str(stored.relative_to(fixtures).with_suffix(""))
            is_filter = codec["id"] in FILTERS
            dtype = np.dtype(codec.get("dtype") or codec.get("decode_dtype") or array.dtype)
            if dtype.kind not in "biufc":
                dtype = np.dtype("<i8" if dtype.kind in "Mm" else f"V{dtype.itemsize}")
            decode = lambda: np.frombuffer(bytes(numcodecs.get_codec(codec).decode(stored.read_bytes())), dtype)
            if codec["id"] == "pcodec":  # it loses nothing, and numcodecs may be without its library
                decode = lambda: array.reshape(-1, order="A").view(dtype)
            decoded, problem = attempt(decode)
            if problem:  # its blosc has no snappy
                passed_over[f"numcodecs: {problem}"] += 1
                continue
            (arrays / name).mkdir(parents=True)
            (arrays / name / ".zarray").write_text(json.dumps({
                "zarr_format": 2, "shape": [decoded.size], "chunks": [decoded.size], "dtype": dtype.str, "fill_value": 0, "order": "C",
                "filters": [codec] if is_filter else None, "compressor": None if is_filter else codec}))
            shutil.copy(stored, arrays / name / "0")
            expected[name] = native(decoded)
    refused = run_exchange(program, "read", arrays, values)
    failed, used = 0, set()
    for name, elements in expected.items():
        why = next((key for key in REFUSED if name.startswith(key[0])), None)
        if why and why[1] in refused.get(name, ""):
            used.add(why)
        elif problem := refused.get(name) or differs((values / name).read_bytes(), elements):
            print(f"FAILED {name}: {problem}"[:300])
            failed += 1
    print(f"{len(expected)} fixtures, {failed} not read as numcodecs reads them; passed over: {dict(passed_over)}")
    return 1 if failed or not expected or used != REFUSED.keys() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], found[-1], Path(sys.argv[3])))
