#!/usr/bin/env python3
"""The tests of a preset for which something was not built since build/PRESET/begun, one to a line: what is older may be
of an older source.

    not_built.py PRESET
"""
import json
import os
import re
import subprocess
import sys

shown = subprocess.run(["ctest", "--preset", sys.argv[1], "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
begun = os.path.getmtime(f"build/{sys.argv[1]}/begun")
built = re.compile(rf"{re.escape(os.getcwd())}/build/{sys.argv[1]}/(bin/.*|.*\.(o|so))$")


def is_new(path):
    return os.path.exists(path) and os.path.getmtime(path) >= begun


for test in json.loads(shown.stdout)["tests"]:
    command = test.get("command")  # there is none where its program is not there
    variables = [each for one in test.get("properties", []) if one["name"] == "ENVIRONMENT" for each in one["value"]]
    needed = [one.rpartition("=")[2] for one in [*(command or []), *variables]]
    if not command or any(built.match(one) and not is_new(one) for one in needed):
        print(test["name"])
