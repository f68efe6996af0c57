// arrow_c::Column: an Arrow array of any type, in memory with an owner; and the two structs made from it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/with/detail/arrow/arrow_owned.hpp>
#include <tessera/with/detail/exchange_error.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// An Arrow array, for any number of consumers. `format` is a format string of the C data interface, `buffers` are in
/// the order of Arrow's columnar format: validity bits first, then offsets, then values. The owner lives as long as
/// this, its copies and every struct made from it.
template <MemorySpace S>
struct Column {
  std::string format{}, name{};
  std::uint64_t length = 0, offset = 0;    ///< in elements; the offset applies to every buffer
  std::int64_t null_count = 0;             ///< -1: not counted
  std::vector<void const*> buffers{};      ///< null: no element is null, or the buffer is empty
  std::vector<Column> children{};          ///< the elements of lists, the fields of a struct: a table
  std::vector<Column> dictionary{};        ///< one, if the values are indices into it
  std::shared_ptr<void const> owner{};     ///< of the buffers
};

namespace detail {

template <MemorySpace S>
std::int64_t checked_count(std::uint64_t number, Column<S> const& of) {
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw ExchangeError{to_text({"column \"", of.name, "\" has a length or offset of ", number,
                                 " elements, expected at most 2^63 - 1"})};
  return static_cast<std::int64_t>(number);
}

// What a struct's private_data owns. Destroying it releases the children, except those that a consumer moved away.
template <class Struct>
struct Parts {
  std::string format{}, name{};
  std::vector<void const*> buffers{};
  std::vector<Owned<Struct>> children{};
  std::vector<Struct*> pointers{};
  Owned<Struct> dictionary{};
  std::shared_ptr<void const> owner{};
};

// The members that both structs have. `made` must have no other members to be set by something that can throw.
template <class Struct>
Owned<Struct> finished(Struct made, std::unique_ptr<Parts<Struct>> parts) {
  for (auto& child : parts->children) parts->pointers.push_back(child.address());
  made.n_children = static_cast<std::int64_t>(parts->pointers.size());
  made.children = parts->pointers.empty() ? nullptr : parts->pointers.data();
  made.dictionary = parts->dictionary.empty() ? nullptr : parts->dictionary.address();
  made.release = [](Struct* self) {
    delete static_cast<Parts<Struct>*>(std::exchange(self->private_data, nullptr));  // a second call does nothing
    self->release = nullptr;
  };
  made.private_data = parts.release();
  return Owned<Struct>{&made};
}

template <MemorySpace S>
Owned<ArrowSchema> schema_of(Column<S> const& column) {
  auto parts = std::make_unique<Parts<ArrowSchema>>();
  for (auto const& child : column.children) parts->children.push_back(schema_of(child));
  if (!column.dictionary.empty()) parts->dictionary = schema_of(column.dictionary.front());
  parts->format = column.format, parts->name = column.name;
  ArrowSchema made{};
  made.format = parts->format.c_str(), made.name = parts->name.c_str();
  made.flags = ARROW_FLAG_NULLABLE;  // the same for columns with nulls and without: batches of one table agree
  return finished(made, std::move(parts));
}

template <MemorySpace S>
Owned<ArrowArray> array_of(Column<S> const& column) {
  auto parts = std::make_unique<Parts<ArrowArray>>();
  for (auto const& child : column.children) parts->children.push_back(array_of(child));
  if (!column.dictionary.empty()) parts->dictionary = array_of(column.dictionary.front());
  parts->buffers = column.buffers, parts->owner = column.owner;
  ArrowArray made{};
  made.length = checked_count(column.length, column), made.offset = checked_count(column.offset, column);
  made.null_count = column.null_count;
  made.n_buffers = static_cast<std::int64_t>(parts->buffers.size());
  made.buffers = parts->buffers.data();
  return finished(made, std::move(parts));
}

}  // namespace detail
}}}  // namespace tessera::v0::arrow_c
