"""Exchanges arrays with other programs in both directions, bit for bit: run.py EXCHANGE DEVICE FOLDER [ENVIRONMENT]

EXCHANGE and DEVICE are the programs built from exchange.cpp and device_exchange.cpp; FOLDER is emptied first, and left
to examine failures, with the result in report.md. ENVIRONMENT is the Python environment that has the other programs.
Every array of cases.py is written by each of peers.py and read by tessera, and vice versa. Known refusals and changes
are in KNOWN and KNOWN_ON_DEVICE, with the reason; anything else is a failure, and so is an outdated entry of these."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

if len(sys.argv) > 4 and (python := Path(sys.argv[4], "bin", "python")).exists():
    os.execv(python, [str(python), *sys.argv[:4]])
try:
    import peers
except ImportError as error:
    print(f"not run: {error}. tests/run.sh makes the environment of this test; by hand: "
          "python3 -m venv build/interop-venv && build/interop-venv/bin/pip install -r tests/interop/requirements.txt")
    sys.exit(77)
import cases

NAN = "-nan-(payload|negative|signalling)"
RAW = "^r(8|24)/"  # raw bits
TRANSPOSED = "^transposed-shards/"
ENCODED = "^encoded-shards/"
# (peer, direction, cases, the observation): why
KNOWN = {
    ("zarr-python", "writes", "snappy", "not supported: 'snappy'"): "its blosc is built without snappy",
    ("zarr-python", "reads tessera", "snappy", "blosc decompression"): "its blosc is built without snappy",
    ("zarr-python", "same document", NAN, "^member fill_value.*NaN"): "writes every NaN as \"NaN\"",
    ("zarr-python", "is read by tessera", NAN, "^differs"): "writes every NaN as \"NaN\"",
    ("zarr-python", "reads tessera", "float16-nan|float32-nan-signalling", "^differs"):
        "converts the fill value to float16 and float32 by way of float64, which changes NaNs",
    ("zarr-python", "writes", TRANSPOSED, "divisible"):
        "holds the inner chunks of a transposed shard to the shape before it was transposed",
    ("zarr-python", "reads tessera", TRANSPOSED, "divisible"):
        "holds the inner chunks of a transposed shard to the shape before it was transposed",
    ("zarrs", "writes", TRANSPOSED, "divisible"): "opens arrays by zarr-python",
    ("zarrs", "reads tessera", TRANSPOSED, "divisible"): "opens arrays by zarr-python",
    ("zarrs", "writes", RAW, "Unsupported"): "has no raw bits in Python",
    ("zarrs", "reads tessera", RAW, "Unsupported"): "has no raw bits in Python",
    ("zarrs", "reads tessera", NAN, "^differs"): "fills with the usual NaN",
    ("zarrs", "reads tessera", "^complex.*big", "^differs"):
        "swaps the two parts of a complex number when it decodes big-endian ones, its own too",
    ("TensorStore", "writes", RAW, "raw bits"): "its process ends when it creates one",
    ("TensorStore", "reads tessera", RAW, "base64"): "wants the fill value of raw bits in base64, unlike the specification",
    ("TensorStore", "writes", ENCODED, "Sharding codec"): "refuses codecs behind a shard",
    ("TensorStore", "reads tessera", ENCODED, "Sharding codec"): "refuses codecs behind a shard",
    ("TensorStore", "writes", "large-integers", "too big"): "takes integers of 64 bits only in attributes",
}
KNOWN_ON_DEVICE = {
    ("tessera", "writes", "/(big-)?zstd(-5|3|22|-crc32c)$", "member level: .*nvCOMP writes only 0"):
        "nvCOMP has one level of zstd, which is no level of libzstd's",
    ("tessera", "writes", "/zstd-checksum$", "member checksum: .*nvCOMP writes only false"):
        "nvCOMP's zstd has no checksum",
    ("tessera", "writes", "/gzip0$", "member level: .*nvCOMP writes 1 to 9"): "nvCOMP's gzip compresses always",
    ("tessera", "writes", "/lz4-acceleration50$", "member acceleration: .*nvCOMP writes only 1"):
        "nvCOMP's lz4 has no acceleration",
    ("tessera", "writes", "/blosc-(lz4hc|zlib|snappy)", "member cname: .*nvCOMP writes lz4 and zstd"):
        "writes blosc with lz4 and zstd on the device, and with nothing else",
    ("zarr-python", "writes", "snappy", "not supported: 'snappy'"): "its blosc is built without snappy",
    ("zarrs", "writes", "/lz4", "Unsupported"): "has no `numcodecs.lz4` in Python",
    ("zarrs", "reads tessera", "/lz4", "Unsupported"): "has no `numcodecs.lz4` in Python",
    ("TensorStore", "writes", "/(lz4|zlib)", "numcodecs.* is not registered"): "has no codec of numcodecs",
    ("TensorStore", "reads tessera", "/(lz4|zlib)", "numcodecs.* is not registered"): "has no codec of numcodecs",
}

DIRECTIONS = {
    "writes": "not written",
    "reads tessera": "not read, or not the same",
    "is read by tessera": "read back by tessera as it was written, which is not the same",
    "same document": "another document",
    "same chunks": "other chunks",
}
PLAIN = {"bytes", "transpose", "crc32c"}  # their encoding of a chunk is the same everywhere


class Record:
    def __init__(self, known):
        self.known = known
        self.good = collections.Counter()
        self.seen = collections.defaultdict(list)  # (peer, direction, what) -> names of cases
        self.used = set()
        self.unexpected = []

    def note(self, peer, direction, case, problem):
        """problem: "" if there is none."""
        if not problem:
            self.good[peer, direction] += 1
            return
        for known in self.known:
            if known[:2] == (peer, direction) and re.search(known[2], case.name) and re.search(known[3], problem):
                self.used.add(known)
                self.seen[known].append(case.name)
                return
        self.unexpected.append(f"{peer}, {direction}, {case.name}: {problem}")


def attempt(function, *arguments):
    """A peer's answer, or its refusal."""
    try:
        return function(*arguments), ""
    except Exception as error:  # any exception of a peer
        return None, f"{type(error).__name__}: {error}".split("\n")[0]


