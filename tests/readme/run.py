#!/usr/bin/env python3
"""Compiles every C++ block of a Markdown page alone, and runs the first program with the command the page gives for it.

    run.py PAGE.md COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
page, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
blocks = re.findall(r"```(\w+)\n(.*?)```", page.read_text(), re.DOTALL)
sources = [text for language, text in blocks if language == "cpp"]
commands = [line for language, text in blocks if language == "sh" for line in text.splitlines() if line.startswith("g++ ")]
assert sources, f"no C++ in {page}"
failed = 0


def run(command, folder):
    global failed
    done = subprocess.run(command, shell=True, cwd=folder, text=True, capture_output=True)
    if done.returncode:
        failed += 1
        print(f"FAILED: {command}\n{done.stdout}{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    for name in ("include", "examples"):
        (pathlib.Path(folder) / name).symlink_to(root / name)
    for number, source in enumerate(sources):
        (pathlib.Path(folder) / "main.cpp").write_text(source)
        is_program = "int main(" in source
        if is_program and commands:
            command = commands.pop(0).replace("g++", compiler, 1)
            print(f"block {number}: {command}\n{run(command, folder)}", end="")
        else:
            print(f"block {number}: compiles alone")
            run(f"{compiler} -std=c++20 -Wall -Wextra -Werror -I include -fsyntax-only main.cpp", folder)
sys.exit(1 if failed else 0)
