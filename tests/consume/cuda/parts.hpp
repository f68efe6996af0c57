// The interface between the two parts of the foreign program: one compiled by nvcc, one by the host's compiler alone.
#pragma once
#include <cstddef>

#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

using Files = tessera::LocalStore<tessera::DeviceBuffer>;
using Memory = tessera::MemoryStore<tessera::DeviceBuffer>;
using Split = tessera::SplitStore<tessera::LocalStore<tessera::HostBuffer>, Memory>;
using Known = tessera::Codecs<tessera::codec::Bytes, tessera::codec::Zstd>;
using HostArray = decltype(tessera::open_any<Known>(tessera::LocalStore<tessera::HostBuffer>{""}, ""));

/// In device.cu. Adds 1 to each byte of a value of `from`, by a kernel, and puts it into both others. Returns the
/// number of bytes.
std::size_t increment(Files const& from, Memory const& memory, Split const& split, tessera::Key const& key,
                      tessera::Queue<tessera::space::Device>& on);

/// In device.cu, and on the host: the sum of the array's elements, which are floats.
double total(HostArray const& array);
