"""Other processes of a test, which talk to it in lines of JSON: Python ones, and the C++ program peer.cpp."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest


class Process:
    """A program that reads requests from its standard input and answers on its standard output."""

    def __init__(self, *command):
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
        )

    def get(self):
        line = self._process.stdout.readline()
        assert line, "the other process is gone"
        return json.loads(line)

    def put(self, *what):
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def ask(self, *what):
        self.put(*what)
        return self.get()

    def kill(self):
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def end(self):
        """Its exit status."""
        self._process.stdin.close()
        status = self._process.wait()
        self._process.stdout.close()
        return status


# A Python process's handling of each request; `text` is its own source.
PYTHON = '''
import json, sys
import numpy as np
import tessera
def tell(what):
    print(json.dumps(what))
def refused(call):
    try:
        return call()
    except tessera.Error as error:
        return [type(error).__name__, str(error)]
kept = {}
'''


def python(text, *arguments):
    """A Python process that runs PYTHON and then `text`."""
    return Process(sys.executable, "-c", PYTHON + text, *map(str, arguments))


def peer(*arguments):
    """The program peer.cpp, which CTest's python-module builds and names in TESSERA_PYTHON_PEER."""
    found = os.environ.get("TESSERA_PYTHON_PEER")
    if not found:
        pytest.skip("TESSERA_PYTHON_PEER is not set: CTest's python-module builds the C++ program and sets it")
    assert pathlib.Path(found).exists()
    return Process(found, *map(str, arguments))


def comes_true(condition):
    """The kernel tells the producer's thread of a process's end, and that thread needs its turn."""
    import time

    for _ in range(4000):
        if condition():
            return True
        time.sleep(0.005)
    return False
