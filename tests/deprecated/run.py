#!/usr/bin/env python3
"""run.py COMPILER OPTIONS...: programs of 0.1 compile, and each old name gets a warning that says the new one.

The numbered programs are the examples of 0.1, unchanged. Delete a row with its alias.
"""
import pathlib
import re
import subprocess
import sys

chunks = "NewArray::chunk_shape was renamed chunks"
get, text = "tessera: get was renamed get_value", "tessera: text was renamed to_text"
queue_of = "tessera: a handle has its queue: "
warnings = {  # program: the warnings
    "01_read": [],
    "02_split_store": [get],
    "03_own_store": [],
    "04_write": [chunks],
    "05_own_codec": [chunks, text],
    "06_device_memory": [chunks, get],
    "07_device_codec": [chunks, text, *(f"{queue_of}array.on(queue).{call}" for call in (
        "read(selection, memory)", "write(selection, memory)"))],
    "old_names": [
        *(f"{queue_of}array.on(queue).{call}" for call in (
            "read(selection)", "read(selection, memory)", "write(selection, memory)", "fill(selection, value)",
            "append(memory, axis)", "append(axis, shape, memory)", "resize(shape)", "compact()", "compact(selection)",
            "read_listed(chunks, memory)", "write_listed(chunks, memory)")),
        *(f"{queue_of}cache.on(queue).{call}" for call in (
            "read(selection, memory)", "write(selection, memory)", "hold(selection)", "hold_for_writing(selection)")),
        "tessera: cast<B>(buffer, queue) was renamed copy_to<B>(buffer, queue)", get, text,
        "tessera: size was renamed value_size", "tessera: where was renamed indices_where",
        "tessera: check(Key) was renamed check_key"],
}

folder = pathlib.Path(__file__).parent
problems = [f"{one.name} has no row" for one in folder.glob("*.cpp") if one.stem not in warnings]
for name, expected in warnings.items():
    run = subprocess.run([*sys.argv[1:], "-Wall", "-Wdeprecated-declarations", "-fsyntax-only", folder / f"{name}.cpp"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        problems.append(f"{name} does not compile:\n{run.stderr}")
    found = sorted(set(re.findall(r"warning: .* is deprecated: (.*) \[-Wdeprecated-declarations\]", run.stderr)))
    if found != sorted(expected):
        problems.append(f"{name}: the warnings are {found}, expected {sorted(expected)}\n{run.stderr}")
if problems:
    sys.exit("\n".join(problems))
print(f"{len(warnings)} programs compile, with {sum(map(len, warnings.values()))} warnings")
