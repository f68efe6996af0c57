#!/usr/bin/env python3
"""The headers that one unit checks: prints chains, one to a line, in each of which a header includes the one before it.

    chains.py INCLUDE HEADER...             makes the chains
    chains.py --bodies INCLUDE HEADER...    makes those of the headers that bodies may break
    chains.py --check INCLUDE UNIT...       compares the units made from them with the headers' includes now

A header of a chain includes itself everything that a unit has read before the header's own text. So the header compiles
there exactly if it compiles alone, and a unit for each header would read the same headers 2.6 times as often. Bodies,
in .ipp and .tpp files, are not links of a chain: a header includes its own after its text.

With bodies a header reads more. That can break it only if it has one itself, or declares what one defines, or if one
that it reads includes it back, before its own text. Otherwise its text follows headers that compile, as without bodies.
"""
import functools
import itertools
import pathlib
import re
import sys


@functools.cache
def included(header):
    file = include / header
    return re.findall(r"^ *# *include <(tessera/[^>]*(?<![it]pp))>", file.read_text(), re.M) if file.exists() else []


def included_with_bodies(file):
    text = (include / file).read_text() if (include / file).exists() else ""
    return re.findall(r"^ *# *include <(tessera/[^>]*)>", text, re.M)


@functools.cache
def read_with_bodies(header):
    """The files that a unit of the header alone reads below it, in any order."""
    found, open_files = set(), [header]
    while open_files:
        new = set(included_with_bodies(open_files.pop())) - found
        found |= new
        open_files += new
    return found


def may_break_with_bodies(header):
    return re.search("TESSERA_(SEPARATE|DECL)", (include / header).read_text()) or header in read_with_bodies(header)


@functools.cache
def everything_below(header):
    return frozenset([header]).union(*map(everything_below, included(header)))


def chains(headers):
    """Small headers first, each of which continues the largest chain that it can."""
    ends = {}
    for header in sorted(headers, key=lambda one: (len(everything_below(one)), one)):
        open_ends = [one for one in included(header) if one in ends]
        before = max(open_ends, key=lambda one: len(everything_below(one)), default=None)
        ends[header] = [*ends.pop(before, []), header]
    return ends.values()


def problems(units):
    checked, checked_with_bodies = set(), set()
    for unit in units:
        headers = dict.fromkeys(re.findall(r"^#include <(.*)>", unit.read_text(), re.M))
        (checked_with_bodies if unit.name.endswith(".whole.cpp") else checked).update(headers)
        for before, header in itertools.pairwise(headers):
            if before not in included(header):
                yield f"{unit}: {header} no longer includes {before}. Configure the build again"
    for header in sorted(checked - checked_with_bodies):
        if header.endswith(".hpp") and may_break_with_bodies(header):
            yield f"{header} has no unit with its bodies. Configure the build again"


option = sys.argv[1] if sys.argv[1].startswith("--") else None
include, *names = sys.argv[2 if option else 1 :]
include = pathlib.Path(include)
if option == "--check":
    sys.exit("\n".join(problems(map(pathlib.Path, names))) or None)
if option == "--bodies":
    names = [name for name in names if may_break_with_bodies(name)]
for chain in chains(names):
    print(*chain)
