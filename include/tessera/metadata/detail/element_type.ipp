#pragma once
#include <tessera/metadata/detail/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

[[gnu::cold]] TESSERA_DECL DataType read_time_type(DataKind kind, ObjectReader& configuration) {
  auto const unit = configuration.at("unit");
  auto const known = time_unit_named(unit.string());
  if (!known) unit.refuse("a unit of time: Y, M, W, D, h, m, s, ms, us, ns, ps, fs, as or generic");
  auto const scale =
      configuration.at("scale_factor").integer<std::uint32_t>(1, std::numeric_limits<std::int32_t>::max());
  return {kind, 8, NumberFormat::usual, *known, scale};
}

[[gnu::cold]] TESSERA_DECL std::vector<Field> read_fields(MemberValue const& found, bool is_of_numpy) {
  std::vector<Field> fields;
  std::uint64_t at = 0;
  if (found.list().empty()) found.refuse("at least one field");
  auto const check_count = [&](std::size_t count) {
    if (count > bounds::fields) found.refuse(to_text({"at most ", bounds::fields, " fields"}));
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
    if (at > bounds::element_bytes) found.refuse("fields of at most 1 MiB in total");
    fields.push_back(std::move(field));
    if (fields.back().type.kind == DataKind::structure) check_count(count_fields(fields));
  }
  return fields;
}

// A type with a configuration. nullopt: unknown name.
[[gnu::cold]] TESSERA_DECL std::optional<ElementType> read_configured_type(std::string const& name,
                                                                           ObjectReader& configuration) {
  auto const length = [&](std::uint32_t least) {
    return configuration.at("length_bytes").integer<std::uint32_t>(least, bounds::element_bytes);
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

TESSERA_DECL ElementType read_element_type(MemberValue const& found) {
  if (found.value().get_if<List>())  // NumPy's form of a record
    throw MetadataError{"data type of several fields",
                        to_text({"member ", found.where(), ": a list of fields is not supported"})};
  auto const [given, configuration] = specification(found);
  auto const& name = given;  // clang++ 14 does not capture structured bindings
  ObjectReader reader{configuration, to_text({found.where(), ".configuration"})};
  auto result = [&]() -> std::optional<ElementType> {
    if (auto const type = data_type_named(name)) return ElementType{*type};
    return read_configured_type(name, reader);
  }();
  if (result) {
    reader.finish();
    return *std::move(result);
  }
  if (name == "optional" || name == "zarrs.optional")
    throw MetadataError{to_text({"data type ", describe(name)}),
                        to_text({"member ", found.where(), ": ", describe(name),
                                 " is not supported: elements that may be "
                                 "missing, which zarrs stores with a mask"})};
  std::string known;
  for (auto one : data_types) known += to_text({one.name(), ", "});
  throw MetadataError{
      to_text({"data type ", describe(name)}),
      to_text({"member ", found.where(), ": ", describe(name), " is not supported; the supported types are ", known,
               "string, bytes, r8, r16, ..., the types of small numbers, numpy.datetime64, "
               "numpy.timedelta64, fixed_length_utf32, null_terminated_bytes, raw_bytes and struct"})};
}

TESSERA_DECL Value write_element_type(DataType type, std::vector<Field> const& fields, bool is_of_numpy) {
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

}}}  // namespace tessera::v0::detail
