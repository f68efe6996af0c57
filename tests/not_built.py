#!/usr/bin/env python3
"""The tests of a preset for which something was not built, one to a line.

    not_built.py PRESET
"""
import json
import os
import re
import subprocess
import sys

shown = subprocess.run(["ctest", "--preset", sys.argv[1], "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
built = re.compile(rf"{re.escape(os.getcwd())}/build/{sys.argv[1]}/(bin/.*|.*\.(o|so))$")
for test in json.loads(shown.stdout)["tests"]:
    command = test.get("command")  # there is none where its program is not there
    variables = [each for one in test.get("properties", []) if one["name"] == "ENVIRONMENT" for each in one["value"]]
    needed = [one.rpartition("=")[2] for one in [*(command or []), *variables]]
    if not command or any(built.match(one) and not os.path.exists(one) for one in needed):
        print(test["name"])
