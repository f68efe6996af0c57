// The other order of includes than in main.cpp, and more of them.
#include <tessera/with/zstd.hpp>

#include "parts.hpp"

#include <numeric>

#include <tessera/tessera.hpp>

double total(tessera::MemoryStore<tessera::HostBuffer> const& store, std::string const& path) {
  using namespace tessera;
  auto const array = open_array<float, 2, Codecs<codec::Bytes, codec::Zstd>>(store, path, Queue<space::Host>{2});
  auto const elements = array.read(all);
  return std::accumulate(elements.elements().begin(), elements.elements().end(), 0.0);
}
