// What both units include.
#pragma once
#include <cstddef>

#include <tessera/compiled.cuh>
#include <tessera/with/zstd.hpp>

using Files = tessera::LocalStore<tessera::HostBuffer>;

/// Reads a part of the array `a` into device memory, and writes it back. How many elements.
std::size_t in_shards(Files const& files, tessera::Queue<tessera::space::Device>& on);
