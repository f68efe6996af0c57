// Elements as one JSON value: lists in lists, one for each index along each dimension.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <tessera/core/dimensions.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/json.hpp>

namespace cli {

/// As in a fill value of a document, but bytes are in base64, and a missing time is "NaT".
inline tessera::Value json_element(std::span<std::byte const> element, tessera::DataType type,
                                   std::span<tessera::Field const> fields) {
  using tessera::DataKind;
  if (type.kind == DataKind::raw) return tessera::detail::encode_base64(element);
  if (type.kind == DataKind::structure) {
    tessera::Members members;
    for (auto const& field : fields)
      if (!field.name.empty())
        members.push_back(
            {field.name, json_element(element.subspan(field.at, field.type.size), field.type, field.fields)});
    return members;
  }
  auto value = tessera::write_fill_value(element, type);
  if ((type.kind == DataKind::datetime || type.kind == DataKind::timedelta) &&
      value == tessera::Value{tessera::Number{"-9223372036854775808"}})
    return "NaT";
  return value;
}

/// Elements of an array of that shape, one after the other.
class JsonElements {
 public:
  explicit JsonElements(tessera::Extents const& shape) : shape_{shape} {}

  /// The text before the next element, the element, and the text after it.
  void add(std::string& to, tessera::Value const& element) {
    open(to, done_);
    to += tessera::to_json(element);
    ++done_;
    close(to);
  }
  /// The whole text of an array without elements.
  std::string empty() const {
    std::string text;
    auto rank = shape_.rank();
    for (std::size_t d = rank; d-- > 0;)
      if (shape_[d] == 0) rank = d;
    auto const nest = [&](auto const& self, std::size_t d) -> void {
      text += '[';
      for (std::uint64_t i = 0; d < rank && i < shape_[d]; ++i) {
        if (i > 0) text += ", ";
        self(self, d + 1);
      }
      text += ']';
    };
    nest(nest, 0);
    return text + '\n';
  }

 private:
  // How many dimensions, counted from the last, begin or end with that element.
  std::size_t turns(std::uint64_t index) const {
    std::size_t turned = 0;
    for (auto d = shape_.rank(); d-- > 0 && index % shape_[d] == 0; index /= shape_[d]) ++turned;
    return turned;
  }
  void open(std::string& to, std::uint64_t index) const {
    auto const turned = turns(index);
    if (index > 0) to += turned > 0 ? ",\n" : ", ";
    to.append(turned, '[');
  }
  void close(std::string& to) const {
    auto const turned = turns(done_);
    to.append(turned, ']');
    if (turned == shape_.rank()) to += '\n';
  }

  tessera::Extents shape_;
  std::uint64_t done_ = 0;
};

}  // namespace cli
