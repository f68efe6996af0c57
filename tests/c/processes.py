#!/usr/bin/env python3
"""A column between two processes: a program in C publishes it, and Node attaches it by its JSON.

    processes.py PROGRAM ADDON NODE [PRELOADED]
    processes.py --not-run WHY

PRELOADED: the sanitizers' runtime, which the addon needs and Node does not have.
"""
import os
import pathlib
import subprocess
import sys

if sys.argv[1] == "--not-run":
    print(f"not run: the consumer in Node: {sys.argv[2]}")
    sys.exit(77)
program, addon, node, *preloaded = sys.argv[1:]
environment = dict(os.environ)
if preloaded:
    # Node's own memory, which it does not free at its end, is not looked at.
    environment |= {"LD_PRELOAD": preloaded[0], "ASAN_OPTIONS": "detect_leaks=0"}
consumer = pathlib.Path(__file__).parent / "consumer.js"
with subprocess.Popen([program, "publish"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as producer:
    json = producer.stdout.readline()
    done = subprocess.run([node, "--expose-gc", consumer, addon], text=True, input=json, env=environment,
                          capture_output=True, timeout=300)
    producer.stdin.close()
print(done.stdout + done.stderr)
assert done.returncode == 0, f"Node ended with {done.returncode}"
assert "the column is as published" in done.stdout
assert producer.returncode == 0, f"the producer ended with {producer.returncode}"
