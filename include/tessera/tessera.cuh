// All of tessera that needs the CUDA runtime and no other library, after tessera.hpp.
#pragma once
#include <tessera/tessera.hpp>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/buffer/managed_buffer.cuh>
#include <tessera/buffer/pinned_buffer.cuh>
#include <tessera/cast/host_device.cuh>
#include <tessera/memory/event.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/memory/resource.cuh>
#include <tessera/place/copy.cuh>
#include <tessera/store/local_store.cuh>
