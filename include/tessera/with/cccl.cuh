// CCCL types that tell where their memory is: cuda::host_mdspan, device_mdspan, managed_mdspan and cuda::buffer. Needs
// CCCL 3.2 (Apache-2.0 with LLVM exceptions); CUDA 13.0 has 3.0.
#pragma once
#include <cuda/version>
#if CCCL_MAJOR_VERSION < 3 || (CCCL_MAJOR_VERSION == 3 && CCCL_MINOR_VERSION < 2)
#error "tessera: with/cccl.cuh needs CCCL 3.2 or newer, for cuda::device_mdspan and cuda::buffer"
#else
#include <type_traits>

#include <cuda/buffer>
#include <cuda/mdspan>
#include <cuda/memory_resource>

#include <tessera/view/array_view.hpp>
#include <tessera/view/contiguous_memory.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// For memory that host and device reach, CCCL does not tell pinned from managed; nothing here depends on it.
template <bool host, bool device>
using space_of_cccl = std::conditional_t<host, std::conditional_t<device, space::Managed, space::Host>, space::Device>;

}  // namespace detail

template <class Accessor>
requires(cuda::is_host_accessible_v<Accessor> ||
         cuda::is_device_accessible_v<Accessor>) struct accessor_space<Accessor> {
  using type = detail::space_of_cccl<cuda::is_host_accessible_v<Accessor>, cuda::is_device_accessible_v<Accessor> >;
};

/// cuda::device_buffer<T>, cuda::host_buffer<T>, and buffers of other properties.
template <class T, class... Properties>
struct contiguous_memory<cuda::buffer<T, Properties...> >
    : memory_in<detail::space_of_cccl<(std::is_same_v<Properties, cuda::mr::host_accessible> || ...),
                                      (std::is_same_v<Properties, cuda::mr::device_accessible> || ...)> > {};

}}  // namespace tessera::v0
#endif
