// Decoded chunks of an array in device memory that a program keeps there, and in page-locked memory: ChunkCache, with
// what it needs of CUDA.
#pragma once
#include <tessera/cache/chunk_cache.hpp>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/buffer/pinned_buffer.cuh>
#include <tessera/cast/host_device.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/copy.cuh>
