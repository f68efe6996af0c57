#!/usr/bin/env python3
"""docs/options.md has a table for every struct of options: all of its members, in the order of the header."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
beside = {"NewArray", "Conversion", "CacheBudget"}  # options by other names
left_out = {("NewArray", one)  # which name the right members
            for one in ("chunk_shape", "chunk_size", "dtype", "fill_value", "attrs", "dims", "dimensions")}
problems = []


def without_nested(body):
    """A struct's body without the bodies of its functions, and without comments."""
    text, depth = "", 0
    for c in re.sub(r"//.*", "", body):
        depth -= c == "}"
        if depth == 0 and c not in "{}":
            text += c
        depth += c == "{"
    return text


def members(body):
    names = []
    for statement in without_nested(body).split(";"):
        if "(" in statement.split("=")[0].replace("std::function<void(", "") or "static" in statement:
            continue  # a function
        for one in re.sub(r"<[^;=]*>", "", statement).split(","):
            words = re.findall(r"\w+", one.split("=")[0])
            if words and not words[-1].isdigit():
                names.append(words[-1])
    return names


files = sorted([*root.glob("include/tessera/**/*.hpp"), *root.glob("include/tessera/**/*.cuh")])
exported = {}  # a header in detail/: those from which programs get its names
for header in files:
    for one in re.findall(r"^#include <([^>]+)> *// IWYU pragma: export$", header.read_text(), re.M):
        exported.setdefault(one, []).append(str(header.relative_to(root / "include")))
declared = {}
for header in files:
    for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\};", header.read_text(), re.M | re.S):
        if name.endswith("Options") or name in beside:
            shown = "cufile::Options" if name == "Options" else name
            found = [one for one in members(body) if (name, one) not in left_out]
            path = str(header.relative_to(root / "include"))
            declared[shown] = (found, exported.get(path, [path]))

page = (root / "docs/options.md").read_text()
shown = {}
for section in page.split("\n## ")[1:]:
    name, _, text = section.partition("\n")
    shown[name] = (re.findall(r"^\| `(\w+)` \|", text, re.M), re.findall(r"`(tessera/[\w/]+\.\w+)`", text))

for name, (names, of_programs) in declared.items():
    header = of_programs[0]
    if name not in shown:
        problems.append(f"{name} of {header} has no table in docs/options.md")
        continue
    table, headers = shown[name]
    if table != names:
        problems.append(f"{name}: the table has {table}, {header} has {names}")
    if not set(of_programs) & set(headers):
        problems.append(f"{name}: the page does not name {header}")
problems += [f"{name}: a table, and no struct" for name in shown if name not in declared]
print("\n".join(problems) or f"{len(declared)} structs of options are in docs/options.md")
sys.exit(bool(problems))
