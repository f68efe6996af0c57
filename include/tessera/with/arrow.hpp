// Arrow's C data interface (https://arrow.apache.org/docs/format/CDataInterface.html) for host memory: share makes
// arrays columns, hand_over gives columns to other libraries, view uses arrays of theirs. Needs no library. Columns of
// other processes: arrow_columns.hpp; device memory: arrow.cuh.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <tessera/array/owned_array.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>
#include <tessera/with/detail/arrow/arrow_elements.hpp>
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

}}}  // namespace tessera::v0::arrow_c
