// Elements in nested lists of JSON: the format that json_elements.hpp writes.
#pragma once
#include <fstream>
#include <iterator>
#include <string>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/json.hpp>

namespace cli {

/// A JSON file of one element, or of lists of them, as long as their neighbours. It is held in memory.
class JsonFile {
 public:
  /// The innermost lists may be elements themselves, such as complex numbers. Throws: tessera::StoreError naming the
  /// file.
  JsonFile(std::string const& path, bool lists_are_elements) : path_{path} {
    naming_it([&] {
      std::ifstream file{path, std::ios::binary};
      if (!file) throw tessera::StoreError{"cannot be opened"};
      std::string const text{std::istreambuf_iterator<char>{file}, {}};
      value_ = tessera::parse_json(text);
      for (auto const* list = &value_; list->get_if<tessera::List>();) {
        auto const& items = *list->get_if<tessera::List>();
        if (lists_are_elements && !items.empty() && !items.front().get_if<tessera::List>()) break;
        if (shape_.rank() == tessera::max_rank) throw tessera::StoreError{"lists in too many lists"};
        shape_.push_back(items.size());
        if (items.empty()) break;
        list = &items.front();
      }
    });
  }

  tessera::Extents const& shape() const { return shape_; }
  /// Calls f with each element, in C order. Throws: tessera::StoreError naming the file, if lists differ in length, or f
  /// throws a tessera::Error.
  template <class F>
  void for_each(F&& f) const {
    naming_it([&] { visit(value_, 0, f); });
  }

 private:
  template <class F>
  void naming_it(F&& f) const try {
    f();
  } catch (tessera::Error& error) {
    throw tessera::StoreError{error.what()}.in_store(path_);
  }
  template <class F>
  void visit(tessera::Value const& value, std::size_t d, F& f) const {
    if (d == shape_.rank()) return f(value);
    auto const* const list = value.get_if<tessera::List>();
    if (!list || list->size() != shape_[d])
      throw tessera::StoreError{tessera::to_text(
          {"found ", tessera::describe(value), ", expected a list of ", shape_[d], " as long as its neighbours"})};
    for (auto const& item : *list) visit(item, d + 1, f);
  }

  std::string path_;
  tessera::Value value_;
  tessera::Extents shape_;
};

}  // namespace cli
