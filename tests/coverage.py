#!/usr/bin/env python3
"""Which lines, branches and functions of include/ the test programs reach, by folder.

    tests/coverage.py [--jobs N] [--report]

Builds the test programs with the preset coverage (clang++), runs them, and prints a table of the folders and the
functions that no test reaches. --report: of the last run. A template that no test instantiates has no lines here. A
function counts as reached if one instantiation is; one that only the compiler calls is not. Kernels count, as the
emulated runtime runs them.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]
build = root / "build/coverage"
counts = build / "counts"


def output(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout


def tool(name):
    """LLVM's tool, of the version of clang++."""
    version = re.search(r"version (\d+)", output("clang++", "--version"))
    found = shutil.which(f"{name}-{version[1]}") or shutil.which(name)
    if not found:
        sys.exit(f"there is no {name}-{version[1]}: apt install llvm")
    return found


def tests():
    """The tests that are one test program: name, program."""
    for test in json.loads(output("ctest", "--test-dir", build, "--show-only=json-v1"))["tests"]:
        program = pathlib.Path(test.get("command", ["none"])[0])
        if program.name.startswith("test-") and program.exists():
            yield test["name"], program


def run(jobs):
    subprocess.run(["cmake", "--preset", "coverage"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "coverage", "-j", str(jobs)], cwd=root, check=True)
    shutil.rmtree(counts, ignore_errors=True)
    names = "|".join(re.escape(name) for name, _ in tests())
    # %c: counts are in the file at once, also of a process that is killed; %m: one file for a program's processes.
    environment = os.environ | {"LLVM_PROFILE_FILE": f"{counts}/%c%m.profraw"}
    return subprocess.run(["ctest", "--test-dir", build, "-R", f"^({names})$", "-j", str(jobs), "--output-on-failure"],
                          env=environment).returncode


def lcov():
    merged = counts / "all.profdata"
    output(tool("llvm-profdata"), "merge", "-sparse", *sorted(counts.glob("*.profraw")), "-o", merged)
    first, *others = sorted({str(program) for _, program in tests()})
    objects = [part for other in others for part in ("-object", other)]
    command = [tool("llvm-cov"), "export", "-format=lcov", f"-instr-profile={merged}"]
    return output(*command, first, *objects, root / "include")


def without_arguments(name):
    """A function's name in its class, without arguments of templates and calls."""
    signs = str.maketrans("<>()-", "LGCCM")  # which are no brackets
    name = re.sub(r"operator(<<|>>|<=>|<=|>=|<|>|->|\(\))", lambda match: match[0].translate(signs), name)
    for brackets in (r"\[[^][]*\]", r"\([^()]*\)", r"<[^<>]*>"):
        while (shorter := re.sub(brackets, "", name)) != name:
            name = shorter
    name = re.sub(r"('lambda\d*'|\$_\d+)(::operatorCC)?", "lambda", name)  # clang++ names them in two ways
    parts = (re.sub(r"( const| ?&)+$", "", part.strip()) for part in name.split("::"))
    return "::".join([part.rpartition(" ")[2] for part in parts][-3:])


def report(text):
    folders = collections.defaultdict(collections.Counter)
    functions = []
    for record in text.split("end_of_record\n"):
        path = re.search(r"^SF:.*/include/tessera/(.*)", record, re.M)
        if not path:
            continue
        folder = folders[path[1].rpartition("/")[0].partition("/")[0] or "(tessera/)"]
        for name in ("LF", "LH", "BRF", "BRH", "FNF", "FNH"):
            folder[name] += sum(map(int, re.findall(rf"^{name}:(\d+)", record, re.M)))
        lines = {name: int(line) for line, name in re.findall(r"^FN:(\d+),(.*)", record, re.M)}
        for count, name in re.findall(r"^FNDA:(\d+),(.*)", record, re.M):
            functions.append((path[1], lines[name], name, count != "0"))
    folders = dict(sorted(folders.items()))
    folders["all"] = sum(folders.values(), collections.Counter())
    print("| folder | lines | reached | branches | reached | functions | reached |\n|---|---|---|---|---|---|---|")
    for name, folder in folders.items():
        shares = (f"{folder[f'{kind}F']:,} | {100 * folder[f'{kind}H'] / max(folder[f'{kind}F'], 1):.1f} %"
                  for kind in ("L", "BR", "FN"))
        print(f"| {name} | {' | '.join(shares)} |")
    names = output(tool("llvm-cxxfilt"), input="\n".join(name.rpartition(":")[2] for _, _, name, _ in functions)).splitlines()
    reached = collections.defaultdict(bool)  # of each function, whatever its template arguments
    for (path, line, _, is_reached), name in zip(functions, names):
        reached[path, line, without_arguments(name)] |= is_reached
    unreached = sorted(function for function, is_reached in reached.items() if not is_reached)
    print(f"\n{len(unreached)} functions that no test reaches:")
    for path, line, name in unreached:
        print(f"{path}:{line}: {name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    failed = 0 if given.report else run(given.jobs)
    report(lcov())
    sys.exit(failed)
