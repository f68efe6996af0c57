#!/usr/bin/env python3
"""The shared library of C has the interface in libtessera_c.abi: functions, structs, enumerators.

    abi.py LIBRARY HEADER [--renew]

LIBRARY is built with -g. New functions pass. Exit status 77: the programs of libabigail are missing.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

kept = pathlib.Path(__file__).with_name("libtessera_c.abi")
library, header = map(pathlib.Path, sys.argv[1:3])
if not shutil.which("abidw"):
    print("not run: there is no abidw, which tests/run.sh installs. On Debian or Ubuntu: apt install abigail-tools")
    sys.exit(77)


def numbers(text):
    return set(re.findall(r"\bTESSERA_\w+ = \d+", text))


def dump(to):
    """The types that tessera.h declares: those of other headers are the library's own affair."""
    with tempfile.TemporaryDirectory() as public:
        shutil.copy(header, public)
        hidden = [f"--no-{what}" for what in ("corpus-path", "comp-dir-path", "show-locs", "architecture", "elf-needed",
                                              "parameter-names")]
        subprocess.run(["abidw", "--headers-dir", public, "--drop-private-types", "--exported-interfaces-only", *hidden,
                        "--out-file", to, library], check=True)
    text = to.read_text()
    # The folder that a unit was compiled in says nothing about the interface.
    text = re.sub(r" path='[^']*'", " path='tessera_c.cpp'", text)
    # abidw has no enumerators, because functions take and return them as int.
    to.write_text(f"{text}<!--\n" + "".join(f"{one}\n" for one in sorted(numbers(header.read_text()))) + "-->\n")


with tempfile.TemporaryDirectory() as folder:
    found = pathlib.Path(folder, "found.abi")
    dump(found)
    missing = [name for name in ("tessera_error", "tessera_array_info", "tessera_column_info")
               if not re.search(rf"<class-decl name='{name}' size-in-bits=", found.read_text())]
    assert not missing, f"{library} has no types of {missing}: it is to be built with -g"
    if "--renew" in sys.argv:
        kept.write_text(found.read_text())
        sys.exit()
    compared = subprocess.run(["abidiff", "--no-added-syms", kept, found], text=True, capture_output=True)
    lost = numbers(kept.read_text()) - numbers(found.read_text())
if compared.returncode or lost:
    print(compared.stdout + compared.stderr + "".join(f"no longer in tessera.h: {one}\n" for one in sorted(lost)))
    sys.exit(f"The interface of the C library differs from {kept}. A program that was compiled with the header of an "
             f"earlier 0.y.z must work: undo the change, or give 0.y a new y and renew the file: {sys.argv[0]} --renew")
