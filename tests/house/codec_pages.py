#!/usr/bin/env python3
"""docs/codecs/ has a page for every codec of include/, and a row in the table of its README.md; what these name exists.

    codec_pages.py PROJECT
"""
import json
import pathlib
import re
import sys

project = pathlib.Path(sys.argv[1])
include, folder = project / "include", project / "docs/codecs"
problems = []

# The codecs: their names in a document, and their types. A name is a string, a choice of two, or another codec's name.
declared = re.compile(r"^ +static constexpr std::string_view name = ([^;\n]+);", re.M)
types, names, borrowed = {}, {}, []  # types: "codec::Zstd" to its header; names: "zstd" to the types that declare it
for header in sorted([*include.glob("**/*.hpp"), *include.glob("**/*.cuh")]):
    text, where = header.read_text(), str(header.relative_to(include))
    at = [(one.start(), one[1]) for one in re.finditer(r"^(?:inline )?namespace (?!tessera\b)(\w+) \{", text, re.M)]
    at += [(one.start(), one[1]) for one in re.finditer(r"^namespace tessera \{.* namespace (\w+) \{$", text, re.M)]

    def space_of(position):
        return max([one for one in at if one[0] < position], default=(0, ""))[1]

    structs = list(re.finditer(r"^(?:requires.*?\) )?(?:struct|class) (\w+)(?:<[^{;]*>)?[^{;()]*\{", text, re.M))
    for one in [*structs, *re.finditer(r"^using (\w+) = ", text, re.M)]:
        if space_of(one.start()) in ("codec", "nvcomp"):
            types[f"{space_of(one.start())}::{one[1]}"] = where
    for one in declared.finditer(text):
        struct = [each for each in structs if each.start() < one.start()][-1]
        owner = f"{space_of(struct.start())}::{struct[1]}"
        found = re.findall(r'"([^"]+)"', one[1])
        if not found:
            borrowed.append((owner, re.sub(r"::name$", "", one[1]), where))
        for name in found:
            names.setdefault(name, []).append((owner, where))
for owner, other, where in borrowed:
    of = [name for name, owners in names.items() if any(each.split("::")[-1] == other for each, _ in owners)]
    for name in of:
        names[name].append((owner, where))
    if not of:
        problems.append(f"{where}: {owner} has the name of {other}, which is no codec")
assert len(names) > 30 and len(types) > 40, f"only {len(names)} names and {len(types)} types of codecs were found"

aliases = dict(re.findall(r'\{"([^"]+)", "([^"]+)"\}', (include / "tessera/codec/detail/aliases.hpp").read_text()))
components = (project / "cmake/components.cmake").read_text()
targets = {"tessera", *re.search(r"set\(tessera_components ([^)]*)\)", components)[1].split()}
index = folder / "README.md"
pages = {page.stem: page.read_text() for page in sorted(folder.glob("*.md")) if page != index}
table = index.read_text() if index.exists() else ""
rows = dict(re.findall(r"^\| `([^`]+)` \| (.*)$", table, re.M))

for name, owners in sorted(names.items()):
    listed = [(owner, where) for owner, where in owners if not owner.startswith("detail::")]
    if name not in pages:
        problems.append(f"{owners[0][1]}: the codec {name} has no page docs/codecs/{name}.md")
    if name not in rows:
        problems.append(f"docs/codecs/README.md: the table has no row for {name}, of {owners[0][1]}")
    elif f"]({name}.md)" not in rows[name]:
        problems.append(f"docs/codecs/README.md: the row of {name} has no link to {name}.md")
    for owner, where in listed:
        for file, text in ((f"docs/codecs/{name}.md", pages.get(name)), ("docs/codecs/README.md", rows.get(name))):
            if text is not None and not re.search(rf"`{owner}\b", text):
                problems.append(f"{file}: {name} lacks its type {owner}, of {where}")
for one, where in sorted(types.items()):
    if not re.search(rf"\b{one}\b", table):
        problems.append(f"docs/codecs/README.md: {one} of {where} is missing")
problems += [f"docs/codecs/README.md: the table has {name}, which is no codec" for name in rows if name not in names]


def check_entry(file, entry):
    """An entry of a document, with those in it."""
    if isinstance(entry, list):
        for one in entry:
            check_entry(file, one)
    elif isinstance(entry, dict):
        if "name" in entry and entry["name"] not in names:
            problems.append(f"{file}: the example has {entry['name']}, which is no codec")
        for one in entry.values():
            check_entry(file, one)


for name, text in pages.items():
    file = f"docs/codecs/{name}.md"
    if name not in names:
        problems.append(f"{file}: {name} is no codec")
    if text.split("\n")[0] != f"# `{name}`":
        problems.append(f"{file}: its title is not `{name}`")
    examples = re.findall(r"^```json\n(.*?)^```", text, re.M | re.S)
    if not examples:
        problems.append(f"{file}: it has no example of its configuration")
    for example in examples:
        try:
            entry = json.loads(example)
        except ValueError as error:
            problems.append(f"{file}: the example is not JSON: {error}")
            continue
        check_entry(file, entry)
        if entry["name"] != name:
            problems.append(f"{file}: the example is of {entry['name']}")
        for member in entry.get("configuration", {}):
            if not re.search(rf"^\|.*`{member}`.*\|.*\|.*\|$", text, re.M):
                problems.append(f"{file}: the table of members lacks {member}")

for name, text in {"README": table, **pages}.items():
    file = f"docs/codecs/{name}.md"
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for code in re.findall(r"`([^`\n]+)`", prose):
        for header in re.findall(r"^[\w/]+\.(?:hpp|cuh)$", code):
            if not (include / header).is_file() and not (include / "tessera" / header).is_file():
                problems.append(f"{file}: there is no header {header}")
        for one in re.findall(r"\b(?:codec|nvcomp)::\w+", code):
            if one not in types:
                problems.append(f"{file}: there is no codec {one}")
        for one in re.findall(r"^tessera::(\w+)$", code):
            if one not in targets:
                problems.append(f"{file}: there is no target tessera::{one}")
        for one in re.findall(r"^numcodecs\.\w[\w-]*$", code):
            if one not in names and one not in aliases:
                problems.append(f"{file}: there is no codec {one}")
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
        if not (folder / link).is_file():
            problems.append(f"{file}: there is no page {link}")

# The error of a codec that the program's list lacks says which header to include.
cures = (include / "tessera/pipeline/detail/codec_headers.ipp").read_text()
rows = re.findall(r'\{"[^"]+", "(\w+)[^"]*", "([^"]*)"\}', cures)
assert len(rows) > 30, f"codec_headers.ipp: only {len(rows)} codecs were found"
for one, name in rows:
    header = f"tessera/{name}.hpp"
    if name and not (include / header).is_file():
        problems.append(f"codec_headers.ipp: there is no header {header}")
    elif name.startswith(("codec/", "with/")) and types.get(f"codec::{one}") != header:
        problems.append(f"codec_headers.ipp: codec::{one} is in {types.get(f'codec::{one}')}, not in {header}")

print("\n".join(problems) or f"{len(names)} codecs of {len(types)} types have their pages in docs/codecs/")
sys.exit(bool(problems))
