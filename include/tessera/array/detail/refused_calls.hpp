// RefusedCalls: calls and types of arrays that do not compile, for errors that say what to write.
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A base of Array: none of its functions can be called. Overloads that only constraints tell from those of Array are
/// in Array, because those would hide them.
template <class T, std::size_t Rank, MemorySpace Space>
class RefusedCalls {
  template <class... More>
  static auto no_elements() {
    if constexpr (begins_with_memory<More...>)
      return InvalidCall<T>{};
    else
      return invalid_result<OwnedArray<T, Rank, elements_buffer<T, Space>>>();
  }

 public:
  // Elements must be read first.
  template <class Index = Extents>
  T const& operator[](Index const&) const {
    static_assert(!std::same_as<Index, Index>,
                  "tessera: elements of an array in a store have no address: read a part and index that, 'auto const "
                  "part = array.read({{0, 10}, all, 3}); part(1, 2, 0)'");
    static T const none{};
    return none;
  }

  // The first argument is not a selection.
  template <int = 0, NoSelector A, class... More>
  requires(!ListedElsewhere<A>) auto read(A const&, More&&...) const {
    (void)check_selector<A>();
    return no_elements<More...>();
  }
  template <class B = T>
  auto read() const {
    (void)check_selector<B>();
    return no_elements();
  }
  template <int = 0, NoSelector A, class... More>
  requires(!ListedElsewhere<A>) InvalidCall<T> write(A const&, More&&...) const {
    (void)check_selector<A>();
    return {};
  }
  template <int = 0, NoSelector A, class... More>
  requires(!ListedElsewhere<A>) InvalidCall<T> fill(A const&, More&&...) const {
    (void)check_selector<A>();
    return {};
  }
};

/// An Array for an AnyArray; after a compile error, what stands for it.
template <class T, std::size_t Rank, class Untyped>
auto with_type(Untyped array) {
  if constexpr (was_refused<Untyped>())
    return InvalidCall<T>{};
  else
    return Array<T, Rank, typename Untyped::store_type, typename Untyped::pipeline_type>{std::move(array)};
}

/// A read into new memory of a type that is no buffer.
template <class B, class T>
InvalidCall<std::conditional_t<Element<B>, B, T>> refuse_buffer() {
  static_assert(!Element<B>,
                "tessera: read<...> names the type of the buffer, e.g. read<PinnedBuffer>(all); to convert numbers "
                "include <tessera/array/convert.hpp> and use read_as<float>(array, all)");
  static_assert(Element<B> || AllocatableBuffer<B>,
                "tessera: read<...> names the type of a buffer, which the new array owns: HostBuffer, or with "
                "<tessera/tessera.cuh> PinnedBuffer or DeviceBuffer; to read into memory of your own, pass it: "
                "read(all, memory)");
  return {};
}

}  // namespace detail

/// Not usable: its compile error says what to write where `Array<float>`, `Array<float, 3>` and
/// `Array<float, 3, Store>` leave out the rest of the type.
template <Element T, std::size_t Rank, class S>
class Array<T, Rank, S, void> {
  static_assert(sizeof(T) == 0,
                "tessera: an array's type includes its rank, store and codecs: write auto, a template parameter, or "
                "decltype(open_array<float, 3>(store))");

 public:
  template <class A>
  Array(A const&) {}
};

}}  // namespace tessera::v0
