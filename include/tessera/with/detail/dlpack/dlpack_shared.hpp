// dlpack::Shared: memory and its owner, for handing to other libraries.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace dlpack {

/// Elements in owned memory, for any number of consumers. The owner lives as long as this, its copies and every tensor
/// made from it.
template <MemorySpace S>
struct Shared {
  std::byte* data;
  DataType type;
  Layout layout;  ///< if it says that bytes are swapped, a copy is handed over
  bool read_only;
  std::shared_ptr<void const> owner;
};

/// A view of memory that `owner` owns; read-only, if elements are const.
template <class T, std::size_t Rank, MemorySpace S>
Shared<S> share(ArrayView<T, Rank, S> view, std::shared_ptr<void const> owner) {
  using Plain = std::remove_const_t<T>;
  return {reinterpret_cast<std::byte*>(const_cast<Plain*>(view.data)), tessera::data_type_of<Plain>(), view.layout(),
          std::is_const_v<T>, std::move(owner)};
}
/// An array, which is destroyed when the last consumer is done.
template <class T, std::size_t Rank, class B>
Shared<typename B::space_type> share(OwnedArray<T, Rank, B> array) {
  auto const owner = std::make_shared<OwnedArray<T, Rank, B>>(std::move(array));
  return {reinterpret_cast<std::byte*>(owner->data()), tessera::data_type_of<T>(),
          Layout::c_order(owner->shape(), sizeof(T)), false, owner};
}
/// The bytes of a buffer, as uint8; read-only for a buffer without span(), e.g. a mapped file.
template <Buffer B>
Shared<typename B::space_type> share(B buffer) {
  auto const owner = std::make_shared<B>(std::move(buffer));
  auto const bytes = owner->view();
  constexpr bool is_writable = requires { owner->span(); };
  Extents const shape{bytes.size};  // named: nvcc 13 loses a list in braces here
  return {const_cast<std::byte*>(bytes.data), {DataKind::unsigned_integer, 1}, Layout::c_order(shape, 1), !is_writable,
          owner};
}

}}}  // namespace tessera::v0::dlpack
