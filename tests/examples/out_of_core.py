#!/usr/bin/env python3
"""Checks the output of examples/device/out_of_core: its figures, and its picture, compared with a model of
least-recently-used eviction, followed here chunk by chunk.

    out_of_core.py PROGRAM PICTURE.svg
"""
import re
import subprocess
import sys
from collections import OrderedDict

program, picture = sys.argv[1:]
said = subprocess.run([program, picture], check=True, capture_output=True, text=True).stdout
print(said, end="")


def number(pattern):
    found = re.search(pattern, said)
    assert found, f"{pattern!r} is not said"
    return int(found[1])


shape = [int(n) for n in re.search(r"(\d+), (\d+), (\d+)", said).groups()]
grid = [(n + 31) // 32 for n in shape]
chunks = number(r"voxels in (\d+) chunks")
spills, returns = number(r"(\d+) chunks spilled"), number(r"(\d+) came back")
copies = number(r"host in (\d+) copies")
written, misses = number(r"(\d+) were written"), number(r"(\d+) read from it")
crossed = number(r"(\d+) bytes crossed")
CHUNK, DEVICE, HOST = 32**3, 40, 96
assert chunks == grid[0] * grid[1] * grid[2], (chunks, grid)

# The picture: places[step][chunk], 1 for the device, 2 for the host.
kinds = {"#eeeeee": 0, "#76b900": 1, "#4477aa": 2, "#117733": 3}
places = {}
for x, y, height, colour in re.findall(r"<rect x='(\d+)' y='(\d+)' width='9' height='(\d+)' fill='(#\w+)'/>",
                                       open(picture).read()):
    step, first, count = (int(x) - 10) // 10, (int(y) - 40) // 2, int(height) // 2
    for i in range(first, first + count):
        places.setdefault(step, {})[i] = kinds[colour]

# The steps: blocks of 1 * 4 * 3 chunks are written, then read in the other direction, with a chunk more at each end.
blocks = [(x, y, z) for y in range(0, grid[1], 4) for z in range(0, grid[2], 3) for x in range(grid[0])]


def touched(block, more):
    x, y, z = block
    return [(i * grid[1] + j) * grid[2] + k for i in range(max(x - more, 0), min(x + 1 + more, grid[0]))
            for j in range(y, min(y + 4, grid[1])) for k in range(z, min(z + 3, grid[2]))]


steps = [touched(block, 0) for block in blocks] + [touched(block, 1) for block in reversed(blocks)]
assert sorted(places) == list(range(len(steps))) and all(len(places[step]) == chunks for step in places)

# The model: the least recently used chunk moves from the device to the host, and from the host to the store.
device, host = OrderedDict(), OrderedDict()
crossings = decoded = left = 0
for step, used in enumerate(steps):
    for chunk in used:
        if chunk in device:
            device.move_to_end(chunk)
            continue
        if host.pop(chunk, None):
            crossings += 1
        elif step >= len(blocks):
            crossings += 1
            decoded += 1
        device[chunk] = True
    while len(device) > DEVICE:
        host[device.popitem(last=False)[0]] = True
        crossings += 1
    while len(host) > HOST:
        host.popitem(last=False)
        left += 1
    shown = places[step]
    there = {chunk for chunk in shown if shown[chunk] & 1}
    assert set(used) <= there and len(there) <= DEVICE, f"step {step}: the device has {sorted(there)}"
    assert sum(shown[chunk] >> 1 for chunk in shown) <= HOST, f"step {step}: the host has too many"

print(f"{crossings * CHUNK} bytes would cross by the rule, and {decoded} chunks be read; {left} leave the host")
assert crossed == (spills + returns) * CHUNK
assert 10 * (crossed + misses * CHUNK) <= 11 * crossings * CHUNK, "more crosses than the rule asks for"
assert copies < spills + returns, "chunks share no copies"
assert misses > 0 and written > 0 and returns > 0, "the budgets ask for nothing"
