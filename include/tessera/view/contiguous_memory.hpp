// contiguous_memory: makes contiguous memory of any type readable and writable by arrays.
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
#include <tessera/view/array_view.hpp>

namespace tessera { inline namespace v0 {

/// Contiguous elements of a memory type M, in C order for any requested shape. An extension point: specialise it for
/// your own type to pass that type to Array::read and Array::write.
///
///   using space = space::Device;           the memory space of the elements
///   static T* data(M& memory);             the first element
///   static std::size_t size(M& memory);    the number of elements
///
/// M is const when an array is written from it. memory_in<S> has all three members for a container, const or not.
/// with/thrust.cuh, with/rmm.cuh and with/cccl.cuh specialise it for the containers of these libraries.
template <class M>
struct contiguous_memory;

/// The members of contiguous_memory<M> for a container with data() and size(), whose elements are in S:
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

/// Memory whose type has a complete contiguous_memory<M>.
template <class M>
concept ContiguousMemory = requires(M& memory) {
  typename contiguous_memory<M>::space;
  requires std::is_pointer_v<decltype(contiguous_memory<M>::data(memory))>;
  { contiguous_memory<M>::size(memory) } -> std::convertible_to<std::size_t>;
};

/// For const memory, if the functions of the specialisation accept it.
template <class M>
requires requires(M const& memory) { contiguous_memory<M>::data(memory); }
struct contiguous_memory<M const> : contiguous_memory<M> {};

// Types in host memory, by name, because no property of a range tells host memory from device memory: iterators of
// rmm::device_uvector are pointers, as those of string_view, and iterators of cuda::buffer are contiguous_iterators in
// any space. Views of ranges are not listed, because their elements may be in any space.
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

// Looks like contiguous memory. Does not inspect the iterators: nvcc must not even check whether those of a device
// cuda::buffer are contiguous.
template <class M>
concept LooksContiguous = !Mdspan<std::remove_cv_t<M>> && requires(M & memory) {
  std::begin(memory);
  requires std::is_pointer_v<decltype(std::data(memory))>;
  { std::size(memory) } -> std::convertible_to<std::size_t>;
};

// False for a container that looks contiguous, but has no known memory space.
template <class M>
concept SaysWhere = ContiguousMemory<M> || !LooksContiguous<M>;

template <class M>
consteval bool check_says_where() {
  static_assert(SaysWhere<M>,
                "tessera: this type does not declare its memory space: pass std::span{memory} if it is in host memory, "
                "or declare it for the type: template <> struct tessera::contiguous_memory<M> : "
                "tessera::memory_in<tessera::space::Host> {}; tessera/with/ declares it for RMM, Thrust and CCCL");
  return SaysWhere<M>;
}

}  // namespace detail
}}  // namespace tessera::v0