def differs(found, expected):
    if found == expected:
        return ""
    if len(found) != len(expected):
        return f"differs: {len(found)} bytes, expected {len(expected)}"
    at = next(i for i, (a, b) in enumerate(zip(found, expected)) if a != b)
    return f"differs: from byte {at} on {found[at:at + 8].hex()}, expected {expected[at:at + 8].hex()}"


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def run_exchange(program, *arguments):
    """Name -> the messages for the arrays that fail."""
    done = subprocess.run([program, *map(str, arguments)], text=True, stdout=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(f"{program} {arguments[0]} ended with {done.returncode}")
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def exchange(record, program, folder, everything, others=peers.PEERS):
    """Each of the others writes and reads every case beside tessera. Yields name -> content of the files of tessera and
    of zarr-python, for the cases that both have written."""
    documents, values, ours = folder / "documents", folder / "values", folder / "tessera"
    for case in everything:
        (documents / case.name).mkdir(parents=True)
        for name, text in case.documents().items():
            (documents / case.name / name).write_text(text)
        (values / case.name).parent.mkdir(parents=True, exist_ok=True)
        (values / case.name).write_bytes(case.elements())

    refused = run_exchange(program, "write", documents, values, ours)
    for case in everything:
        if case.name in refused:
            record.note("tessera", "writes", case, refused[case.name])
            shutil.rmtree(ours / case.name, ignore_errors=True)

    for peer in others:
        theirs, read = folder / peer.name, folder / f"{peer.name}-read"
        for case in everything:
            _, problem = attempt(peer.write, case, str(theirs / case.name))
            record.note(peer.name, "writes", case, problem)
            if problem:
                shutil.rmtree(theirs / case.name, ignore_errors=True)
        refused = run_exchange(program, "read", theirs, read)
        for case in everything:
            if (theirs / case.name).exists():
                record.note(peer.name, "is read by tessera", case,
                            refused.get(case.name) or differs((read / case.name).read_bytes(), case.elements()))
            if (ours / case.name).exists():
                found, problem = attempt(peer.read, case, str(ours / case.name))
                record.note(peer.name, "reads tessera", case, problem or differs(found, case.elements()))

    for case in everything:
        if (folder / "zarr-python" / case.name).exists() and (ours / case.name).exists():
            yield case, files(ours / case.name), files(folder / "zarr-python" / case.name)


def compare_stored(record, stored):
    """The same documents, the same chunks stored."""
    for case, found, expected in stored:
        record.note("zarr-python", "same document", case, document_differs(found, expected))
        record.note("zarr-python", "same chunks", case, chunks_differ(case, found, expected))


def main(program, device_program, folder):
    began = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    record, everything = Record(KNOWN), cases.cases()
    compare_stored(record, exchange(record, program, folder, everything))
    problem = groups_differ(peers.PEERS[0], folder / "tessera", folder / "group", {case.name for case in everything})
    if problem:
        record.unexpected.append(f"zarr-python, groups: {problem}")
    import registered  # which imports this
    record.unexpected += registered.unlike(program, folder / "registered")
    on_device, device_cases = Record(KNOWN_ON_DEVICE), list(cases.device_cases())
    compare_stored(on_device, exchange(on_device, device_program, folder / "device", device_cases))

    text = report(record, len(everything)) + device_report(on_device, len(device_cases))
    on_device.unexpected = [f"device memory: {line}" for line in on_device.unexpected]
    print(f"{time.monotonic() - began:.0f} s")
    return conclude(text, folder, record, on_device)


def conclude(text, folder, *records):
    """Writes the report, prints deviations, and returns the exit status."""
    (folder / "report.md").write_text(text)
    print(text)
    unexpected = [line for record in records for line in record.unexpected]
    stale = [known for record in records for known in record.known if known not in record.used]
    for known in stale:
        print(f"FAILED this is not so: {known}")
    for line in unexpected:
        print(f"FAILED {line[:300]}")
    print(f"{len(unexpected)} unexpected")
    return 1 if unexpected or stale else 0


def groups_differ(zarr_python, ours, theirs, names):
    """`create_any` makes the groups above an array."""
    for group in {name.split("/")[0] for name in names if not re.search(f"{RAW}|{TRANSPOSED}", name)}:
        expected = {name for name in names if name.startswith(group + "/")}
        if (found := {f"{group}/{name}" for name in zarr_python.arrays_in(ours / group)}) != expected:
            return f"{group}: {sorted(found ^ expected)[:3]}"
    zarr_python.make_group(str(theirs))
    return differs((ours / "zarr.json").read_bytes(), (theirs / "zarr.json").read_bytes())


def document_differs(found, expected):
    found, expected = found["zarr.json"], expected["zarr.json"]
    if found == expected:
        return ""
    found, expected = json.loads(found), json.loads(expected)
    for member in [*expected, *found]:
        if str(found.get(member)) != str(expected.get(member)):  # NaN differs from NaN
            return f"member {member}: {found.get(member)}, zarr-python {expected.get(member)}"
    return "the same as JSON, not byte for byte"


def chunks_differ(case, found, expected):
    if found.keys() != expected.keys():
        return f"stored: {sorted(found)}, zarr-python {sorted(expected)}"
    if all(codec["name"] in PLAIN for codec in case.codecs):
        for key in found:
            if key != "zarr.json" and found[key] != expected[key]:
                return f"chunk {key} {differs(found[key], expected[key])}"
    return ""


DOCUMENTS = "its `zarr.json` is tessera's, byte for byte"


def table(record, head="arrays", others=peers.PEERS, documents=DOCUMENTS, versions=True):
    """documents: the words for "same document"; None if documents are not compared."""
    row = lambda head, cells: "| " + " | ".join([head, *map(str, cells)]) + " |\n"
    good = lambda direction: [record.good[peer.name, direction] or "" for peer in others]
    text = row(head, [peer.name for peer in others]) + "|---" * (len(others) + 1) + "|\n"
    if versions:
        text += row("versions", [peer.versions for peer in others])
    text += row("it writes, tessera reads: the same", good("is read by tessera"))
    text += row("tessera writes, it reads: the same", good("reads tessera"))
    if documents:
        text += row(documents, good("same document"))
    return text + row("it stores the chunks that tessera stores", good("same chunks"))


def exceptions(record):
    text = ""
    for known, why in record.known.items():
        names = record.seen[known]
        shown = ", ".join(f"`{name}`" for name in names[:3]) + ", ..." * (len(names) > 3)
        text += f"- **{known[0]}**: {why}; {DIRECTIONS[known[1]]}, {len(names)} arrays ({shown}).\n"
    return text


def report(record, count):
    """For interop.md, beside this."""
    return f"""# Exchange with other programs

Made by `tests/interop/run.py`, which `tests/run.sh` runs: {count} arrays of every data type, codec and chain of codecs, of
ranks 0 to 4 with each way to name chunks, with chunks at the border and missing ones, shards (nested, seen through a transpose, and with codecs behind them), fill values, names and attributes.
Each is written by every program and read by tessera, and written by tessera and read by every program; elements are
compared as bytes, with any bits in them, so with every kind of NaN.

{table(record)}
Where no codec compresses, the chunks are compared byte for byte too. What the others refuse or change:

{exceptions(record)}"""


def device_report(record, count):
    written = count - sum(len(names) for known, names in record.seen.items() if known[0] == "tessera")
    return f"""
## From device memory

{count} arrays: every codec that tessera decodes in device memory and chains of them, of chunks and of the inner chunks of
shards. The emulated runtime stands in for a GPU, and host libraries for nvCOMP: no GPU has run it. tessera reads each
array in two ways: encoded chunks cross, or come from a store in device memory. It writes the {written} whose codecs encode
there: shards to a store in device memory, where they are packed; of others encoded chunks cross.

{table(record)}
What tessera does not write, and what the others refuse or change:

{exceptions(record)}"""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3], Path(sys.argv[3])))
