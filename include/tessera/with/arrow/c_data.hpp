// Arrow's C data interface (https://arrow.apache.org/docs/format/CDataInterface.html) for host memory: share makes a
// column of an array, hand_over gives columns to other libraries, take_over and view use theirs. Needs no library.
// Columns of other processes: columns.hpp; device memory: device.cuh; tables as bytes: messages.hpp.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <tessera/array/owned_array.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>
#include <tessera/with/detail/arrow/arrow_elements.hpp>
#include <tessera/with/detail/arrow/arrow_taken.hpp>
#include <tessera/with/detail/arrow/arrow_view.hpp>

// Not `arrow`: that is the namespace of Arrow's own C++ library, and a program may use both namespaces.
namespace tessera { inline namespace v0 { namespace arrow_c {

/// An array, which is destroyed when the last consumer is done: its elements are a column of values; with more
/// dimensions, one of nested fixed-size lists (the format "+w:N"). Nothing is copied, except bools, which become bits.
/// Times without a value, NaT, become nulls. Throws: ExchangeError, if the array has no dimensions or Arrow has no
/// format for its elements.
template <class T, std::size_t Rank, class B>
Column<typename B::space_type> share(OwnedArray<T, Rank, B> array) {
  using S = typename B::space_type;
  static_assert(std::same_as<S, space::Host> || std::same_as<S, space::Device>,
                "tessera: Arrow's arrays are in host or device memory: read into a HostBuffer or a DeviceBuffer");
  auto const owner = std::make_shared<OwnedArray<T, Rank, B>>(std::move(array));
  auto const* const data = reinterpret_cast<std::byte const*>(std::as_const(*owner).data());
  return detail::column_of<S>(data, data_type_of<T>(), owner->shape(), owner);
}
/// A view of host memory that `owner` owns. Copied, if the elements are not in C order. Throws: as for arrays.
template <class T, std::size_t Rank>
Column<space::Host> share(ArrayView<T, Rank, space::Host> view, std::shared_ptr<void const> owner) {
  auto const* const data = reinterpret_cast<std::byte const*>(view.data);
  return detail::column_of(data, data_type_of<std::remove_const_t<T>>(), view.layout(), std::move(owner));
}

/// The two structs of Arrow's C data interface, which a consumer takes by `move_to`, or by its own import function from
/// their `address()`.
struct Exported {
  Owned<ArrowSchema> schema;  ///< names and types; independent of the array
  Owned<ArrowArray> array;    ///< the elements
};
/// A column in host memory, for another library. The memory is released when the column, its copies and all structs
/// made from it are; from any thread. Throws: ExchangeError, if a length is above 2^63.
inline Exported hand_over(Column<space::Host> const& column) {
  return {detail::schema_of(column), detail::array_of(column)};
}

/// Another library's host array, in place. The schema stays the caller's; the array is released when the column and
/// all its copies are destroyed, from any thread. The lengths of buffers are not in the interface: the library that
/// made the array is trusted. Throws: ExchangeError, if the array contradicts its schema, or for a type that the
/// library does not have; the array is released then, too.
inline Column<space::Host> take_over(ArrowSchema const& schema, Owned<ArrowArray> array) {
  if (!schema.release || array.empty()) throw ExchangeError{"the schema or the array was released or moved"};
  auto const taken = std::make_shared<Owned<ArrowArray>>(std::move(array));
  return detail::taken_column<space::Host>(schema, taken->get(), taken);
}

/// A view of a column's values, without its offset; its memory is that of the column. Throws: ExchangeError, if the
/// elements are others than T, are bits or indices, or may be null.
template <class T, MemorySpace S>
ArrayView<T const, 1, S> values(Column<S> const& column) {
  auto const type = data_type_of<T>();
  if (column.format != format_of(type) || !column.dictionary.empty() || type.kind == DataKind::boolean)
    detail::refuse_array(column.name, column.format,
                         to_text({"no view of ", type.name(), " has its elements",
                                  column.dictionary.empty() ? "" : ", which are indices"}));
  if (column.null_count != 0) detail::refuse_array(column.name, column.format, "elements may be null, expected values");
  auto const* const data = static_cast<T const*>(column.buffers[1]);
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0)
    detail::refuse_array(column.name, column.format, to_text({"its memory is not aligned to ", alignof(T), " bytes"}));
  return ArrayView<T const, 1, S>::c_order(data ? data + column.offset : nullptr, {column.length});
}

}}}  // namespace tessera::v0::arrow_c
