// Views of the standard's kind (std::mdspan, Kokkos's, cuda::std's) as ArrayViews. None of their headers is needed.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <tessera/view/array_view.hpp>

namespace tessera::inline v0 {

/// An mdspan over plain memory whose layout has strides.
template <class M>
concept Mdspan = requires(M const& m, std::size_t d) {
  typename M::element_type;
  { M::rank() } -> std::convertible_to<std::size_t>;
  { m.data_handle() } -> std::same_as<typename M::element_type*>;
  { m.extent(d) } -> std::integral;
  { m.stride(d) } -> std::integral;
};

/// The same elements. An mdspan does not say where its memory is: it is taken for the host's.
template <Mdspan M>
constexpr auto array_view(M const& m) {
  ArrayView<typename M::element_type, M::rank(), space::Host> view{m.data_handle(), {}, {}};
  for (std::size_t d = 0; d < M::rank(); ++d) {
    view.shape[d] = static_cast<std::uint64_t>(m.extent(d));
    view.strides[d] = static_cast<std::int64_t>(m.stride(d));
  }
  return view;
}

}  // namespace tessera::inline v0
