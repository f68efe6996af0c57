#!/usr/bin/env python3
"""Builds a foreign project beside this file as a user of tessera would, and checks what tessera added to it.

    run.py WAY FOLDER COMPILER [LAUNCHER]

WAY is the name of a function here, FOLDER its working folder, LAUNCHER e.g. ccache.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
project = root / "tests/consume/project"
way, work, compiler = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
launcher = sys.argv[4:]
version = re.search(r"project\(tessera VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
minor = version.rpartition(".")[0]
warnings = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split()
# The system's libraries are hidden, except those that CMake is told by name.
no_libraries = ["-DCMAKE_FIND_ROOT_PATH=/nowhere", "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY",
                "-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY", "-DCMAKE_DISABLE_FIND_PACKAGE_zstd=ON"]
cuda_cure = "tessera: the CUDA toolkit was not found, so there is no tessera::cuda. Install it \
(https://developer.nvidia.com/cuda-downloads), or say where it is: -D CUDAToolkit_ROOT=/usr/local/cuda"
json_cure = "tessera: nlohmann/json.hpp was not found, so there is no tessera::nlohmann_json. On Debian or Ubuntu: \
apt install nlohmann-json3-dev"
zstd_cure = "tessera: libzstd was not found, so there is no tessera::zstd. On Debian or Ubuntu: apt install libzstd-dev"


def run(*command, fails=False):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, cwd=work)
    output = done.stdout + done.stderr
    assert (done.returncode != 0) == fails, f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{output}"
    return output


def expect(what, found, expected):
    assert found == expected, f"{what}: found {found!r}, expected {expected!r}"


def expect_line(line, output):
    assert line in (one.strip() for one in output.splitlines()), f"expected the line\n{line}\nin\n{output}"


def configure(name, *options, source=project, fails=False):
    launch = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher[0]}"] if launcher else []
    return run("cmake", "-S", source, "-B", name, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DTESSERA={root}",
               "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", *launch, *options, fails=fails)


def build_and_run(name):
    run("cmake", "--build", name)
    expect_line(f"tessera {version}: all parts agree", run(work / name / "foreign"))


def installed(name):
    """The files that `cmake --install` of that build makes."""
    prefix = work / f"{name}-installed"
    run("cmake", "--install", name, "--prefix", prefix)
    return sorted(str(file.relative_to(prefix)) for file in prefix.rglob("*") if file.is_file())


def nothing_leaked(name, configured):
    """A build gets tessera's one target, and a library built on request: no test, example, option or CUDA."""
    expect_line("-- tessera brought targets [tessera;tessera_compiled] folders [] tests []", configured)
    expect_line("Total Tests: 0", run("ctest", "-N", "--test-dir", name))
    options = [line for line in run("cmake", "-N", "-L", name).splitlines() if re.match("TESSERA_|tessera_|BUILD_TESTING", line)]
    expect("options of tessera in the cache", options, [])
    assert "CUDA" not in (work / name / "CMakeCache.txt").read_text(), "CUDA is in the cache"


def plain():
    """The compiler alone, in two versions of C++, without RTTI in one."""
    for options in (["-std=c++20"], ["-std=c++2b", "-fno-rtti"]):
        units = []
        for name in ("main", "bytes", "total"):
            units.append(f"{name}{options[0]}.o")
            run(*launcher, compiler, *options, "-O0", "-fPIC", *warnings, "-DWITH_LIBRARY", "-I", root / "include",
                "-c", project / f"{name}.cpp", "-o", units[-1])
        run(compiler, *units, "-lzstd", "-pthread", "-o", "foreign")
        expect_line(f"tessera {version}: all parts agree", run(work / "foreign"))
    # Unless the program includes streams itself, nothing is initialised before main, and the only data are constants.
    symbols = [line for line in run("nm", "-C", "total-std=c++20.o").splitlines() if re.search(r" [bBdDC] |guard variable|_GLOBAL__sub_I", line)]
    expect("global state", [line for line in symbols if "typeinfo" not in line and "DW.ref" not in line], [])
    # Of each thread there is one null pointer (tbss), that of with_defaults.
    assert not re.search("init_array|tdata", run("readelf", "-SW", "total-std=c++20.o")), "something runs before main"
    # One line gives the cause, before the compiler's own errors.
    errors = run(compiler, "-std=c++20", "-fno-exceptions", "-fsyntax-only", "-I", root / "include", project / "bytes.cpp", fails=True)
    first = next(line for line in errors.splitlines() if "error: " in line)
    assert "tessera reports failures by exceptions: compile without -fno-exceptions" in first, errors
    (work / "config.cpp").write_text("#include <tessera/core/config.hpp>\n")
    errors = run(compiler, "-std=c++20", "-m32", "-fsyntax-only", "-I", root / "include", "config.cpp", fails=True)
    assert "tessera needs a 64-bit machine" in next(line for line in errors.splitlines() if "error: " in line), errors


