// All of tessera for the host, with every codec. Needs libdeflate, libzstd, c-blosc, liblz4, libbz2 and liblzma: CMake's
// tessera::all, or -ldeflate -lzstd -lblosc -llz4 -lbz2 -llzma. A program that lacks one of them includes
// tessera/tessera.hpp, and of tessera/with/ what it has.
#pragma once
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/arrays.hpp>
