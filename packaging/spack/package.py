# Copyright The tessera authors. SPDX-License-Identifier: MIT
"""A repository of one's own: spack repo create mine && copy this file to mine/packages/tessera/package.py; then
spack dev-build -d PATH/OF/THE/SOURCE tessera@0.2.0"""

from spack.package import *


class Tessera(CMakePackage):
    """Zarr for C++ and CUDA, memory space in the type."""

    license("MIT")
    version("0.2.0")

    variant("codecs", default=True, description="Libraries of tessera::all: gzip, zstd, blosc, lz4, bz2, lzma")
    variant("zfp", default=False, description="Library of tessera::zfp")
    variant("http", default=False, description="Library of tessera::curl")
    variant("s3", default=False, description="Libraries of tessera::s3")
    variant("zip", default=False, description="Library of tessera::zip")
    variant("command", default=False, description="The command tessera")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    with when("+codecs"):
        for name in ("libdeflate", "zstd", "c-blosc", "lz4", "bzip2", "xz"):
            depends_on(name)
    depends_on("zfp@1:", when="+zfp")
    depends_on("curl@7.88:", when="+http")
    depends_on("curl@7.88:", when="+s3")
    depends_on("openssl", when="+s3")
    depends_on("libzip@1.7:", when="+zip")
    with when("+command"):
        requires("+codecs+zfp")
        depends_on("cli11", type="build")
        depends_on("libpng")

    conflicts("%gcc@:10", msg="tessera needs C++20: g++ 11 or newer")

    def cmake_args(self):
        return [
            self.define("TESSERA_BUILD_TESTS", False),
            self.define("TESSERA_BUILD_EXAMPLES", False),
            self.define("TESSERA_WARNINGS_AS_ERRORS", False),
            self.define_from_variant("TESSERA_BUILD_COMMAND", "command"),
        ]
