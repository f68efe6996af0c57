// tessera.hpp, and all of tessera that needs the CUDA runtime but no other library.
#pragma once
#include <tessera/tessera.hpp>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/memory/detail/event.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/memory/resource.cuh>
#include <tessera/place/detail/placer.cuh>
#include <tessera/store/detail/local_store.cuh>

#if defined(TESSERA_SEPARATE) && !defined(TESSERA_SEPARATE_CUDA)
#include <tessera/any_spaces.hpp>
#endif
#if defined(TESSERA_SEPARATE_CUDA)
namespace tessera { inline namespace v0 { namespace detail {
template <>
inline constexpr bool is_compiled<space::Device> = true;
}}}  // namespace tessera::v0::detail
#define TESSERA_INSTANCE extern
#include <tessera/detail/device_instances.ipp>
#undef TESSERA_INSTANCE
#endif
