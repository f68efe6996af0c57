// The handles of columns, and their descriptions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/buffer/detail/shared_buffer.hpp>
#include <tessera/c/detail/guarded.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/ipc/attached_column.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/detail/column.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/ipc/published_column.hpp>
#include <tessera/tessera.h>

struct tessera_producer {
  tessera::ipc::Producer producer{};
};
struct tessera_consumer {
  tessera::ipc::Consumer consumer{};
};
struct tessera_published {
  tessera::ipc::PublishedColumn column;
  std::string json;
};
struct tessera_column {
  tessera::ipc::AttachedColumn<tessera::space::Host> column;
  std::string data_type = column.descriptor().data->type.name();
};

namespace tessera {
inline namespace v0 {
namespace c {
namespace detail {

/// Publishes a copy of `size` bytes.
inline ipc::Published publish_copy(ipc::Producer& producer, void const* from, std::size_t size, DataType type,
                                   std::string_view name) {
  if (size % type.size != 0)
    throw SelectionError{to_text({"the ", name, " have ", size, " bytes, expected a multiple of ", type.size})};
  SharedBuffer copy{size};
  if (size != 0) std::memcpy(copy.span().data, &given(static_cast<std::byte const*>(from), name), size);
  return producer.publish(copy, type, {size / type.size});
}

inline tessera_published publish(ipc::Producer& producer, tessera_column_info const& given_column) {
  std::string const type_name = given_text(given_column.data_type, "column->data_type");
  auto const type = data_type_named(type_name);
  if (!type)
    throw MetadataError{to_text({"found the data type \"", type_name, "\", expected one such as \"float32\""})};
  auto column = ipc::PublishedColumn::values(
                    publish_copy(producer, given_column.values, given_column.values_size, *type, "column->values"))
                    .named(given_column.name ? given_column.name : "");
  if (given_column.mask_kind != TESSERA_MASK_NONE) {
    if (given_column.mask_kind != TESSERA_MASK_BITS && given_column.mask_kind != TESSERA_MASK_BYTES)
      throw WrongArgument{
          to_text({"found ", given_column.mask_kind, " in column->mask_kind, expected a tessera_mask"})};
    auto mask =
        publish_copy(producer, given_column.mask, given_column.mask_size, data_type_of<std::uint8_t>(), "column->mask");
    column = std::move(column).masked(
        std::move(mask), given_column.mask_kind == TESSERA_MASK_BITS ? ipc::Mask::Kind::bits : ipc::Mask::Kind::bytes);
  }
  auto part = column.descriptor().slice(given_column.offset, given_column.length);
  part.null_count = given_column.null_count;
  ipc::detail::check_column(part);
  return {std::move(column), ipc::to_json(part)};
}

inline tessera_column attach(ipc::Consumer& consumer, std::string_view json) {
  auto const what = [&] {
    try {
      return ipc::parse_column_descriptor(json);
    } catch (Error& error) {
      error.in_work("the JSON of a column");
      throw;
    }
  }();
  if (!what.data || what.offsets)
    ipc::detail::refuse_column(what, "it does not have one value for each element, as columns in C have");
  if (!what.dictionary.empty())
    ipc::detail::refuse_column(what, "its values are indices into a dictionary, which columns in C do not have");
  return {ipc::attach(consumer, what)};
}

/// The bytes of a buffer of a column. Throws: ProducerGone; IpcError, if its elements are not aligned.
inline ByteView<space::Host> bytes_of(ipc::Attached<space::Host> const& buffer) {
  auto const& what = buffer.descriptor();
  auto const first = buffer.buffer().view().data + what.offset;
  if (reinterpret_cast<std::uintptr_t>(first) % what.type.component() != 0)
    throw ipc::IpcError{to_text(
        {"the column's values are not aligned to the ", what.type.component(), " bytes of ", what.type.name()})};
  return {first, static_cast<std::size_t>(what.shape[0] * what.type.size)};
}

inline tessera_column_info describe(tessera_column const& of) {
  auto const& what = of.column.descriptor();
  auto const values = bytes_of(*of.column.data());
  tessera_column_info info{};
  info.name = what.name.c_str(), info.data_type = of.data_type.c_str(), info.schema = what.schema.c_str();
  info.length = what.length, info.offset = what.offset, info.null_count = what.null_count;
  info.values = values.data, info.values_size = values.size;
  if (what.mask) {
    auto const mask = bytes_of(*of.column.mask());
    info.mask_kind = what.mask->kind == ipc::Mask::Kind::bits ? TESSERA_MASK_BITS : TESSERA_MASK_BYTES;
    info.mask = mask.data, info.mask_size = mask.size;
  }
  return info;
}

}  // namespace detail
}  // namespace c
}  // namespace v0
}  // namespace tessera
