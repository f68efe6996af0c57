// Properties of new arrays: --chunks, --codecs, --fill and --names.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/detail/element_type.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/documents.hpp>

#include "failure.hpp"
#include "region.hpp"

namespace cli {

/// "64,64,64", each at least the given minimum; `what` names them in messages. Throws: UsageError.
inline tessera::Extents parse_lengths(std::string const& what, std::string const& text, std::uint64_t least) {
  tessera::Extents lengths;
  if (text.empty()) return lengths;
  detail::each_part(text, ',', [&](std::string_view part) {
    std::uint64_t n = 0;
    auto const* end = part.data() + part.size();
    auto const [stop, error] = std::from_chars(part.data(), end, n);
    if (error != std::errc{} || stop != end || n < least || n > std::numeric_limits<std::int64_t>::max())
      throw UsageError{tessera::to_text({what, " ", text, ": \"", part, "\" is no length of at least ", least})};
    if (lengths.rank() == tessera::max_rank)
      throw UsageError{tessera::to_text({what, " ", text, ": at most ", tessera::max_rank, " dimensions"})};
    lengths.push_back(n);
  });
  return lengths;
}
inline tessera::Extents parse_chunks(std::string const& text) { return parse_lengths("--chunks", text, 1); }
inline tessera::Extents parse_shards(std::string const& text) { return parse_lengths("--shards", text, 1); }

inline tessera::ZarrFormat format_named(std::optional<int> number, tessera::ZarrFormat otherwise) {
  return number ? static_cast<tessera::ZarrFormat>(*number) : otherwise;
}

/// zarr-python's default configuration of a codec.
inline tessera::Members usual_configuration(std::string_view codec, tessera::DataType type) {
  using tessera::Members, tessera::Value;
  bool const is_bytes = type.component() == 1;
  if (codec == "bytes") return is_bytes ? Members{} : Members{{"endian", "little"}};
  if (codec == "zstd") return {{"level", Value::integer(0)}, {"checksum", false}};
  if (codec == "gzip") return {{"level", Value::integer(5)}};
  if (codec != "blosc") return {};
  auto const together = type.varies() ? 1 : type.size;
  return {{"typesize", Value::integer(together)},
          {"cname", "zstd"},
          {"clevel", Value::integer(5)},
          {"shuffle", together == 1 ? "bitshuffle" : "shuffle"},
          {"blocksize", Value::integer(0)}};
}

/// Completes the configuration of each codec of a list; those of shards, too.
inline tessera::Value with_usual_configurations(tessera::MemberValue const& codecs, tessera::DataType type) {
  tessera::List result;
  for (std::size_t i = 0; i < codecs.list().size(); ++i) {
    auto codec = tessera::specification(codecs.item(i));
    auto& said = *codec.configuration.get_if<tessera::Members>();
    for (auto& usual : usual_configuration(codec.name, type))
      if (std::none_of(said.begin(), said.end(), [&](auto const& member) { return member.name == usual.name; }))
        said.push_back(std::move(usual));
    if (codec.name == "sharding_indexed")
      for (auto& [name, value] : said)
        if (name == "codecs" || name == "index_codecs") {
          auto const inner = name == "codecs" ? type : tessera::DataType{tessera::DataKind::unsigned_integer, 8};
          value = with_usual_configurations({value, name}, inner);
        }
    result.push_back(to_value(codec));
  }
  return result;
}

/// A list as in a document: [{"name": "bytes", "configuration": {"endian": "little"}}, ...], or of names: omitted
/// settings get their defaults. Throws: UsageError.
inline std::vector<tessera::Specification> parse_codecs(std::string const& text, tessera::DataType type) try {
  auto const value = tessera::parse_json(text);
  auto const all = with_usual_configurations({value, "codecs"}, type);
  tessera::MemberValue const codecs{all, "codecs"};
  std::vector<tessera::Specification> result;
  for (std::size_t i = 0; i < codecs.list().size(); ++i) result.push_back(tessera::specification(codecs.item(i)));
  return result;
} catch (tessera::MetadataError const& error) {
  bool const is_list = text.starts_with('[');
  throw UsageError{tessera::to_text({"--codecs", is_list ? "" : " ", is_list ? "" : text, ": ", error.what(),
                                     is_list ? "" : "; a JSON list is expected, e.g. '[\"bytes\", \"zstd\"]'"})};
}

/// JSON, or a text that a document has in quotes: NaN, 0x7fc00000. Throws: UsageError.
inline std::vector<std::byte> parse_fill(std::string const& text, tessera::DataType type,
                                         std::span<tessera::Field const> fields = {}) try {
  tessera::Value value;
  try {
    value = tessera::parse_json(text);
  } catch (tessera::MetadataError const&) {
    value = text;
  }
  return tessera::read_fill_value({value, "fill_value"}, type, fields);
} catch (tessera::MetadataError const& error) {
  throw UsageError{tessera::to_text({"--fill: ", error.what()})};
}

/// "x,y,z"; an empty one: no name. Throws: UsageError.
inline std::vector<std::optional<std::string>> parse_names(std::string const& text, std::size_t rank) {
  std::vector<std::optional<std::string>> names;
  if (text.empty()) return names;
  detail::each_part(text, ',', [&](std::string_view part) {
    names.push_back(part.empty() ? std::nullopt : std::optional<std::string>{part});
  });
  if (names.size() != rank)
    throw UsageError{tessera::to_text({"--names ", text, ": found ", names.size(), " names, expected ", rank})};
  return names;
}

/// A name, or the JSON object that a document has. Throws: UsageError.
inline tessera::ElementType parse_data_type(std::string const& text) try {
  tessera::Value const value = text.starts_with('{') ? tessera::parse_json(text) : tessera::Value{text};
  return tessera::detail::read_element_type({value, "data_type"});
} catch (tessera::MetadataError const& error) {
  throw UsageError{tessera::to_text({"--data-type: ", error.what()})};
}

/// As zarr-python has it: little endian, zstd.
inline std::vector<tessera::Specification> default_codecs(tessera::DataType type) {
  std::string const first = type == tessera::string_type  ? "vlen-utf8"
                            : type == tessera::bytes_type ? "vlen-bytes"
                                                          : "bytes";
  return {{first, usual_configuration(first, type)}, {"zstd", usual_configuration("zstd", type)}};
}

/// The chunks of an array become inner chunks of shards of that shape; those of a sharded array are its inner chunks.
/// Throws: UsageError.
inline void put_into_shards(tessera::ArrayMetadata& metadata, tessera::Extents const& shards) {
  using tessera::List, tessera::Members, tessera::Value;
  auto const list = [](auto const& items, auto&& value_of) {
    List result;
    for (auto const& item : items) result.push_back(value_of(item));
    return Value{std::move(result)};
  };
  auto const codec = [](tessera::Specification const& one) { return to_value(one); };
  auto const length = [](std::uint64_t n) { return Value{tessera::Number{std::to_string(n)}}; };
  std::vector<tessera::Specification> const index{{"bytes", Members{{"endian", "little"}}}, {"crc32c"}};
  Members configuration{{"chunk_shape", list(metadata.chunk_shape, length)},
                        {"codecs", list(metadata.codecs, codec)},
                        {"index_codecs", list(index, codec)},
                        {"index_location", "end"}};
  metadata.codecs = {{"sharding_indexed", std::move(configuration)}};
  metadata.chunk_shape = shards;
}

/// A sharded array without its shards: with its inner chunks and their codecs.
inline void take_out_of_shards(tessera::ArrayMetadata& metadata) {
  while (metadata.codecs.size() == 1 && metadata.codecs.front().name == "sharding_indexed") {
    auto const shard = metadata.codecs.front();
    tessera::ObjectReader configuration{shard.configuration, "configuration"};
    metadata.chunk_shape = configuration.at("chunk_shape").extents(1);
    auto const codecs = configuration.at("codecs");
    metadata.codecs.clear();
    for (std::size_t i = 0; i < codecs.list().size(); ++i)
      metadata.codecs.push_back(tessera::specification(codecs.item(i)));
  }
}

/// About a MiB, as near to a cube as the shape allows.
inline tessera::Extents default_chunks(tessera::Extents const& shape, tessera::DataType type) {
  tessera::Extents chunks;
  for (auto n : shape) chunks.push_back(std::max<std::uint64_t>(n, 1));
  auto const size = [&] {
    auto bytes = static_cast<double>(type.size);
    for (auto n : chunks) bytes *= static_cast<double>(n);
    return bytes;
  };
  while (size() > 1 << 20) {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < chunks.rank(); ++d)
      if (chunks[d] > chunks[longest]) longest = d;
    if (chunks.rank() == 0 || chunks[longest] == 1) break;  // one element is larger than that
    chunks[longest] = (chunks[longest] + 1) / 2;
  }
  return chunks;
}

/// Checks that the chunks' shape and codecs fit an array. Throws: UsageError; `array` is its name in messages.
template <class Complete>
void complete_as_asked(tessera::ArrayMetadata& metadata, std::string const& array, Complete&& complete) {
  if (metadata.chunk_shape.rank() != metadata.shape.rank())
    throw UsageError{
        tessera::to_text({"--chunks: found ", metadata.chunk_shape.rank(), " lengths, expected ", metadata.shape.rank(),
                          "; the shape of ", array, " is ", tessera::to_string(metadata.shape)})};
  try {
    metadata.codecs = complete(metadata);
  } catch (tessera::MetadataError const& error) {
    throw UsageError{tessera::to_text(
        {"--chunks ", tessera::to_string(metadata.chunk_shape), " and --codecs for ", array, ": ", error.what()})};
  }
}

}  // namespace cli
