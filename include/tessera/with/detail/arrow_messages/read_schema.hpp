// FieldType: a column's type, read from a message with the schema of a table.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/detail/arrow_shape.hpp>
#include <tessera/core/error.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow_messages/flat_type.hpp>
#include <tessera/with/detail/flat_table.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

struct FieldType {
  std::string name{}, format{};           ///< the format of the indices, if there is a dictionary
  std::vector<FieldType> children{};
  std::optional<std::int64_t> number{};   ///< of the dictionary
  std::vector<FieldType> dictionary{};    ///< one, of its elements
};

// A table refers to others by offsets, and several may refer to one: the number of columns is limited.
class SchemaReader {
  using Table = tessera::detail::FlatTable;

 public:
  /// Throws: ExchangeError, MetadataError.
  std::vector<FieldType> read(Table const& schema) {
    if (auto const order = schema.get<std::int16_t>(0); order != 0)
      throw ExchangeError{to_text({"the schema has byte order ", order, ", expected 0, little-endian"})};
    return fields(schema, 1, 0);
  }

 private:
  std::vector<FieldType> fields(Table const& table, std::size_t field, std::size_t depth) {
    std::vector<FieldType> result;
    table.each(field, [&](Table const& one) { result.push_back(read_field(one, depth)); });
    return result;
  }
  static std::string_view zone_in(Table const& field, std::optional<Table> const& type) {
    bool const has_zone = type && field.get<std::uint8_t>(2) == flat_timestamp;
    return has_zone ? type->string(1).value_or(std::string_view{}) : std::string_view{};
  }
  FieldType read_field(Table const& table, std::size_t depth) {
    using tessera::detail::most_arrow_columns, tessera::detail::most_arrow_depth;
    if (depth == most_arrow_depth || ++count_ > most_arrow_columns)
      throw ExchangeError{to_text({"the schema has more than ", most_arrow_columns, " columns, or nests them in more "
                                   "than ", most_arrow_depth, " levels"})};
    FieldType found;
    auto const type = table.table(3);
    auto const name = table.string(0).value_or(std::string_view{}), zone = zone_in(table, type);
    if (auto const size = std::max(name.size(), zone.size()); size > tessera::detail::longest_arrow_text)
      throw ExchangeError{to_text({"the schema has a name or a time zone of ", size, " bytes, expected at most ",
                                   tessera::detail::longest_arrow_text})};
    found.name = name;
    if (!type) throw ExchangeError{to_text({"column \"", found.name, "\" of the schema has no type"})};
    found.format = format_in(table.get<std::uint8_t>(2), *type);
    auto const shape = known_shape(found.name, found.format);
    found.children = fields(table, 5, depth + 1);
    auto const children = found.children.size();
    if (found.format != "+s" && children != std::size_t{shape.has_children})
      refuse_array(found.name, found.format, to_text({"it has ", children, " children, expected ",
                                                      int{shape.has_children}}));
    auto const dictionary = table.table(4);
    if (!dictionary) return found;
    FieldType indices;
    indices.name = found.name;
    indices.number = dictionary->get<std::int64_t>(0);
    auto const index = dictionary->table(1);  // by default signed, of 32 bits
    indices.format = index ? format_in(flat_int, *index) : "i";
    found.name.clear();
    indices.dictionary.push_back(std::move(found));
    return indices;
  }

  std::size_t count_ = 0;
};

}}}}  // namespace tessera::v0::arrow_c::detail
