// Stores alone: without arrays, metadata and JSON.
#include "parts.hpp"

#include <tessera/store/get.hpp>

std::size_t size_of(tessera::MemoryStore<tessera::HostBuffer> const& store, std::string const& key) {
  tessera::Queue<tessera::space::Host> here;
  auto const value = tessera::get_value(store, tessera::Key{key}, here);
  return value ? value->view().size : 0;
}
