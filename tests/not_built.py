#!/usr/bin/env python3
"""The tests of a preset with something not built since build/PRESET/begun, and those that need the output of such a
test, one to a line. Older files may be of an older source.

    not_built.py PRESET
"""
import json
import os
import re
import subprocess
import sys

shown = subprocess.run(["ctest", "--preset", sys.argv[1], "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
begun = os.path.getmtime(f"build/{sys.argv[1]}/begun")
built = re.compile(rf"{re.escape(os.getcwd())}/build/{sys.argv[1]}/(bin/.*|.*\.(o|so|a|node))$")


def is_new(path):
    return os.path.exists(path) and os.path.getmtime(path) >= begun


def values_of(test, property):
    return [each for one in test.get("properties", []) if one["name"] == property for each in one["value"]]


def is_built(test):
    command = test.get("command")  # there is none without its program
    needed = [one.rpartition("=")[2] for one in [*(command or []), *values_of(test, "ENVIRONMENT")]]
    return bool(command) and all(is_new(one) for one in needed if built.match(one))


tests = json.loads(shown.stdout)["tests"]
names = {one["name"] for one in tests if not is_built(one)}
more = True
while more:  # a test that needs one left out may itself make what another needs
    fixtures = {fixture for one in tests if one["name"] in names for fixture in values_of(one, "FIXTURES_SETUP")}
    more = {one["name"] for one in tests if fixtures.intersection(values_of(one, "FIXTURES_REQUIRED"))} - names
    names |= more
print(*[one["name"] for one in tests if one["name"] in names], sep="\n")
