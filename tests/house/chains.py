#!/usr/bin/env python3
"""Which headers one unit checks: prints chains, one to a line, in each of which a header includes the one before it.

    chains.py INCLUDE HEADER...           makes the chains
    chains.py --check INCLUDE UNIT...     holds the units that were made of them to what the headers include now

All that a unit has read before the own text of a header of its chain, the header includes itself. So the header compiles
there exactly if it compiles alone, and a unit for each of 380 headers would read the same headers 2.6 times as often.
"""
import functools
import itertools
import pathlib
import re
import sys


@functools.cache
def included(header):
    file = include / header
    return re.findall(r"^ *# *include <(tessera/[^>]*)>", file.read_text(), re.M) if file.exists() else []


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
