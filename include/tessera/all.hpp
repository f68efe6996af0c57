// All of tessera for the host, with every codec. Needs libdeflate, libzstd and c-blosc: CMake's tessera::all, or
// -ldeflate -lzstd -lblosc. A program that lacks one of them includes tessera/tessera.hpp, and of tessera/with/ what it
// has.
#pragma once
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/arrays.hpp>
