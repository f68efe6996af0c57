// The text of a `zarr.json`, member by member, so that a test can change one.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/metadata/json.hpp>

namespace test {

class Document {
 public:
  Document& set(std::string name, std::string json) {
    for (auto& member : members_)
      if (member.first == name) return member.second = std::move(json), *this;
    members_.emplace_back(std::move(name), std::move(json));
    return *this;
  }
  Document& remove(std::string_view name) {
    std::erase_if(members_, [&](auto const& member) { return member.first == name; });
    return *this;
  }
  std::string text() const {
    std::string text = "{";
    for (auto const& [name, json] : members_) text += (text.size() > 1 ? ", \"" : "\"") + name + "\": " + json;
    return text + "}";
  }

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

/// A valid array of four uint8.
inline Document array_document() {
  Document document;
  document.set("zarr_format", "3").set("node_type", "\"array\"").set("shape", "[4]").set("data_type", "\"uint8\"");
  document.set("chunk_grid", R"({"name": "regular", "configuration": {"chunk_shape": [2]}})");
  document.set("chunk_key_encoding", R"({"name": "default", "configuration": {"separator": "/"}})");
  return document.set("fill_value", "0").set("codecs", R"([{"name": "bytes"}])");
}

inline std::string grid(std::string const& chunk_shape) {
  return R"({"name": "regular", "configuration": {"chunk_shape": )" + chunk_shape + "}}";
}

/// The result of read_array_metadata for the text.
inline tessera::ArrayMetadata array_metadata(std::string const& text) {
  auto const value = tessera::parse_json(text);
  tessera::ObjectReader reader{value, ""};
  (void)reader.at("zarr_format");
  return tessera::read_array_metadata(reader);
}

/// A codec as a document writes it.
inline tessera::Specification specification(std::string const& json) {
  auto const value = tessera::parse_json(json);
  return tessera::specification({value, "codec"});
}
inline std::vector<tessera::Specification> specifications(std::string const& json) {
  std::vector<tessera::Specification> result;
  auto const value = tessera::parse_json(json);
  for (auto const& entry : *value.get_if<tessera::List>()) result.push_back(tessera::specification({entry, "codec"}));
  return result;
}

}  // namespace test
