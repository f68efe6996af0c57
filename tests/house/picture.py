#!/usr/bin/env python3
"""Draws docs/pictures/house.svg: the folders of include/tessera/ by rank, and their includes.

    picture.py [--check] [PROJECT]

An arrow leads from a folder to each that it includes, except where a longer way leads there too. --check fails if the
picture that is there differs.
"""
import html
import pathlib
import re
import sys

check = "--check" in sys.argv
paths = [one for one in sys.argv[1:] if one != "--check"]
root = pathlib.Path(paths[0]) if paths else pathlib.Path(__file__).resolve().parents[2]
picture = root / "docs/pictures/house.svg"
include = root / "include/tessera"
layers = re.findall(r'"([^"]*)"', re.search(r"set\(layers ([^)]*)\)", (root / "tests/house/layers.cmake").read_text())[1])
rows = [row.split() for row in layers]
# What a folder is about: the first part of its row in the design's table, which has as many parts as it has folders.
about = {}
for folders, text in re.findall(r"^\| \d+ \| ((?:`\w+/` ?)+)\| (.*) \|$", (root / "docs/design.md").read_text(), re.M):
    names, parts = re.findall(r"`(\w+)/`", folders), text.split("; ")
    about |= {name: re.sub(r"[`*[\]]|\([^)]*\)", "", parts[i]).strip() for i, name in enumerate(names) if i < len(parts)}
assert {name for row in rows for name in row} == about.keys(), "the design's table and layers.cmake name other folders"

direct = {name: set() for row in rows for name in row}
for path in sorted(include.rglob("*.*")):
    folder = path.relative_to(include).parts[0]
    if folder in direct:
        direct[folder] |= set(re.findall(r"^#include <tessera/(\w+)/", path.read_text(), re.M)) & direct.keys() - {folder}


def reached(name, found):
    for one in direct[name]:
        if one not in found:
            found.add(one)
            reached(one, found)
    return found


shown = {name: {one for one in to if not any(one in reached(other, set()) for other in to - {one})} for name, to in direct.items()}

WIDTH, HEIGHT, GAP, WIDE, LETTERS = 230, 46, 34, 1100, 36
at = {}
for rank, row in enumerate(reversed(rows)):
    for i, name in enumerate(row):
        at[name] = (WIDE / 2 + (i - (len(row) - 1) / 2) * (WIDTH + 60), 20 + rank * (HEIGHT + GAP))
tall = 20 + len(rows) * (HEIGHT + GAP)
lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {tall}" font-family="sans-serif">',
         '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
         '<path d="M0 0L8 4L0 8z" fill="#607d8b"/></marker></defs>', f'<rect width="{WIDE}" height="{tall}" fill="#fff"/>']  # fmt: skip
for name, to in sorted(shown.items()):
    x, y = at[name]
    for other in sorted(to):
        to_x, to_y = at[other]
        if y == to_y:  # a neighbour
            side = 1 if to_x > x else -1
            way = f"M{x + side * WIDTH / 2:.0f} {y + HEIGHT / 2:.0f}L{to_x - side * WIDTH / 2:.0f} {to_y + HEIGHT / 2:.0f}"
        else:
            down = (y + HEIGHT, to_y)
            way = f"M{x:.0f} {down[0]:.0f}C{x:.0f} {down[0] + 24:.0f} {to_x:.0f} {down[1] - 24:.0f} {to_x:.0f} {down[1]:.0f}"
        lines.append(f'<path d="{way}" fill="none" stroke="#607d8b" marker-end="url(#tip)"/>')
for name, (x, y) in sorted(at.items()):
    text = about[name] if len(about[name]) <= LETTERS else about[name][: about[name].rfind(" ", 0, LETTERS)].rstrip(",:") + " ..."
    lines += [f'<rect x="{x - WIDTH / 2:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="#eceff1" stroke="#607d8b"/>',
              f'<text x="{x:.0f}" y="{y + 19:.0f}" text-anchor="middle" font-size="15" font-weight="bold">{name}/</text>',
              f'<text x="{x:.0f}" y="{y + 36:.0f}" text-anchor="middle" font-size="11">{html.escape(text)}</text>']
made = "\n".join([*lines, "</svg>", ""])
if not check:
    picture.write_text(made)
elif not picture.exists() or picture.read_text() != made:
    sys.exit(f"{picture.relative_to(root)} differs from the includes: run tests/house/picture.py")
