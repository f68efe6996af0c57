// Included by both units.
#pragma once
#include <cstddef>

#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

using Files = tessera::LocalStore<tessera::HostBuffer>;

/// Reads a part of the array `a` into device memory, and writes it back. Returns the number of elements.
std::size_t in_shards(Files const& files, tessera::Queue<tessera::space::Device>& on);
