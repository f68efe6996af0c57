// All of tessera for the host, with every codec. Needs libdeflate, libzstd, c-blosc, liblz4, libbz2 and liblzma:
// CMake's tessera::all, or -ldeflate -lzstd -lblosc -llz4 -lbz2 -llzma. A program that lacks one of them includes
// tessera/tessera.hpp and the headers of tessera/with/ for the others. Left out, because programs that do not use them
// would pay for them: chunk caches (tessera/cache/), converting documents to the other format
// (tessera/node/convert_node.hpp), structs and other element types (tessera/core/types/), CachedStore, sums
// (tessera/view/sum.hpp), shared arrays (tessera/ipc/), and the other library headers of tessera/with/.
#pragma once
#include <tessera/array/convert.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/detail/arrays.hpp>  // IWYU pragma: export
