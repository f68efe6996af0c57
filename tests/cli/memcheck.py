#!/usr/bin/env python3
"""Runs the command's tests with each of its processes under valgrind's memcheck.

    memcheck.py BUILD [SUBJECT...]

BUILD is a folder of CMake in which tessera-cli, plug-in and tessera-preloaded are built with CMAKE_BUILD_TYPE=Debug:
an optimiser compares the value of an empty optional before it asks whether there is one, which memcheck reports.
SUBJECT as in test_SUBJECT.py: all, unless some are named, but those in LEFT_OUT. Fails at an error of memcheck and at
memory that is lost for certain. A test that fails is printed, and no more: valgrind's long double has 64 bits, by which
test_diff.py finds another distance of integers.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

LEFT_OUT = {"bombs": "holds peaks of memory to bounds", "limits": "limits the memory of the process",
            "bench": "measures", "device": "runs another program"}
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite", "--num-callers=30"]

build, wanted = sys.argv[1], sys.argv[2:]
listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "-R", "^cli-", "--show-only=json-v1"], check=True,
                                   capture_output=True, text=True).stdout)["tests"]
assert listed, f"{build} has no tests cli-..."
failed, processes, begun = [], 0, time.monotonic()
for test in listed:
    subject = test["name"].removeprefix("cli-")
    if subject not in wanted and (wanted or subject in LEFT_OUT):
        continue
    python, *options, script, binary, data = test["command"]
    environment = [one["value"] for one in test["properties"] if one["name"] == "ENVIRONMENT"]
    with tempfile.TemporaryDirectory() as folder:
        reports, checked = pathlib.Path(folder, "reports"), pathlib.Path(folder, "tessera")
        reports.mkdir()
        checked.write_text(f'#!/bin/sh\nexec {" ".join(VALGRIND)} --log-file={reports}/%p {binary} "$@"\n')
        checked.chmod(0o755)
        variables = {"TESSERA_TEST_TIMEOUT": "900"} | dict(one.split("=", 1) for one in sum(environment, []))
        done = subprocess.run([python, *options, script, checked, data], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=os.environ | variables)
        texts = [file.read_text(errors="replace") for file in reports.iterdir()]
    # Lines of errors begin with the process between "==", warnings (of openat2, which valgrind lacks) with "--".
    found = [text for text in texts if "\n==" in "\n" + text]
    processes += len(texts)
    for text in found[:3]:
        print(text)
    if done.returncode:
        print(done.stdout[-3000:])
    if found:
        failed.append(subject)
    print(f"{subject}: status {done.returncode}, {len(texts)} processes, {len(found)} with errors", flush=True)
left_out = "others" if wanted else ", ".join(LEFT_OUT)
print(f"{processes} processes, {time.monotonic() - begun:.0f} s; not run: {left_out}; "
      f"failed: {', '.join(failed) or 'none'}")
sys.exit(bool(failed))
