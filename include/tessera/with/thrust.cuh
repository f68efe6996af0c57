// Thrust's vectors and ranges of its pointers as memory that arrays are read into and written from. Needs Thrust, which
// comes with the CUDA toolkit (Apache-2.0), and nvcc.
#pragma once
#if !defined(__CUDACC__)
#error "tessera: Thrust's device memory is nvcc's: include tessera/with/thrust.cuh in a .cu file"
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

namespace thrust = THRUST_NS_QUALIFIER;  // which THRUST_CUB_WRAPPED_NAMESPACE puts elsewhere

// Iterators of others, of which Thrust would say that they are the host's: pointers, and what the standard calls
// contiguous. Asked by the tag, for those of a cuda::buffer on the device may not be asked more.
template <class Iterator>
concept IteratorOfAnother = std::is_pointer_v<Iterator> || requires {
  requires std::derived_from<typename Iterator::iterator_concept, std::contiguous_iterator_tag>;
};

// Elements one after the other that no pointer of the language leads through: what Thrust calls a vector, and ranges of
// its iterators and pointers.
template <class M>
concept ThrustMemory = requires(M& memory) {
  requires !IteratorOfAnother<decltype(memory.begin())>;
  requires thrust::is_contiguous_iterator_v<decltype(memory.begin())>;
  { memory.size() } -> std::convertible_to<std::size_t>;
};

// An iterator does not tell page-locked memory from managed memory: both are universal to Thrust.
template <class M>
constexpr bool allocates_pinned() {
  if constexpr (requires { typename M::allocator_type; }) {
    using Pinned = thrust::system::cuda::universal_host_pinned_allocator<typename M::value_type>;
    return std::is_same_v<typename M::allocator_type, Pinned>;
  } else {
    return false;
  }
}

// Where its elements are: with the host, for Thrust's host system; else they are the device's, where a reference to one
// stands for it; where it is a reference of the language, the host reaches them too.
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

/// thrust::device_vector, host_vector, universal_vector, universal_host_pinned_vector, and whatever has begin() and
/// size() and an iterator of theirs: `std::ranges::subrange{first, last}` of two thrust::device_ptr or iterators.
///
/// What a read into one, or a write out of one, returns is waited for before the vector goes or changes its size, and
/// before Thrust works on it in another stream than the queue's: `thrust::cuda::par_nosync.on(queue.stream())` is in
/// its order. (Thrust's documentation, "Execution Policies": without such a policy it works on the default stream, and
/// waits.)
template <detail::ThrustMemory M>
struct contiguous_memory<M> {
  using space = decltype(detail::space_of_thrust<M>());
  static auto data(M& memory) { return detail::thrust::raw_pointer_cast(&*memory.begin()); }
  static std::size_t size(M& memory) { return static_cast<std::size_t>(memory.size()); }
};

}}  // namespace tessera::v0
#endif
