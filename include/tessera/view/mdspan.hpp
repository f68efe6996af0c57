// Views of the standard's kind (std::mdspan, Kokkos's, cuda::std's) as ArrayViews. None of their headers is needed.
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

/// Where the memory is that an mdspan's accessor leads to. A point of extension:
///
///   template <class T>
///   struct tessera::accessor_space<my::DeviceAccessor<T>> { using type = tessera::space::Device; };
///
/// with/cccl.cuh has those of cuda::host_mdspan, device_mdspan and managed_mdspan.
template <class Accessor>
struct accessor_space;

namespace detail {

// Whether a type is of the standard's namespace, or of Kokkos's, which has the standard's mdspan for older compilers.
// By its name, "... T = std::default_accessor<float>]": many a standard library has no mdspan to be named, and where
// there is one, its header would cost every program. Where a compiler spells it otherwise, the mdspan is refused.
template <class T>
consteval bool is_of_the_standard() {
  std::string_view name{__PRETTY_FUNCTION__};
  name.remove_prefix(name.find('=') + 1);
  if (name.starts_with(' ')) name.remove_prefix(1);
  return name.starts_with("std::") || name.starts_with("Kokkos::");
}

}  // namespace detail

/// std::default_accessor and std::aligned_accessor are the host's. cuda::std's are not: CUDA programs use these for the
/// memory of both sides.
template <class Accessor>
requires(detail::is_of_the_standard<Accessor>()) struct accessor_space<Accessor> {
  using type = space::Host;
};

/// An mdspan that says where its memory is.
template <class M>
concept MdspanOfASpace = Mdspan<M> && MemorySpace<typename accessor_space<typename M::accessor_type>::type>;

/// The same elements, in memory of S: `array_view<space::Device>(m)` for an mdspan whose type does not say where it is.
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
