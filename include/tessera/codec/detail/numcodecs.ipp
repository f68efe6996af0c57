#pragma once
#include <tessera/codec/detail/numcodecs.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/codec/detail/aliases.hpp>
#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

[[gnu::cold]] TESSERA_DECL std::optional<std::int64_t> found_integer(Value const& value) {
  std::int64_t result = 0;
  auto const* const number = value.get_if<Number>();
  return number && parse_integer(number->text, result) ? std::optional{result} : std::nullopt;
}

TESSERA_DECL Value without_quotes_of_integers(Value const& found) {
  std::int64_t number = 0;
  auto const* const word = found.get_if<std::string>();
  return word && parse_integer(*word, number) ? Value::integer(number) : found;
}

// 0 to 2, or -1: depends on the element size. GDAL until 3.10 wrote words.
[[gnu::cold]] TESSERA_DECL int blosc_shuffle(MemberValue const& found) {
  auto const* const word = found.value().get_if<std::string>();
  if (word && *word == "NONE") return 0;
  if (word && *word == "BYTE") return 1;
  if (word && *word == "BIT") return 2;
  return found.integer<int>(-1, 2);
}

TESSERA_DECL std::optional<Specification> lower_numcodecs(std::string_view id, ObjectReader& found, std::size_t size) {
  auto const or_else = [&](char const* member, Value otherwise) {
    auto const value = found.find(member);
    return value ? without_quotes_of_integers(value->value()) : std::move(otherwise);
  };
  if (id == "gzip") {
    auto level = or_else("level", Value::integer(1));
    if (level == Value::integer(-1)) level = Value::integer(6);  // zlib's meaning of -1, which v3 lacks
    return Specification{"gzip", Members{{"level", std::move(level)}}};
  }
  if (id == "zstd") {
    auto level = or_else("level", Value::integer(0));
    constexpr long long most = 22;
    if (auto const said = found_integer(level); said && *said > most)
      level = Value::integer(most);  // as numcodecs does
    auto checksum = or_else("checksum", false);
    if (checksum == Value{"NO"} || checksum == Value{"YES"}) checksum = checksum == Value{"YES"};  // as GDAL writes it
    return Specification{"zstd", Members{{"level", std::move(level)}, {"checksum", std::move(checksum)}}};
  }
  if (id == "blosc") {
    auto const given = found.find("shuffle");
    auto shuffle = given ? blosc_shuffle(*given) : 1;  // numcodecs' default
    auto const typesize = found.find("typesize");
    if (typesize && !typesize->value().is_null()) size = typesize->integer<std::size_t>(1, 255);
    if (size > 255) size = 1;  // as the library does
    if (shuffle == -1) shuffle = size == 1 ? 2 : 1;
    constexpr char const* names[] = {"noshuffle", "shuffle", "bitshuffle"};
    return Specification{"blosc", Members{{"typesize", Value::integer(static_cast<long long>(size))},
                                          {"cname", or_else("cname", "lz4")},
                                          {"clevel", or_else("clevel", Value::integer(5))},
                                          {"shuffle", names[shuffle]},
                                          {"blocksize", or_else("blocksize", Value::integer(0))}}};
  }
  if (id == "crc32c" && or_else("location", "end") == Value{"end"}) return Specification{"crc32c"};
  return std::nullopt;
}

TESSERA_DECL Specification in_usual_words(Specification const& given) {
  constexpr std::string_view prefix = "numcodecs.";
  std::string const usual{usual_name(given.name)};
  if (usual == given.name) return given;
  if (given.name.starts_with(prefix)) try {
      ObjectReader configuration{given.configuration, "configuration"};
      if (auto lowered = lower_numcodecs(usual, configuration, 1)) {
        configuration.finish(given.name);
        return *std::move(lowered);
      }
    } catch (Error& error) {
      error.in_codec(given.name);
      throw;
    }
  return {usual, given.configuration};
}

}}}  // namespace tessera::v0::detail
