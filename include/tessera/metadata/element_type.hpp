// What a document says of an array's elements: the type, and the fields of a struct (core specification, "Data types";
// zarr-extensions, data-types).
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/data_type_named.hpp>
#include <tessera/core/field.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {

struct ElementType {
  DataType type;
  std::vector<Field> fields{};  ///< of a struct
  /// The document has zarr-python's own names, "structured" for "struct" and "raw_bytes" for "r24", and base64 for the
  /// fill value: zarr-python reads no others.
  bool is_of_numpy = false;
};

namespace detail {

inline constexpr std::uint32_t most_bytes_of_element = 1 << 20;  // as of raw bytes

ElementType read_element_type(MemberValue const& found);

[[gnu::cold]] inline DataType read_time_type(DataKind kind, ObjectReader& configuration) {
  auto const unit = configuration.at("unit");
  auto const known = time_unit_named(unit.string());
  if (!known) unit.refuse("a unit of time: Y, M, W, D, h, m, s, ms, us, ns, ps, fs, as or generic");
  auto const scale =
      configuration.at("scale_factor").integer<std::uint32_t>(1, std::numeric_limits<std::int32_t>::max());
  return {kind, 8, NumberFormat::usual, *known, scale};
}

[[gnu::cold]] inline std::vector<Field> read_fields(MemberValue const& found, bool is_of_numpy) {
  std::vector<Field> fields;
  std::uint64_t at = 0;
  if (found.list().empty()) found.refuse("at least one field");
  auto const check_count = [&](std::size_t count) {
    if (count > most_fields) found.refuse(text({"at most ", most_fields, " fields"}));
  };
  check_count(found.list().size());
  for (std::size_t i = 0; i < found.list().size(); ++i) {
    auto const item = found.item(i);
    Field field;
    auto const add = [&](MemberValue const& name, MemberValue const& type) {
      field.name = name.string();
      auto one = read_element_type(type);
      if (one.type.varies()) type.refuse("a data type of fixed size");
      if (field.name.empty() && one.type.kind != DataKind::raw) name.refuse("a name that is not empty");
      for (auto const& other : fields)
        if (!field.name.empty() && other.name == field.name) name.refuse("a name that no other field has");
      field.type = one.type;
      field.fields = std::move(one.fields);
    };
    if (is_of_numpy && item.value().get_if<List>()) {
      if (item.list().size() != 2) item.refuse("a name and a data type");
      add(item.item(0), item.item(1));
    } else {
      ObjectReader members{item};
      add(members.at("name"), members.at("data_type"));
      members.finish();
    }
    field.at = static_cast<std::uint32_t>(at);
    at += field.type.size;
    if (at > most_bytes_of_element) found.refuse("fields of a MiB together at most");
    fields.push_back(std::move(field));
    if (fields.back().type.kind == DataKind::structure) check_count(count_fields(fields));
  }
  return fields;
}

// A type that has a configuration. nullopt: there is none of that name.
[[gnu::cold]] inline std::optional<ElementType> read_configured_type(std::string const& name,
                                                                     ObjectReader& configuration) {
  auto const length = [&](std::uint32_t least) {
    return configuration.at("length_bytes").integer<std::uint32_t>(least, most_bytes_of_element);
  };
  if (name == "numpy.datetime64") return ElementType{read_time_type(DataKind::datetime, configuration)};
  if (name == "numpy.timedelta64") return ElementType{read_time_type(DataKind::timedelta, configuration)};
  if (name == "null_terminated_bytes") return ElementType{{DataKind::null_terminated, length(1)}};
  if (name == "raw_bytes") return ElementType{{DataKind::raw, length(1)}, {}, true};
  if (name == "fixed_length_utf32") {
    auto const bytes = length(4);
    if (bytes % 4 != 0) configuration.at("length_bytes").refuse("a multiple of 4");
    return ElementType{{DataKind::utf32, bytes}};
  }
  if (name == "struct" || name == "structured") {
    bool const is_of_numpy = name == "structured";
    auto fields = read_fields(configuration.at("fields"), is_of_numpy);
    auto const type = structure_of(fields);
    return ElementType{type, std::move(fields), is_of_numpy};
  }
  return std::nullopt;
}

/// Throws: MetadataError naming the member.
inline ElementType read_element_type(MemberValue const& found) {
  if (found.value().get_if<List>())  // as NumPy lists the fields of a record
    throw MetadataError{"data type of several fields",
                        text({"member ", found.where(), ": a list of fields is not supported"})};
  auto const [given, configuration] = specification(found);
  auto const& name = given;  // a structured binding, which clang++ 14 does not capture
  ObjectReader reader{configuration, text({found.where(), ".configuration"})};
  auto result = [&]() -> std::optional<ElementType> {
    if (auto const type = data_type_named(name)) return ElementType{*type};
    return read_configured_type(name, reader);
  }();
  if (result) {
    reader.finish();
    return *std::move(result);
  }
  std::string known;
  for (auto one : data_types) known += text({one.name(), ", "});
  throw MetadataError{text({"data type ", describe(name)}),
                      text({"member ", found.where(), ": ", describe(name), " is not supported; known are ", known,
                            "string, bytes, r8, r16, ..., those of small numbers, numpy.datetime64, "
                            "numpy.timedelta64, fixed_length_utf32, null_terminated_bytes, raw_bytes and struct"})};
}

[[gnu::cold]] inline Value write_element_type(DataType type, std::vector<Field> const& fields, bool is_of_numpy) {
  auto const with = [](char const* name, Members configuration) {
    return tessera::to_value(Specification{name, std::move(configuration)});
  };
  Members const length{{"length_bytes", Value::integer(type.size)}};
  switch (type.kind) {
    case DataKind::datetime:
    case DataKind::timedelta:
      return with(type.kind == DataKind::datetime ? "numpy.datetime64" : "numpy.timedelta64",
                  {{"unit", std::string{unit_name(type.unit)}}, {"scale_factor", Value::integer(type.scale)}});
    case DataKind::utf32:
      return with("fixed_length_utf32", length);
    case DataKind::null_terminated:
      return with("null_terminated_bytes", length);
    case DataKind::raw:
      if (is_of_numpy) return with("raw_bytes", length);
      return type.name();
    case DataKind::structure: {
      List list;
      for (auto const& field : fields) {
        auto one = write_element_type(field.type, field.fields, is_of_numpy);
        if (is_of_numpy) {
          List pair;
          pair.push_back(field.name);
          pair.push_back(std::move(one));
          list.push_back(std::move(pair));
        } else {
          list.push_back(Members{{"name", field.name}, {"data_type", std::move(one)}});
        }
      }
      return with(is_of_numpy ? "structured" : "struct", {{"fields", std::move(list)}});
    }
    default:
      return type.name();
  }
}

}  // namespace detail
}}  // namespace tessera::v0
