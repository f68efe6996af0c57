#!/usr/bin/env python3
"""Leaves out each wait, event and synchronisation of the library, one at a time: a test must fail.

    run.py PROGRAM... [--write tests/mutation/mutation.md] [--only WORD...] [--jobs N] [--known FILE]

--known keeps the results, for the next run with the same programs. --only: places that contain one of the words.

Each PROGRAM is tests of device memory on the emulated runtime, compiled without optimisation (the CMake targets
mutation-device, -cache, -ipc and -cufile). One run finds the library's calls of the runtime; a place is the call
together with the functions of memory/ that make it and the first place outside of memory/ that requested it. It is
caught if a test of one of the programs fails. Exit status 1: a place can be left out, no test fails, and reasons.txt
has no reason.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
library = "include/tessera/"


not_tried = "not tried"
quick = {"TESSERA_TEST_SEEDS": "16"}
if os.access("/dev/shm", os.W_OK):
    quick["TMPDIR"] = "/dev/shm"  # the tests' files stay in memory


def run(program, *options, **environment):
    return subprocess.run([program, "--abort-after=1", "--no-colors", *options], cwd=root, text=True, errors="replace", capture_output=True,
                          env={**os.environ, **quick, **environment}, timeout=1800)


def frames_of(program, addresses):
    """Address -> (function, file within the project or "", line)."""
    asked = sorted(addresses)
    # A return address is after its call.
    shown = subprocess.run(["addr2line", "-f", "-C", "-e", program], text=True, capture_output=True, check=True,
                           input="".join(f"{address - 1:#x}\n" for address in asked)).stdout.splitlines()
    result = {}
    for address, function, place in zip(asked, shown[::2], shown[1::2]):
        file, _, line = place.split(" ")[0].rpartition(":")
        file = os.path.normpath(file)
        inside = os.path.relpath(file, root)
        result[address] = (short(function), "" if inside.startswith("..") else inside, line)
    return result


def short(function):
    """A function's name without template arguments, parameters and namespaces."""
    while (plain := re.sub(r"<[^<>]*>", "", function)) != function:
        function = plain
    function = re.sub(r"\{lambda.*", "", function.replace("[clone", ""))
    function = re.sub(r"\(.*", "", function).rstrip(":").split(" ")[-1]
    return "::".join(function.split("::")[-2:])


def cases_of(program):
    """The names of the tests, escaped for doctest's filters: a comma would end one."""
    listed = run(program, "-ltc").stdout.splitlines()
    return [line.replace(",", "?") for line in listed if line and not line.startswith(("[doctest]", "="))]


def sites_of(program, case):
    """The places of ordering calls of the library while one test runs, and its time."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sites"
        start = time.monotonic()
        done = run(program, f"-tc={case}", TESSERA_EMULATION_SITES=str(file))
        if done.returncode:
            sys.exit(f"a test fails with nothing left out:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [(words[0], tuple(int(word, 16) for word in words[1:])) for words in lines], time.monotonic() - start


def places(program, jobs):
    """Place -> its return addresses, the innermost first, and the tests that reach it, the quickest first."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        cases = cases_of(program)
        seen = dict(zip(cases, pool.map(lambda case: sites_of(program, case), cases)))
    frames = frames_of(program, {address for sites, _ in seen.values() for _, site in sites for address in site})
    found = {}
    for case, (sites, seconds) in seen.items():
        for call, site in sites:
            chain, last = [], 0
            for depth, address in enumerate(site):
                function, file, line = frames[address]
                if not file:
                    continue  # the standard library's
                if not file.startswith(library):
                    break
                chain.append((function, file.removeprefix(library), line))
                last = depth
                if not file.startswith(library + "memory/"):
                    break
            if chain:
                addresses, by = found.setdefault((call, tuple(chain)), (set(), {}))
                addresses.add(site[: last + 1])
                by[case] = seconds
    return {place: (addresses, sorted(by, key=by.get)) for place, (addresses, by) in found.items()}


def killed_by(program, addresses, cases):
    with tempfile.NamedTemporaryFile("w") as file:
        for site in addresses:
            file.write("left-out " + " ".join(f"{address:#x}" for address in site) + "\n")
        file.flush()
        many = len(cases) * 3 // 4  # most are caught by a quick one
        for some in (cases[:many], cases[many:]):
            if not some:
                continue
            try:
                done = run(program, "-tc=" + ",".join(some), TESSERA_EMULATION_LEAVE_OUT=file.name)
            except subprocess.TimeoutExpired:
                return "it hangs"
            if done.returncode:
                case = re.search(r"TEST CASE:\s*(.*)", done.stdout)
                report = re.search(r"emulation: .*", done.stderr)
                return case.group(1).strip() if case else report.group(0) if report else f"exit status {done.returncode}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--write")
    parser.add_argument("--only", nargs="+", default=[""])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--known", type=pathlib.Path)
    parser.add_argument("--no-more", action="store_true", help="what is not known yet is not tried")
    options = parser.parse_args()
    found = {}  # place -> for each program that reaches it: the program, its addresses, its tests
    for program in options.programs:
        for place, there in places(program, options.jobs).items():
            if any(word in str(place) for word in options.only):
                found.setdefault(place, []).append((program, *there))
    reasons = {}
    for line in (here / "reasons.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            where, _, why = line.partition(": ")
            reasons[where] = why

    known = json.loads(options.known.read_text()) if options.known and options.known.exists() else {}

    def tried(place):
        if str(place) in known or options.no_more:
            return known.get(str(place), not_tried)
        test = next(filter(None, (killed_by(*tests) for tests in found[place])), None)
        known[str(place)] = test
        if options.known:
            options.known.write_text(json.dumps(known))
        print(place[0], "in", " in ".join(function for function, _, _ in place[1]), "->", test, flush=True)
        return test

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(found, pool.map(tried, found)))

    rows, survivors = [], []
    for (call, chain), test in sorted(results.items(), key=lambda item: (item[0][1][-1], item[0])):
        where = " in ".join(function for function, _, _ in chain)
        _, file, line = chain[-1]
        reason = next((why for pattern, why in reasons.items() if fnmatch.fnmatch(f"{call} in {where}", pattern)), None)
        if not test and not reason:
            survivors.append(f"{call} in {where} ({file}:{line})")
        said = "not tried" if test == not_tried else f"caught: {test}" if test else f"not caught: {reason or 'NO REASON'}"
        rows.append(f"| `{call}` | `{where}` | {file} | {said} |")
    left = sum(test == not_tried for test in results.values())
    caught = sum(bool(test) for test in results.values()) - left
    summary = (f"{len(results)} places, {caught} caught by a test, {len(results) - caught - left - len(survivors)} with a reason, "
               f"{len(survivors)} unexplained, {left} not tried")
    print(summary)
    if options.write:
        pathlib.Path(options.write).write_text(
            "# What is missed when a wait is left out\n\n"
            "Made by `tests/mutation/run.py`: the emulated runtime leaves out each event, wait and synchronisation that the "
            "library makes, one place\nat a time, and the tests of device memory run. A test must fail; where none does, "
            "`tests/mutation/reasons.txt` says why that is right.\n\n"
            f"**{summary}.**\n\n| call | made in | file | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n")
    for survivor in survivors:
        print(f"can be left out, and no test fails: {survivor}", file=sys.stderr)
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
