#!/usr/bin/env python3
"""Makes one of the packages of packaging/ from this source, and builds packaging/consumer with it; or the site.

    run.py KIND FOLDER COMPILER [LAUNCHER]

KIND is the name of a function here, FOLDER its working folder, LAUNCHER e.g. ccache.
"""
import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

root = pathlib.Path(__file__).resolve().parents[2]
packaging = root / "packaging"
kind, work, compiler, launcher = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
version = re.search(r"project\(tessera VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
launch = [f"-DCMAKE_CXX_COMPILER={compiler}"] + [f"-DCMAKE_CXX_COMPILER_LAUNCHER={name}" for name in launcher]


def run(*command, cwd=work, **variables):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, cwd=cwd, env=os.environ | variables)
    output = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{output[-4000:]}"
    return output


def expect(what, found, expected):
    assert found == expected, f"{what}: found {found!r}, expected {expected!r}"


def not_run(why):
    print(f"not run: the package of {kind}: {why}")
    sys.exit(77)


def need(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        not_run(f"no {', '.join(missing)}, which tests/run.sh --all installs")


def consume(*options):
    not_optimised = ["-DCMAKE_CXX_FLAGS=-O0", "-DCMAKE_CXX_FLAGS_RELEASE="]  # which would come after it, with -O3
    run("cmake", "-S", packaging / "consumer", "-B", "consumer", "-G", "Ninja", *launch, *not_optimised, *options)
    run("cmake", "--build", "consumer")
    expect("the consumer's output", run(work / "consumer/consumer"), "5\n")


def configure(source, build, *options):
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", *launch, "-DTESSERA_BUILD_TESTS=OFF", "-DTESSERA_BUILD_EXAMPLES=OFF", *options)


def cpack():
    """`cpack` makes the archive that a program unpacks anywhere."""
    configure(root, "build")
    run("cpack", cwd=work / "build")
    with tarfile.open(work / f"build/tessera-{version}.tar.gz") as archive:
        archive.extractall(work, filter="data")
    consume(f"-DCMAKE_PREFIX_PATH={work}/tessera-{version}")


def debian():
    """libtessera-dev has what a program includes, tessera the command. Not optimised, as that takes a minute more."""
    need("dpkg-buildpackage", "dh")
    source = work / f"tessera-{version}"
    tracked = run("git", "-C", root, "ls-files", "-z").split("\0")[:-1]
    for name in tracked:
        if re.match("CMakeLists.txt|LICENSE|(cmake|include|command)/", name):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, source / name)
    shutil.copytree(packaging / "debian", source / "debian")
    changelog = (source / "debian/changelog").read_text()
    expect("the changelog's version", re.search(r"\(([0-9.]+)-1\)", changelog)[1], version)
    run("dpkg-buildpackage", "-b", "-us", "-uc", cwd=source, DEB_BUILD_OPTIONS="noopt nodoc", CXX=compiler,
        **{"CMAKE_CXX_COMPILER_LAUNCHER": name for name in launcher})
    packages = {name.partition("_")[0]: work / name for name in os.listdir(work) if name.endswith(".deb")}
    expect("packages", sorted(name for name in packages if not name.endswith("dbgsym")), ["libtessera-dev", "tessera"])
    for name in ("libtessera-dev", "tessera"):
        run("dpkg-deb", "-x", packages[name], "root")
    assert "libzstd1" in run("dpkg-deb", "-f", packages["tessera"], "Depends")
    expect("the command", run(work / "root/usr/bin/tessera", "--version"), f"tessera {version}\n")
    for name in ("bin/tessera", "share/man/man1/tessera.1.gz", "share/bash-completion/completions/tessera",
                 "include/tessera/tessera.hpp", "share/doc/libtessera-dev/copyright"):
        assert (work / "root/usr" / name).exists(), f"no package has {name}"
    consume(f"-DCMAKE_PREFIX_PATH={work}/root/usr")


def conan():
    """Without the libraries of codecs, which only Conan's own registry has."""
    program = root / "build/packaging-venv/bin/conan"
    if not program.exists():
        not_run("no Python environment build/packaging-venv: tests/run.sh --all makes it")
    home = {"CONAN_HOME": str(work / "home"), "CXX": compiler}
    run(program, "profile", "detect", **home)
    settings = ["-s", "compiler.cppstd=20", "-o", "tessera/*:codecs=False"]
    run(program, "create", packaging / "conan", "--no-remote", *settings, **home)
    run(program, "install", f"--requires=tessera/{version}", "--no-remote", *settings, "-g", "CMakeToolchain", "--output-folder", work / "of", **home)
    consume(f"-DCMAKE_TOOLCHAIN_FILE={work}/of/conan_toolchain.cmake", "-DCMAKE_BUILD_TYPE=Release")


def vcpkg():
    """The port's file is run, without vcpkg itself, by functions of the same names. Its dependencies are not built."""
    port = packaging / "vcpkg/tessera"
    described = json.loads((port / "vcpkg.json").read_text())
    expect("the port's version", described["version"], version)
    run("cmake", f"-DPORT={port}", f"-DWORK={work}", f"-DOPTIONS={';'.join(launch)}", "-P", pathlib.Path(__file__).with_name("vcpkg.cmake"))
    assert (work / "packages/share/tessera/copyright").exists()
    consume(f"-DCMAKE_PREFIX_PATH={work}/packages")


def recipes():
    """Those that this machine cannot run: Spack's is Python, conda's YAML; their versions, and the options they set."""
    spack = (packaging / "spack/package.py").read_text()
    ast.parse(spack)
    assert f'version("{version}")' in spack, "Spack's recipe is of another version"
    conda = (packaging / "conda/recipe.yaml").read_text()
    assert f"version: {version}\n" in conda, "conda's recipe is of another version"
    options = set(re.findall(r"\boption\((TESSERA_\w+)", (root / "CMakeLists.txt").read_text()))
    found = set(re.findall(r"TESSERA_\w+", spack + conda))
    assert found and found <= options, f"no options of tessera: {found - options}"
    print("not run: the recipes of Spack and conda, which need their own registries")


def site():
    """Every link of a page leads to a page or a section, and every public name is in the reference."""
    python = root / "build/site-venv/bin/python"
    if not python.exists():
        not_run("no Python environment build/site-venv: tests/run.sh --all makes it")
    print(run(python, root / "site/build.py", work / "made"))
    index = (work / "made/site/reference/index.html").read_text()
    for name in ("open_array", "LocalStore", "DeviceBuffer", "codec::Zstd"):
        assert re.search(rf'<a href="\w+\.html#[\w-]+">{name}</a>', index), f"the reference lacks {name}"
    for file in (work / "made/site").rglob("*.html"):
        found = re.findall(r'<(?:script|link|img)[^>]* (?:src|href)="(https?://[^"]+)"', file.read_text())
        assert not found, f"{file} loads {found}"


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
globals()[kind]()
