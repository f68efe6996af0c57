// schema_header: the schema of a table as a message.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>
#include <tessera/with/detail/arrow_messages/flat_type.hpp>
#include <tessera/with/detail/arrow_messages/message.hpp>
#include <tessera/with/detail/flat_writer.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// Calls f(dictionary) for each dictionary of a column: those in a dictionary before it. The n-th call is that of the
// dictionary with number n in messages.
template <MemorySpace S, class F>
void each_dictionary(Column<S> const& column, F&& f) {
  for (auto const& child : column.children) each_dictionary(child, f);
  for (auto const& dictionary : column.dictionary) {
    if (!dictionary.dictionary.empty())
      refuse_array(column.name, column.format, "its dictionary has a dictionary, which Arrow's IPC format cannot say");
    each_dictionary(dictionary, f);
    f(dictionary);
  }
}

// Throws: ExchangeError, unless the column is a table: a struct.
template <MemorySpace S>
void expect_table(Column<S> const& table) {
  if (table.format != "+s") refuse_array(table.name, table.format, "expected a table, a struct of format \"+s\"");
}

class SchemaWriter {
 public:
  template <MemorySpace S>
  std::vector<std::byte> header(Column<S> const& table) {
    auto const message = message_table(flat_, flat_schema, 0);
    auto const schema = flat_.table({{0, 2}, {1, 4}});
    flat_.link(flat_.place(message, 2), schema);
    fields(schema, 1, table.children);
    return framed(flat_.bytes());
  }

 private:
  template <MemorySpace S>
  void fields(std::size_t table, std::size_t field, std::vector<Column<S>> const& columns) {
    auto const list = flat_.references(columns.size());
    flat_.link(flat_.place(table, field), list);
    for (std::size_t i = 0; i < columns.size(); ++i) write(tessera::detail::FlatWriter::item(list, i), columns[i]);
  }
  // The type of a column with a dictionary is that of the dictionary.
  template <MemorySpace S>
  void write(std::size_t reference, Column<S> const& column) {
    bool const has_dictionary = !column.dictionary.empty();
    auto const& values = has_dictionary ? column.dictionary.front() : column;
    (void)known_shape(column.name, column.format), (void)known_shape(values.name, values.format);
    auto const type = flat_type(values.format);
    std::vector<tessera::detail::FlatNumber> numbers{{0, 4}, {1, 1, 1}, {2, 1, type.kind}, {3, 4}, {5, 4}};
    if (has_dictionary) numbers.push_back({4, 4});
    auto const field = flat_.table(std::move(numbers));
    flat_.link(reference, field);
    flat_.link(flat_.place(field, 0), flat_.string(column.name));
    auto const type_table = flat_.table(type.numbers);
    flat_.link(flat_.place(field, 3), type_table);
    if (!type.timezone.empty()) flat_.link(flat_.place(type_table, 1), flat_.string(type.timezone));
    fields(field, 5, values.children);
    if (!has_dictionary) return;
    auto const dictionary = flat_.table({{0, 8, dictionaries_++}, {1, 4}, {2, 1, 0}});
    flat_.link(flat_.place(field, 4), dictionary);
    auto const index = flat_type(column.format);
    if (index.kind != flat_int) refuse_array(column.name, column.format, "it has a dictionary, but is not of integers");
    flat_.link(flat_.place(dictionary, 1), flat_.table(index.numbers));
  }

  tessera::detail::FlatWriter flat_;
  std::uint64_t dictionaries_ = 0;
};

}}}}  // namespace tessera::v0::arrow_c::detail