def add_subdirectory():
    """On a machine without one optional library."""
    configured = configure("build", "-DWAY=add_subdirectory", "-DLIBRARY=OFF", "-DCMAKE_CXX_STANDARD=20", *no_libraries)
    expect_line(f"-- {zstd_cure}", configured)
    expect_line(f"-- {json_cure}", configured)
    nothing_leaked("build", configured)
    build_and_run("build")
    expect("installed", installed("build"), ["bin/foreign"])


def fetch_content():
    """In C++23; then with tessera's install rules, on request."""
    configured = configure("build", "-DWAY=FetchContent", "-DCMAKE_CXX_STANDARD=23")
    nothing_leaked("build", configured)
    build_and_run("build")
    expect("installed", installed("build"), ["bin/foreign", "lib/libtotal.so"])
    configure("asked", "-DWAY=FetchContent", "-DTESSERA_INSTALL=ON")
    rules = (work / "asked/_deps/tessera-build/cmake_install.cmake").read_text()
    assert "tessera-config.cmake" in rules, "asked for, and yet not installed"


def install_tessera():
    """As the folder "moved"; the files that are in it."""
    configure("tessera", "-DTESSERA_BUILD_TESTS=OFF", "-DTESSERA_BUILD_EXAMPLES=OFF", source=root)
    files = installed("tessera")
    (work / "tessera-installed").rename(work / "moved")
    return files


def find_package():
    """Installed, moved elsewhere, found there."""
    files = install_tessera()
    headers = {str(file.relative_to(root)) for file in (root / "include").rglob("*.*")}
    expect("installed headers", {name for name in files if name.startswith("include")}, headers)
    expect("installed besides", [name for name in files if not name.startswith("include")],
           ["share/cmake/tessera/components.cmake", "share/cmake/tessera/dlpack/LICENSE",
            "share/cmake/tessera/dlpack/include/dlpack/dlpack.h", "share/cmake/tessera/tessera-config-version.cmake",
            "share/cmake/tessera/tessera-config.cmake", "share/cmake/tessera/tessera-targets.cmake",
            "share/doc/tessera/LICENSE", "share/pkgconfig/tessera.pc"])
    for file in (work / "moved/share").rglob("*.*"):
        assert str(root) not in file.read_text() and str(work) not in file.read_text(), f"{file} knows where it was made"

    here = ["-DWAY=find_package", f"-DCMAKE_PREFIX_PATH={work}/moved"]
    configure("build", *here, f"-DVERSION={minor}", "-DCOMPONENTS=zstd;dlpack;ipc;testing", "-DCMAKE_CXX_STANDARD=20")
    build_and_run("build")
    run("cmake", "--build", "build", "--target", "shares")  # once: its includes take a while
    expect("output", run(work / "build/shares"), "shared 5, rules broken 0\n")
    exported = (work / "build/CMakeFiles/Export").rglob("foreign-targets.cmake")
    assert 'INTERFACE_LINK_LIBRARIES "tessera::zstd"' in next(exported).read_text(), "the export names no tessera::zstd"
    expect_line("-- zstd: TRUE", configure("all", *here, "-DLIBRARY=OFF"))
    expect_line("-- zstd: FALSE", configure("some", *here, "-DLIBRARY=OFF", "-DCOMPONENTS=", "-DOPTIONAL_COMPONENTS=zstd", *no_libraries))
    expect_line(zstd_cure, configure("no-zstd", *here, "-DCOMPONENTS=zstd", *no_libraries, fails=True))
    expect_line("tessera: there is no component lz5; there are deflate, zstd, blosc, lz4, bz2, lzma, zfp, curl, s3, zip, mpi, all, nlohmann_json, dlpack, ipc, testing, cuda, nvcomp, cufile, compiled, compiled_cuda, c",
                configure("no-lz5", *here, "-DCOMPONENTS=lz5", fails=True))
    configure("every", *here, "-DCOMPONENTS=all")  # and with it tessera::zstd, which the project links
    expect_line("tessera: libdeflate was not found, so there is no tessera::all. On Debian or Ubuntu: apt install libdeflate-dev",
                configure("not-every", *here, "-DCOMPONENTS=all", "-DCMAKE_DISABLE_FIND_PACKAGE_libdeflate=ON", *no_libraries, fails=True))
    expect_line(json_cure, configure("no-json", *here, "-DCOMPONENTS=nlohmann_json", *no_libraries, fails=True))
    expect_line("tessera: tessera::compiled_cuda is made by nvcc, which the project is to name: project(... LANGUAGES CXX CUDA)",
                configure("no-nvcc", *here, "-DCOMPONENTS=compiled_cuda", fails=True))
    expect_line(cuda_cure, configure("no-cuda", *here, "-DCOMPONENTS=cuda", "-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON", fails=True))
    for wanted in (f"{minor}.99", "99.0", "0.0"):
        assert f"version: {version}" in configure(f"not-{wanted}", *here, f"-DVERSION={wanted}", fails=True)

    # The same folder, for programs without CMake.
    os.environ["PKG_CONFIG_PATH"] = f"{work}/moved/share/pkgconfig"
    flags = run("pkg-config", "--cflags", "--libs", "tessera").split()
    assert f"-I{work}/moved/include" in (flag.replace("/share/pkgconfig/../..", "") for flag in flags), flags


