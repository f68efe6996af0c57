#!/usr/bin/env python3
"""Shows that the emulation catches mistakes: each wrong program is caught, and its corrected twin passes silently.

    run.py PROGRAM FILE [--thread|--address]

Runs each mistake of the file, wrong and cured, under the first 16 seeds, each as a process of its own. --thread: the
program was built with ThreadSanitizer, which reports mistakes in order under every seed, and whose builds do not close
device memory. --address: it was built with another sanitizer; in neither of them is each access checked.
"""
import os
import subprocess
import sys

program, file = sys.argv[1:3]
thread = "--thread" in sys.argv[3:]
looks = not sys.argv[3:]
seeds = range(16)
# One race is enough, and ThreadSanitizer's sleep at exit is not needed: threads have ended by then.
options = ":".join(filter(None, [os.environ.get("TSAN_OPTIONS"), "halt_on_error=1", "atexit_sleep_ms=0"]))
environment = {**os.environ, "TSAN_OPTIONS": options}


def run(name, twin, seed):
    """The exit status and the output."""
    try:
        done = subprocess.run([program, name, twin, str(seed)], text=True, capture_output=True, timeout=60, env=environment)
    except subprocess.TimeoutExpired:
        return None, "it hangs"
    return done.returncode, done.stdout + done.stderr


def judge(name, how, words):
    """Deviations from the expected result."""
    if thread and how in ("by_order", "by_answer"):
        words += ["ThreadSanitizer: data race"]
    for seed in seeds:
        status, said = run(name, "cured", seed)
        if status != 0 or said:
            yield f"cured, seed {seed}: ended with {status}\n{said}"
    if (thread and how == "by_memory") or (how == "by_accesses" and not looks):
        return
    caught = []
    for seed in seeds:
        status, said = run(name, "wrong", seed)
        if status == 0 and not said:
            continue
        if status == 0 or not any(word in said for word in words):
            yield f"wrong, seed {seed}: ended with {status}, expected {' or '.join(words)}\n{said}"
            continue
        caught.append(seed)
        again, _ = run(name, "wrong", seed)
        if again != status:
            yield f"wrong, seed {seed}: ended with {status}, and the next time with {again}"
    print(f"{name}: caught under {len(caught)} of {len(seeds)} seeds", flush=True)
    some = how == "by_answer" or (how == "by_order" and not thread)
    if not caught or (len(caught) < len(seeds) and not some):
        yield f"wrong: caught under the seeds {caught} alone"


listed = subprocess.run([program], text=True, capture_output=True, check=True).stdout.splitlines()
mistakes = [line.split("\t") for line in listed if line.startswith(file + ":")]
failed = not mistakes
for name, how, words in mistakes:
    for problem in judge(name, how, words.split("|")):
        failed = True
        print(f"FAILED: {name}: {problem}", flush=True)
sys.exit(1 if failed else 0)
