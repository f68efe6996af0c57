// ChunkCache for arrays in device memory, with the CUDA parts that it needs.
#pragma once
#include <tessera/cache/chunk_cache.hpp>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/placer.cuh>
