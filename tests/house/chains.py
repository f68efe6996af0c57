#!/usr/bin/env python3
"""The headers that one unit checks: prints chains, one to a line, in each of which a header includes the one before it.

    chains.py INCLUDE HEADER...           makes the chains
    chains.py --check INCLUDE UNIT...     compares the units made from them with the headers' includes now

A header of a chain includes itself everything that a unit has read before the header's own text. So the header compiles
there exactly if it compiles alone, and a unit for each header would read the same headers 2.6 times as often. Bodies,
in .ipp and .tpp files, are not links of a chain: a header includes its own after its text.
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
    for unit in units:
        headers = dict.fromkeys(re.findall(r"^#include <(.*)>", unit.read_text(), re.M))
        for before, header in itertools.pairwise(headers):
            if before not in included(header):
                yield f"{unit}: {header} no longer includes {before}. Configure the build again"


is_check = sys.argv[1] == "--check"
include, *names = sys.argv[1 + is_check :]
include = pathlib.Path(include)
if is_check:
    sys.exit("\n".join(problems(map(pathlib.Path, names))) or None)
for chain in chains(names):
    print(*chain)
