// Orthogonal: an independent selection along each dimension, also by lists, like ix_ of NumPy and oindex of
// zarr-python.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class R>
concept IndexRange = requires(R const& range) {
  std::end(range);
  requires std::integral<std::remove_cvref_t<decltype(*std::begin(range))>>;
  requires !std::same_as<std::remove_cvref_t<decltype(*std::begin(range))>, bool>;
};

template <IndexRange R>
std::vector<std::uint64_t> indices_of(R const& range) {
  std::vector<std::uint64_t> indices;
  indices.reserve(std::size(range));
  for (auto index : range) indices.push_back(natural(index, "a list of indices"));
  return indices;
}

}  // namespace detail

/// The indices of one dimension: a slice, `all`, one index, or a list such as a std::vector<int>, in any order and with
/// repeats.
class Indices {
 public:
  Indices(Slice const& slice) : slice_{slice} {}
  Indices(AllIndices) {}
  template <std::integral N>
  requires(!std::same_as<N, bool>) Indices(N index) : slice_{index} {}
  /// Throws: SelectionError, if an index is negative.
  template <detail::IndexRange R>
  Indices(R const& list) : is_list_{true}, list_(detail::indices_of(list)) {}

 private:
  friend class Orthogonal;
  Slice slice_{};
  bool is_list_ = false;
  std::vector<std::uint64_t> list_{};
};

/// `Orthogonal{std::vector{7, 2, 2}, all, Slice{0, 10}}`: these rows, in this order, of everything that the other
/// dimensions select. The memory has as many dimensions as the array, each as long as its indices. If an index repeats,
/// the last element written stays.
class Orthogonal {
 public:
  Orthogonal(std::initializer_list<Indices> indices) : indices_{indices} {}
  explicit Orthogonal(std::vector<Indices> indices) : indices_{std::move(indices)} {}

  /// Throws: SelectionError naming the dimension.
  ResolvedSelection resolve(Extents const& shape) const;

 private:
  std::vector<Indices> indices_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/view/detail/orthogonal.ipp>
#endif
