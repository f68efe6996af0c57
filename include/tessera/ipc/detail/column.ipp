#pragma once
#include <tessera/ipc/detail/column.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/detail/arrow_shape.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/core/value.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/check_column.hpp>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

inline void check_column(ColumnDescriptor const& column);  // its header includes this one

inline Value column_value(ColumnDescriptor const& column, Octets how) {
  Members members{{"name", column.name}, {"schema", column.schema}};
  if (!column.logical.empty()) members.push_back({"logical", column.logical});
  members.push_back({"length", Value{column.length}});
  members.push_back({"offset", Value{column.offset}});
  members.push_back({"null_count", Value::integer(column.null_count)});
  if (column.mask) {
    Members mask{{"kind", column.mask->kind == Mask::Kind::bits ? "bits" : "bytes"}};
    mask.push_back({"buffer", to_value(column.mask->buffer, how)});
    members.push_back({"mask", Value{std::move(mask)}});
  }
  if (column.data) members.push_back({"data", to_value(*column.data, how)});
  if (column.offsets) members.push_back({"offsets", to_value(*column.offsets, how)});
  if (!column.dictionary.empty()) members.push_back({"dictionary", column_value(column.dictionary.front(), how)});
  if (column.children.empty()) return members;
  List children;
  for (auto const& child : column.children) children.push_back(column_value(child, how));
  members.push_back({"children", Value{std::move(children)}});
  return members;
}

inline ColumnDescriptor read_column(MemberValue const& value, bool is_newer, std::size_t depth = 0) {
  constexpr auto most = tessera::detail::most_arrow_depth;
  if (depth > most) value.refuse(to_text({"columns nested in at most ", most, " levels"}));
  ObjectReader reader{value};
  ColumnDescriptor column;
  column.name = reader.at("name").string(), column.schema = reader.at("schema").string();
  if (auto const logical = reader.find("logical")) column.logical = logical->string();
  column.length = reader.at("length").integer<std::uint64_t>();
  column.offset = reader.at("offset").integer<std::uint64_t>();
  column.null_count = reader.at("null_count").integer<std::int64_t>(-1);
  if (auto const mask = reader.find("mask")) {
    ObjectReader of{*mask};
    bool const is_bits = of.at("kind").one_of({"bits", "bytes"}) == "bits";
    column.mask = Mask{is_bits ? Mask::Kind::bits : Mask::Kind::bytes, read_descriptor(of.at("buffer").value())};
    if (!is_newer) of.finish();
  }
  if (auto const data = reader.find("data")) column.data = read_descriptor(data->value());
  if (auto const offsets = reader.find("offsets")) column.offsets = read_descriptor(offsets->value());
  if (auto const dictionary = reader.find("dictionary"))
    column.dictionary.push_back(read_column(*dictionary, is_newer, depth + 1));
  if (auto const children = reader.find("children"))
    for (std::size_t i = 0; i < children->list().size(); ++i)
      column.children.push_back(read_column(children->item(i), is_newer, depth + 1));
  if (!is_newer) reader.finish();
  return column;
}

}  // namespace detail

inline Value to_value(ColumnDescriptor const& column, Octets how) {
  Members members;
  detail::add_version(members);
  members.push_back({"column", detail::column_value(column, how)});
  return members;
}
inline ColumnDescriptor read_column_descriptor(Value const& value) {
  ObjectReader reader{value, ""};
  bool const is_newer = detail::read_version(reader);
  auto column = detail::read_column(reader.at("column"), is_newer);
  if (!is_newer) reader.finish();
  detail::check_column(column);
  return column;
}
inline ColumnDescriptor parse_column_descriptor(std::string_view text) {
  return read_column_descriptor(parse_json(text));
}
inline std::string to_json(ColumnDescriptor const& column, Octets how) {
  return tessera::to_json(to_value(column, how));
}

}}}  // namespace tessera::v0::ipc