def compiled():
    """A unit that leaves moving chunks to the library, and one that does not: each contains less, or all, of it."""
    source = root / "tests/consume/compiled"
    install_tessera()
    for name, options in {"folder": ["-DTESSERA_AS_FOLDER=ON"], "package": [f"-DCMAKE_PREFIX_PATH={work}/moved"]}.items():
        configure(name, *options, source=source)
        run("cmake", "--build", name)
        expect_line("sum 4950", run(work / name / "foreign", work / f"{name}.zarr"))
        objects = {unit: run("nm", "-C", work / name / f"CMakeFiles/foreign.dir/{unit}.cpp.o") for unit in ("reads", "writes")}
        defined = {unit: bool(re.search(r" [WVT] void tessera::v0::(read|write)_chunks<|(Read|Write)Batch<[^\n]*::run\(", text))
                   for unit, text in objects.items()}
        assert not defined["reads"], "a unit that leaves it to the library has what moves chunks"
        assert defined["writes"], "a unit for itself has not what moves chunks"
        assert re.search(r" U tessera::v0::detail::OpenArray<[^\n]*::read\(", objects["reads"]), "it is not asked of the library"


def c():
    """A program in C: built with the package; with a folder only configured, which makes the library on request."""
    source = root / "tests/consume/c"
    install_tessera()
    configure("folder", "-DTESSERA_AS_FOLDER=ON", source=source)
    configure("package", f"-DCMAKE_PREFIX_PATH={work}/moved", source=source)
    run("cmake", "--build", "package")
    expect_line(f"tessera {version} in C", run(work / "package/foreign"))


def separate():
    """Without a build system: one unit includes src.hpp, and the others are compiled with TESSERA_SEPARATE, or
    header-only."""
    source = root / "tests/consume/compiled"
    (work / "src.cpp").write_text("#include <tessera/src.hpp>\n")

    def compile(unit, *options):
        made = f"{pathlib.Path(unit).stem}{''.join(options)}.o"
        run(*launcher, compiler, "-std=c++20", "-O0", *warnings, *options, "-I", root / "include", "-c", unit, "-o", made)
        return made

    body = compile("src.cpp")
    writes, reads = ({way: compile(source / f"{unit}.cpp", *way) for way in ((), ("-DTESSERA_SEPARATE",))} for unit in ("writes", "reads"))
    separate = ("-DTESSERA_SEPARATE",)
    for name, units in {"all": (writes[separate], reads[separate], body), "mixed": (writes[()], reads[separate], body),
                        "other": (body, writes[separate], reads[()]), "header_only": (writes[()], reads[()])}.items():
        run(compiler, *units, "-o", name, "-pthread")
        expect_line("sum 4950", run(work / name, work / f"{name}.zarr"))
    output = run(compiler, writes[separate], reads[separate], "-o", "none", fails=True)
    assert "undefined reference" in output, output


