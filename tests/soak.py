#!/usr/bin/env python3
"""Processes read, write, resize, append to and compact the same arrays, and are killed at random, for a time: what each
reported is there afterwards, and nothing else.

    soak.py TEST-ARRAY MINUTES [SEED]

TEST-ARRAY is the program of tests/array. Runs its history of several processes, its kills of one process, and its
several writers again and again, with another seed each time, which is printed with what failed. The folders lie in
TMPDIR. The last line has the numbers of steps and of killed processes.
"""
import os
import random
import re
import subprocess
import sys
import time

program, minutes = sys.argv[1], float(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(2**31)
names = ["history", "killed", "several_writers", "appending_beside_others"]
sources = ",".join(f"*/array/{name}.cpp" for name in names)
begun, rounds, steps, killed = time.monotonic(), 0, 0, 0
while time.monotonic() < begun + 60 * minutes:
    variables = {"TESSERA_SEED": str(seed + rounds), "TESSERA_TEST_ROUNDS": "4000", "TESSERA_TEST_KILLS": "200"}
    run = subprocess.run([program, f"--source-file={sources}", "--no-colors"], env=os.environ | variables, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    done = re.search(r"(\d+) steps, (\d+) processes were killed", run.stdout)
    kills = re.findall(r"(\d+) killed, (\d+) of them amidst", run.stdout)
    if run.returncode or not done or not kills:
        print(run.stdout[-6000:])
        given = " ".join(f"{name}={value}" for name, value in variables.items())
        sys.exit(f"round {rounds}, status {run.returncode}; again: {given} {program} '--source-file={sources}'")
    rounds += 1
    steps += int(done[1])
    killed += int(done[2]) + sum(int(one) for one, _ in kills)
print(f"{rounds} rounds from seed {seed}, {time.monotonic() - begun:.0f} s: {steps} steps of several processes, "
      f"{killed} killed")
