// array_view: mdspans (std::mdspan, Kokkos's, cuda::std's) as ArrayViews. None of their headers is needed.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tessera/view/array_view.hpp>

namespace tessera { inline namespace v0 {

/// An mdspan over plain memory whose layout has strides.
template <class M>
concept Mdspan = requires(M const& m, std::size_t d) {
  typename M::element_type;
  requires std::same_as<typename M::reference, typename M::element_type&>;
  { M::rank() } -> std::convertible_to<std::size_t>;
  { m.data_handle() } -> std::convertible_to<typename M::element_type*>;
  { m.extent(d) } -> std::integral;
  { m.stride(d) } -> std::integral;
};

/// The memory space of an mdspan's accessor. An extension point:
///
///   template <class T>
///   struct tessera::accessor_space<my::DeviceAccessor<T>> { using type = tessera::space::Device; };
///
/// with/cccl.cuh specialises it for cuda::host_mdspan, device_mdspan and managed_mdspan.
template <class Accessor>
struct accessor_space;

namespace detail {

// Whether a type is in namespace std, or Kokkos, which has the standard's mdspan for older compilers. Decided by name,
// "... T = std::default_accessor<float>]", because many standard libraries have no mdspan, and its header would add to
// the compile time of every program. If a compiler spells the name otherwise, the mdspan is refused.
template <class T>
consteval bool is_of_the_standard() {
  std::string_view name{__PRETTY_FUNCTION__};
  name.remove_prefix(name.find('=') + 1);
  if (name.starts_with(' ')) name.remove_prefix(1);
  return name.starts_with("std::") || name.starts_with("Kokkos::");
}

}  // namespace detail

/// std::default_accessor and std::aligned_accessor refer to host memory. Those of cuda::std do not: CUDA programs use
/// them for host and device memory.
template <class Accessor>
requires(detail::is_of_the_standard<Accessor>()) struct accessor_space<Accessor> {
  using type = space::Host;
};

/// An mdspan whose type tells its memory space.
template <class M>
concept MdspanOfASpace = Mdspan<M> && MemorySpace<typename accessor_space<typename M::accessor_type>::type>;

/// The same elements, in space S: `array_view<space::Device>(m)` for an mdspan whose type does not tell its space.
template <MemorySpace S, Mdspan M>
constexpr auto array_view(M const& m) {
  ArrayView<typename M::element_type, M::rank(), S> view{m.data_handle(), {}, {}};
  if constexpr (M::rank() > 0) {
    for (std::size_t d = 0; d < M::rank(); ++d) {
      view.shape[d] = static_cast<std::uint64_t>(m.extent(d));
      view.strides[d] = static_cast<std::int64_t>(m.stride(d));
    }
  }
  return view;
}
template <MdspanOfASpace M>
constexpr auto array_view(M const& m) {
  return array_view<typename accessor_space<typename M::accessor_type>::type>(m);
}

}}  // namespace tessera::v0