def emulation():
    """The emulated CUDA runtime, beside tessera and alone."""
    for name in ("FetchContent", "alone"):
        configure(name, f"-DWAY={name}", source=root / "tests/consume/emulation")
        run("cmake", "--build", name)
        expect("output", run(work / name / "foreign"), "0x1010101\n0x1010101\n")


def run_on_device(by_host, by_device):
    """Runs the program, which prints the host's results, then the device's, or ends with one line of error."""
    done = subprocess.run([work / "build/foreign", work / "files"], text=True, capture_output=True)
    if done.returncode == 0:
        return expect("output", done.stdout, by_host + by_device)
    print("not run: what the units do with device memory, for there is no GPU")
    expect("output without a GPU", done.stdout, by_host)
    assert re.fullmatch(r"DeviceError: cuda\w+: [^\n]+ \(cudaError\w+\)\n", done.stderr), done.stderr


def cuda(*options):
    """A program of a unit that nvcc compiles and one that g++ compiles, which pass stores and arrays to each other."""
    launch = [f"-DCMAKE_CUDA_COMPILER_LAUNCHER={launcher[0]}"] if launcher else []
    configure("build", "-DCMAKE_CUDA_ARCHITECTURES=90", "-DCMAKE_CUDA_FLAGS_DEBUG=-O0", *launch, *options, source=root / "tests/consume/cuda")
    run("cmake", "--build", "build")
    needed = run("readelf", "-d", work / "build/foreign")
    symbols = run("nm", work / "build/foreign")
    assert "libcudart.so" in needed and not re.search(r" [Tt] cudaMalloc", symbols), "two CUDA runtimes in one program"
    (work / "files").mkdir()
    run_on_device("arrays agree\n", "stores agree\n")


def cuda_add_subdirectory():
    cuda("-DWAY=add_subdirectory")


def cuda_fetch_content():
    """With a standard that the program requires, and CMake 3.25 has no flag for."""
    cuda("-DWAY=FetchContent", "-DCMAKE_CXX_STANDARD=20", "-DCMAKE_CUDA_STANDARD=20")


def cuda_find_package():
    install_tessera()
    cuda("-DWAY=find_package", f"-DCMAKE_PREFIX_PATH={work}/moved")


def cuda_compiled():
    """Units that g++ compiles, and that read into device memory: the kernels are in the library."""
    launch = [f"-DCMAKE_CUDA_COMPILER_LAUNCHER={launcher[0]}"] if launcher else []
    options = ["-DCMAKE_CUDA_ARCHITECTURES=90", "-DCMAKE_CUDA_FLAGS_DEBUG=-O0", *launch]
    configure("build", *options, source=root / "tests/consume/compiled_cuda")
    run("cmake", "--build", "build")
    for unit in ("main", "any"):
        text = run("nm", "-C", work / f"build/CMakeFiles/foreign.dir/{unit}.cpp.o")
        assert not re.search(r" [WVTt] [^\n]*(by_kernels<|ReadBatch<[^\n]*::run\()", text), f"{unit}.cpp has what moves chunks"
        assert re.search(r" U tessera::v0::detail::OpenArray<[^\n]*::read\(", text), f"{unit}.cpp does not ask the library for it"
    run_on_device("written\n", "parts 28, rows 12\n")


def nvcomp():
    """With NVIDIA's wheel, whose CMake package Debian does not search for, and with that package's own folder."""
    found = [*root.glob("build/resources-venv/lib/python3*/site-packages/nvidia/libnvcomp")]
    if not found:
        print("not run: the Python package nvidia-libnvcomp-cu13 is not installed: python3 -m venv build/resources-venv && "
              "build/resources-venv/bin/pip install --no-deps -r tests/resources/requirements.txt")
        sys.exit(77)
    install_tessera()
    source = root / "tests/consume/nvcomp"
    ways = {"wheel": [f"-DCMAKE_PREFIX_PATH={work}/moved;{found[0]}"],
            "package": [f"-DCMAKE_PREFIX_PATH={work}/moved", f"-Dnvcomp_DIR={found[0]}/lib64/cmake/nvcomp"]}
    for name, options in ways.items():
        configure(name, *options, source=source)
        run("cmake", "--build", name)
        expect("output", run(work / name / "foreign"), "bytes | zstd | crc32c: The operation completed successfully, 1\n")
    assert "nvCOMP was not found, so there is no tessera::nvcomp. Get it: pip install --target nvcomp" in \
        configure("none", f"-DCMAKE_PREFIX_PATH={work}/moved", source=source, fails=True)


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
globals()[way]()
