// Contiguous memory of somebody's own type, as arrays are read into and written from.
#pragma once
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include <tessera/memory/space.hpp>
#include <tessera/view/mdspan.hpp>

namespace tessera::inline v0 {

/// What memory of type M is: elements one after the other, in C order, of whatever shape is asked for. A point of
/// extension: a specialisation for a type of one's own makes it memory that Array::read and Array::write take.
///
///   using space = space::Device;           where the elements are
///   static T* data(M& memory);             the first
///   static std::size_t size(M& memory);    how many there are
///
/// M is const where an array is written from it. with/thrust.cuh has one for what Thrust calls a vector.
template <class M>
struct contiguous_memory;

template <class M>
concept ContiguousMemory = requires(M& memory) {
  typename contiguous_memory<M>::space;
  requires std::is_pointer_v<decltype(contiguous_memory<M>::data(memory))>;
  { contiguous_memory<M>::size(memory) } -> std::convertible_to<std::size_t>;
};

namespace detail {

// Not std::ranges::contiguous_range: its header costs every program a quarter of a second of compiling.
template <class M>
concept ContiguousRange = !Mdspan<std::remove_cv_t<M>> && requires(M & memory) {
  requires std::contiguous_iterator<decltype(std::begin(memory))>;
  { std::size(memory) } -> std::convertible_to<std::size_t>;
  std::data(memory);
};

}  // namespace detail

/// std::vector<T>, std::span<T>, std::array<T, N>, T[N], ... are the host's.
template <detail::ContiguousRange M>
struct contiguous_memory<M> {
  using space = space::Host;
  static auto data(M& memory) { return std::data(memory); }
  static std::size_t size(M& memory) { return std::size(memory); }
};

}  // namespace tessera::inline v0
