"""Conan 2: conan create packaging/conan. Headers alone; each option adds the libraries of some components."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Tessera(ConanFile):
    name = "tessera"
    description = "Zarr for C++ and CUDA, memory space in the type"
    license = "MIT"
    topics = "zarr", "cuda", "arrays", "gpu", "header-only"
    settings = "os", "arch", "compiler", "build_type"
    package_type = "header-library"
    options = {"codecs": [True, False], "zfp": [True, False], "http": [True, False], "s3": [True, False], "zip": [True, False]}
    default_options = {"codecs": True, "zfp": False, "http": False, "s3": False, "zip": False}
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        self.version = re.search(r"project\(tessera VERSION ([0-9.]+)", load(self, os.path.join(self._root, "CMakeLists.txt")))[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*"):
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        of = {
            "codecs": ["libdeflate/[>=1.14 <2]", "zstd/[>=1.5 <1.6]", "c-blosc/[>=1.21 <2]", "lz4/[>=1.9 <2]", "bzip2/[>=1.0 <2]", "xz_utils/[>=5.4 <6]"],
            "zfp": ["zfp/[>=1.0 <2]"],
            "http": ["libcurl/[>=7.88 <9]"],
            "s3": ["libcurl/[>=7.88 <9]", "openssl/[>=1.1 <4]"],
            "zip": ["libzip/[>=1.7 <2]"],
        }
        for library in sorted({library for option, libraries in of.items() if self.options.get_safe(option) for library in libraries}):
            self.requires(library, transitive_headers=True, transitive_libs=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update(TESSERA_BUILD_TESTS=False, TESSERA_BUILD_EXAMPLES=False)
        toolchain.generate()
        CMakeDeps(self).generate()

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install()

    def package_info(self):
        # tessera's own package finds the libraries of the components that a program asks for.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("share/cmake/tessera")
        self.cpp_info.bindirs, self.cpp_info.libdirs = [], []
