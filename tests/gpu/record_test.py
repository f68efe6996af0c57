#!/usr/bin/env python3
"""Shows that a record on a GPU that is cut short is whole up to there: stubs replace all the programs.

    record_test.py RUN.SH FOLDER

Each step is ended in each of its parts in turn, without time to clean up, and runs once to its end; with programs that
report no GPU, that fail, and that do not end. The time limits of its parts fit into that of the step. FOLDER is removed
and made anew.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

run_sh, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
shutil.rmtree(folder, ignore_errors=True)
carried, tools, out = folder / "carried", folder / "tools", folder / "out"
for one in (carried, tools):
    one.mkdir(parents=True)

# Prints its name and arguments; the KILL_AT-th call ends the whole sequence, once its output is in the record. CALLS
# grows by a line each.
STUB = """#!/bin/bash
n=$(wc -l < "$CALLS"); echo "$0 $*" >> "$CALLS"
echo "this is part $n"
if [[ $n == "$KILL_AT" ]]; then
  for ((tries = 0; tries < 1000; ++tries)); do grep -qx "    this is part $n" "$OUT"/*.md && break; done
  kill -KILL -- "-$GROUP"
fi
case $WAY in
  no-gpu) echo "there is no GPU (cudaErrorNoDevice): nothing was measured" >&2; exit 77 ;;
  fails) echo "it was wrong"; exit 1 ;;
  hangs) exec sleep 600 ;;
esac
"""
programs = ["test-cuda-contract", "test-cuda-device", "test-cuda-thrust", "benchmark-placement", "benchmark-compressed",
            "link_probe", "end_to_end", "large", "direct", "cached", "shared", "decoding", "primitives", "test-cuda-ipc", "test-cuda-nvcomp"]
# Writes the time limit of each part.
TIMEOUT = f"""#!/bin/bash
echo "$3" >> "$PARTS_SECONDS"
exec {shutil.which("timeout")} "$@"
"""
stubs = [carried / name for name in programs] + [tools / name for name in ("compute-sanitizer", "gdsio", "ncu", "python3", "nvidia-smi")]
for stub in stubs:
    stub.write_text(STUB)
    stub.chmod(0o755)
(tools / "timeout").write_text(TIMEOUT)
(tools / "timeout").chmod(0o755)
(tools / "nvidia-smi").write_text("#!/bin/sh\necho A stub of a GPU\n")
for name in ("libtimeline.so", "libcupti.so.13"):
    (carried / name).write_text("")
(carried / "python").mkdir()
(carried / "commit").write_text("abc1234\n")

parts_seconds = folder / "seconds"
STEPS = {"suites": 10, "end-to-end": 7, "placement": 6, "memcheck": 4, "direct": 2, "cache": 1, "sharing": 4, "decoding": 2,
         "primitives": 1, "python": 4}  # parts
failures = []


def check(true, *words):
    if not true:
        failures.append(" ".join(map(str, words)))
        print("FAILED:", *words, flush=True)


def run(step, kill_at=-1, way="", options=(), commit="abc1234"):
    """The exit status, the output, and the parts of the record: title, text."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    calls = folder / "calls"
    calls.write_text("")
    parts_seconds.write_text("")
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "OUT": str(out), "CALLS": str(calls),
                   "KILL_AT": str(kill_at), "WAY": way, "TMPDIR": str(folder),
                   "PARTS_SECONDS": str(parts_seconds)}
    command = ["bash", "-c", 'export GROUP=$$; exec "$@"', "-", str(run_sh), "--run-only", "--carried", str(carried), *options,
               step]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, start_new_session=True)
    pages = list(out.glob("*.md"))
    check(len(pages) == 1, step, "has", pages)
    head, *parts = re.split(r"^## ", pages[0].read_text(), flags=re.MULTILINE)
    check(f"of commit {commit}. " in head, step, "does not say the commit:", head)
    return done.returncode, done.stdout + done.stderr, [part.split("\n", 1) for part in parts]


def ending(text):
    found = re.findall(r"^\*\*(.*)\*\*$", text, flags=re.MULTILINE)
    return found[0] if len(found) == 1 else None


for step, count in STEPS.items():
    status, said, parts = run(step)
    check(status == 0, step, "ended with", status, said)
    check(len(parts) == count, step, "has", len(parts), "parts, expected", count)
    # The one Python stub is also queried for CUPTI's place: such a call is not a part.
    numbers = [int(re.search(r"this is part (\d+)", text)[1]) for _, text in parts]
    for title, text in parts:
        check(re.fullmatch(r"passed, \d+ s", ending(text) or ""), step, title, "ends with", ending(text))
    whole = [title for title, _ in parts]
    bound = int(re.search(r"^== .*, at most (\d+) s$", said, flags=re.MULTILINE)[1])
    seconds = [int(line) for line in parts_seconds.read_text().splitlines()]
    check(len(seconds) == count and sum(seconds) <= bound, step, "is bounded by", bound, "s, its parts by", seconds)

    for k, number in enumerate(numbers):
        status, said, cut = run(step, kill_at=number)
        check(status == -signal.SIGKILL, step, "cut off in part", k, "ended with", status, said)
        check([title for title, _ in cut] == whole[:k + 1], step, "cut off in part", k, "has", [title for title, _ in cut])
        for title, text in cut[:k]:
            check((ending(text) or "").startswith("passed"), step, "cut off in part", k, ":", title, "has no end")
        check(ending(cut[-1][1]) is None and f"    this is part {number}\n" in cut[-1][1], step, "cut off in part", k, ":",
              cut[-1])

    status, said, parts = run(step, way="no-gpu")
    check(status == 77, step, "without a GPU ended with", status, said)
    for title, text in parts:
        check((ending(text) or "").startswith("not run: there is no GPU"), step, title, "without a GPU:", ending(text))

    status, said, parts = run(step, way="fails")
    check(status == 1 and len(parts) == count, step, "of failures ended with", status, said)
    for title, text in parts:
        check((ending(text) or "").startswith("FAILED, exit status 1"), step, title, "of a failure:", ending(text))

status, said, parts = run("memcheck", way="hangs", options=("--seconds", "10"))  # a busy machine starts it late
check(status == 1 and len(parts) == 4, "what hangs ended with", status, said)
check(ending(parts[0][1]).startswith("FAILED: stopped"), "what hangs:", ending(parts[0][1]))
for title, text in parts[1:]:
    check(ending(text) == "not run: the time of this step is over", title, "after what hangs:", ending(text))

run("memcheck", options=("--commit", "1234abc, by hand"), commit="1234abc, by hand")

shutil.rmtree(folder)
sys.exit(1 if failures else 0)
