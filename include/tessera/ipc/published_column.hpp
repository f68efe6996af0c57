// PublishedColumn: a column made of published arrays, in memory of any kind.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tessera/ipc/detail/check_column.hpp>
#include <tessera/ipc/detail/column.hpp>  // IWYU pragma: export
#include <tessera/ipc/producer.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Move-only; its arrays stay published during its lifetime. The functions that make one throw IpcError, if the arrays
/// do not fit together.
class PublishedColumn {
 public:
  PublishedColumn() = default;

  /// One-dimensional values: numbers, bools (a byte each) or raw bytes.
  static PublishedColumn values(Published data) {
    PublishedColumn column;
    column.what_.schema = detail::schema_of(data.descriptor().type);
    return std::move(column).with_data(std::move(data));
  }
  /// Values of one of Arrow's types that have no data type of their own here, by its format string: int32 dates ("tdD")
  /// and times of day ("tts"), and decimals ("d:38,10"), which are int32, int64, or raw bytes of 128 or 256 bits.
  static PublishedColumn values(Published data, std::string schema) {
    PublishedColumn column;
    column.what_.schema = std::move(schema);
    return std::move(column).with_data(std::move(data));
  }
  /// A column of nulls only: Arrow's null type, without memory.
  static PublishedColumn nulls(std::uint64_t count) {
    PublishedColumn column;
    column.what_.schema = std::string{"n"};
    column.what_.length = count, column.what_.null_count = static_cast<std::int64_t>(count);
    return std::move(column).checked();
  }
  /// Any column: `what` describes it, and refers to `arrays`, which are published as long as it is.
  static PublishedColumn of(ColumnDescriptor what, std::vector<Published> arrays) {
    PublishedColumn column;
    column.what_ = std::move(what), column.arrays_ = std::move(arrays);
    return std::move(column).checked();
  }
  /// int64 times (kind "datetime64") or time spans ("timedelta64") in a NumPy unit: "ns", "D".
  static PublishedColumn times(Published data, std::string const& kind, std::string const& unit) {
    PublishedColumn column;
    bool const is_time = kind == "datetime64";
    constexpr std::string_view units[] = {"s", "ms", "us", "ns"}, letters = "smun";
    if (!is_time && kind != "timedelta64")
      throw IpcError{to_text({"\"", kind, "\" is not a kind of time, expected datetime64 or timedelta64"})};
    column.what_.schema = "l", column.what_.logical = to_text({kind, "[", unit, "]"});
    for (std::size_t i = 0; i < 4; ++i)
      if (unit == units[i])
        column.what_.schema = to_text({is_time ? "ts" : "tD", letters.substr(i, 1), is_time ? ":" : ""});
    return std::move(column).with_data(std::move(data));
  }
  /// UTF-8 text: characters, and the offsets (int32 or int64) of each element's beginning and the last one's end.
  static PublishedColumn strings(Published offsets, Published characters) {
    PublishedColumn column;
    column.what_.schema = std::string{offsets.descriptor().type.size == 4 ? "u" : "U"};  // g++ 12 warns about a literal
    column.set_offsets(std::move(offsets));
    column.what_.data = characters.descriptor();
    column.arrays_.push_back(std::move(characters));
    return std::move(column).checked();
  }
  /// Lists of a column's elements.
  static PublishedColumn lists(Published offsets, PublishedColumn elements) {
    PublishedColumn column;
    column.what_.schema = std::string{offsets.descriptor().type.size == 4 ? "+l" : "+L"};
    column.set_offsets(std::move(offsets));
    column.add(std::move(elements));
    return std::move(column).checked();
  }
  /// Lists of `size` elements each of a column.
  static PublishedColumn fixed_lists(std::uint32_t size, PublishedColumn elements) {
    PublishedColumn column;
    column.what_.schema = to_text({"+w:", size});
    column.what_.length = size == 0 ? 0 : elements.what_.length / size;
    column.add(std::move(elements));
    return std::move(column).checked();
  }
  /// Columns side by side, with as many elements as the first.
  static PublishedColumn structure(std::vector<PublishedColumn> fields) {
    PublishedColumn column;
    column.what_.schema = std::string{"+s"};
    column.what_.length = fields.empty() ? 0 : fields.front().what_.length;
    for (auto& field : fields) column.add(std::move(field));
    return std::move(column).checked();
  }

  /// The same column with a name.
  PublishedColumn named(std::string name) && {
    what_.name = std::move(name);
    return std::move(*this);
  }
  /// The same column, of integers, as indices into another one: Arrow's dictionary type.
  PublishedColumn encoded_by(PublishedColumn dictionary) && {
    what_.dictionary.assign(1, std::move(dictionary.what_));
    for (auto& array : dictionary.arrays_) arrays_.push_back(std::move(array));
    return std::move(*this).checked();
  }
  /// The same column with a mask of its elements; null_count -1: not counted. Throws: IpcError, if the mask does not
  /// fit.
  PublishedColumn masked(Published mask, Mask::Kind kind, std::int64_t null_count = -1) && {
    what_.mask = Mask{kind, mask.descriptor()}, what_.null_count = null_count;
    arrays_.push_back(std::move(mask));
    return std::move(*this).checked();
  }

  /// What another process attaches, and the same as JSON, to be sent: descriptor, json.
  ColumnDescriptor const& descriptor() const& { return what_; }
  std::string json(Octets how = Octets::base64) const { return to_json(what_, how); }

 private:
  PublishedColumn with_data(Published data) && {
    what_.data = data.descriptor();
    what_.length = what_.data->shape.rank() == 1 ? what_.data->shape[0] : 0;
    arrays_.push_back(std::move(data));
    return std::move(*this).checked();
  }
  void set_offsets(Published offsets) {
    what_.offsets = offsets.descriptor();
    auto const& shape = what_.offsets->shape;
    what_.length = shape.rank() == 1 && shape[0] > 0 ? shape[0] - 1 : 0;
    arrays_.push_back(std::move(offsets));
  }
  void add(PublishedColumn child) {
    what_.children.push_back(std::move(child.what_));
    for (auto& array : child.arrays_) arrays_.push_back(std::move(array));
  }
  PublishedColumn checked() && {
    detail::check_column(what_);
    return std::move(*this);
  }

  ColumnDescriptor what_;
  std::vector<Published> arrays_;
};

}}}  // namespace tessera::v0::ipc
