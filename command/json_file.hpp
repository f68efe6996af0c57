// Texts in nested lists of JSON: what json_elements.hpp writes of an array of strings.
#pragma once
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/metadata/json.hpp>

namespace cli {

/// A JSON file of one text, or of lists of them, as long as their neighbours.
class JsonTexts {
 public:
  /// Throws: tessera::StoreError naming the file.
  explicit JsonTexts(std::string const& path) try {
    std::ifstream file{path, std::ios::binary};
    if (!file) throw tessera::StoreError{"cannot be opened"};
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    auto const value = tessera::parse_json(text);
    for (auto const* list = &value; list->get_if<tessera::List>();) {
      auto const& items = *list->get_if<tessera::List>();
      if (shape_.rank() == tessera::max_rank) throw tessera::StoreError{"lists in too many lists"};
      shape_.push_back(items.size());
      if (items.empty()) break;
      list = &items.front();
    }
    add(value, 0);
  } catch (tessera::Error& error) {
    throw tessera::StoreError{error.what()}.in_store(path);
  }

  tessera::Extents const& shape() const { return shape_; }
  /// In C order. Once.
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  void add(tessera::Value const& value, std::size_t d) {
    if (d == shape_.rank()) {
      auto const* const text = value.get_if<std::string>();
      if (!text) throw tessera::StoreError{"found " + tessera::describe(value) + ", expected a string"};
      return texts_.push_back(*text);
    }
    auto const* const list = value.get_if<tessera::List>();
    if (!list || list->size() != shape_[d])
      throw tessera::StoreError{tessera::text(
          {"found ", tessera::describe(value), ", expected a list of ", shape_[d], " as long as its neighbours"})};
    for (auto const& item : *list) add(item, d + 1);
  }

  tessera::Extents shape_;
  std::vector<std::string> texts_;
};

}  // namespace cli
