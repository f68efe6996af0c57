// Thrust's vectors and ranges of its pointers as memory for reads and writes of arrays. Needs Thrust, from the CUDA
// toolkit (Apache-2.0), and nvcc.
#pragma once
#if !defined(__CUDACC__)
#error "tessera: Thrust's device memory needs nvcc: include tessera/with/thrust.cuh in a .cu file"
#else
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <thrust/iterator/iterator_traits.h>
#include <thrust/memory.h>
#include <thrust/system/cuda/memory.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <tessera/view/contiguous_memory.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

namespace thrust = THRUST_NS_QUALIFIER;  // THRUST_CUB_WRAPPED_NAMESPACE moves it

// Iterators of other libraries, which Thrust takes for host iterators: pointers, and the standard's contiguous
// iterators. Only the tag is checked: more must not be asked of iterators of a cuda::buffer on the device.
template <class Iterator>
concept IteratorOfAnother = std::is_pointer_v<Iterator> || requires {
  requires std::derived_from<typename Iterator::iterator_concept, std::contiguous_iterator_tag>;
};

// Contiguous elements that only Thrust's iterators or pointers reach: its vectors, and ranges of these.
template <class M>
concept ThrustMemory = requires(M& memory) {
  requires !IteratorOfAnother<decltype(memory.begin())>;
  requires thrust::is_contiguous_iterator_v<decltype(memory.begin())>;
  { memory.size() } -> std::convertible_to<std::size_t>;
};

// Iterators do not tell page-locked from managed memory: both are universal to Thrust.
template <class M>
constexpr bool allocates_pinned() {
  if constexpr (requires { typename M::allocator_type; }) {
    using Pinned = thrust::system::cuda::universal_host_pinned_allocator<typename M::value_type>;
    return std::is_same_v<typename M::allocator_type, Pinned>;
  } else {
    return false;
  }
}

// The elements' space: the host for Thrust's host system; the device if iterators give proxy references; with true
// references, the host reaches them too.
template <class M>
auto space_of_thrust() {
  using Iterator = decltype(std::declval<M&>().begin());
  if constexpr (std::is_convertible_v<thrust::iterator_system_t<Iterator>, thrust::host_system_tag>)
    return space::Host{};
  else if constexpr (!std::is_reference_v<decltype(*std::declval<Iterator>())>)
    return space::Device{};
  else if constexpr (allocates_pinned<M>())
    return space::Pinned{};
  else
    return space::Managed{};
}

}  // namespace detail

/// thrust::device_vector, host_vector, universal_vector, universal_host_pinned_vector, and any type with begin(),
/// size() and one of their iterators: `std::ranges::subrange{first, last}` of two thrust::device_ptr or iterators.
///
/// Wait for the result of a read into a vector, or of a write from one, before the vector is destroyed or resized, and
/// before Thrust uses it on another stream than the queue's: `thrust::cuda::par_nosync.on(queue.stream())` follows the
/// queue's order. (Thrust's documentation, "Execution Policies": without such a policy Thrust uses the default stream,
/// and waits.)
template <detail::ThrustMemory M>
struct contiguous_memory<M> {
  using space = decltype(detail::space_of_thrust<M>());
  static auto data(M& memory) { return detail::thrust::raw_pointer_cast(&*memory.begin()); }
  static std::size_t size(M& memory) { return static_cast<std::size_t>(memory.size()); }
};

}}  // namespace tessera::v0
#endif
