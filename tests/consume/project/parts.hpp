// The interface between the parts of the foreign program.
#pragma once
#include <cstddef>
#include <string>

#include <tessera/store/memory_store.hpp>

/// In bytes.cpp, which uses stores without arrays: the size of a value, or 0.
std::size_t size_of(tessera::MemoryStore<tessera::HostBuffer> const& store, std::string const& key);

/// In the shared library, which opens the array with other codecs: the sum of its elements.
[[gnu::visibility("default")]] double total(tessera::MemoryStore<tessera::HostBuffer> const& store,
                                            std::string const& path);
