// Contiguous memory of somebody's own type, as arrays are read into and written from.
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/memory/space.hpp>
#include <tessera/view/mdspan.hpp>

namespace tessera { inline namespace v0 {

/// What memory of type M is: elements one after the other, in C order, of whatever shape is asked for. A point of
/// extension: a specialisation for your own type makes it memory that Array::read and Array::write take.
///
///   using space = space::Device;           where the elements are
///   static T* data(M& memory);             the first
///   static std::size_t size(M& memory);    how many there are
///
/// M is const when an array is written from it. memory_in<S> has all three for a container, const or not.
/// with/thrust.cuh, with/rmm.cuh and with/cccl.cuh specialise it for the containers of these libraries.
template <class M>
struct contiguous_memory;

/// The members of contiguous_memory<M> for a container with data() and size(), whose elements are in S. One line does:
///
///   template <class T>
///   struct tessera::contiguous_memory<my::Vector<T>> : tessera::memory_in<tessera::space::Host> {};
template <MemorySpace S>
struct memory_in {
  using space = S;
  template <class M>
  static auto data(M& memory) -> decltype(std::data(memory)) {
    return std::data(memory);
  }
  template <class M>
  static std::size_t size(M& memory) {
    return static_cast<std::size_t>(std::size(memory));
  }
};

template <class M>
concept ContiguousMemory = requires(M& memory) {
  typename contiguous_memory<M>::space;
  requires std::is_pointer_v<decltype(contiguous_memory<M>::data(memory))>;
  { contiguous_memory<M>::size(memory) } -> std::convertible_to<std::size_t>;
};

/// A specialisation whose functions take const memory serves it.
template <class M>
requires requires(M const& memory) { contiguous_memory<M>::data(memory); }
struct contiguous_memory<M const> : contiguous_memory<M> {};

// The host's by their names. No property of a range tells the host's memory from a device's: rmm::device_uvector has
// pointers for iterators as a string_view has, and the iterators of cuda::buffer are contiguous_iterators wherever its
// elements are. Views of ranges are as little the host's as what they show, so they are not here.
template <class M>
requires std::is_array_v<M>
struct contiguous_memory<M> : memory_in<space::Host> {
};
template <class T, class Allocator>
struct contiguous_memory<std::vector<T, Allocator>> : memory_in<space::Host> {};
template <class T, std::size_t n>
struct contiguous_memory<std::array<T, n>> : memory_in<space::Host> {};
template <class T, std::size_t n>
struct contiguous_memory<std::span<T, n>> : memory_in<space::Host> {};
template <class T>
struct contiguous_memory<std::initializer_list<T>> : memory_in<space::Host> {};
template <class T, class Traits, class Allocator>
struct contiguous_memory<std::basic_string<T, Traits, Allocator>> : memory_in<space::Host> {};
template <class T, class Traits>
struct contiguous_memory<std::basic_string_view<T, Traits>> : memory_in<space::Host> {};

namespace detail {

// What looks like such memory. Its iterators are not looked at: nvcc may not so much as ask whether those of a
// cuda::buffer on the device are contiguous.
template <class M>
concept LooksContiguous = !Mdspan<std::remove_cv_t<M>> && requires(M & memory) {
  std::begin(memory);
  requires std::is_pointer_v<decltype(std::data(memory))>;
  { std::size(memory) } -> std::convertible_to<std::size_t>;
};

// Not so of a container that would do, but does not say where its elements are.
template <class M>
concept SaysWhere = ContiguousMemory<M> || !LooksContiguous<M>;

template <class M>
consteval bool check_says_where() {
  static_assert(SaysWhere<M>,
                "tessera: this memory does not say where it is: give std::span{memory} if it is the host's, or say so "
                "of its type: template <> struct tessera::contiguous_memory<M> : "
                "tessera::memory_in<tessera::space::Host> {}; those of RMM, Thrust and CCCL are in tessera/with/");
  return SaysWhere<M>;
}

}  // namespace detail
}}  // namespace tessera::v0
