// The fields of a struct, one after the other or with holes between them (zarr-extensions, "struct").
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {

struct Field {
  std::string name;  ///< empty: a hole, of raw bytes
  DataType type;
  std::uint32_t at = 0;         ///< bytes from the start of the struct that it is a field of
  std::vector<Field> fields{};  ///< its own, if it is a struct

  friend bool operator==(Field const&, Field const&) = default;
};

namespace detail {
inline constexpr std::size_t most_fields = 1024;  // of a struct and those in it: names are compared with each other

inline std::size_t count_fields(std::span<Field const> fields) {
  auto count = fields.size();
  for (auto const& field : fields) count += count_fields(field.fields);
  return count;
}

}  // namespace detail

/// Components next to each other in an element that a change of byte order swaps in the same way.
struct ComponentRun {
  std::uint32_t at = 0, size = 0;
  std::uint32_t swapped = 1;  ///< bytes that are swapped together; 1: none

  friend bool operator==(ComponentRun const&, ComponentRun const&) = default;
};

namespace detail {

inline void add_components(std::vector<ComponentRun>& runs, std::span<Field const> fields, std::uint32_t at) {
  for (auto const& field : fields) {
    if (field.type.kind == DataKind::structure) {
      add_components(runs, field.fields, at + field.at);
      continue;
    }
    ComponentRun const next{at + field.at, field.type.size, static_cast<std::uint32_t>(field.type.component())};
    auto* const last = runs.empty() ? nullptr : &runs.back();
    if (last && last->at + last->size == next.at && last->swapped == next.swapped)
      last->size += next.size;
    else
      runs.push_back(next);
  }
}

/// The components of a struct of these fields, in as few runs as there are.
inline std::vector<ComponentRun> components_of(std::span<Field const> fields) {
  std::vector<ComponentRun> runs;
  add_components(runs, fields, 0);
  return runs;
}

/// Puts an element of these components into the other byte order.
inline void swap_components(std::span<std::byte> element, std::span<ComponentRun const> runs) {
  for (auto const& run : runs)
    for (std::size_t at = run.at; at < std::size_t{run.at} + run.size; at += run.swapped)
      std::reverse(element.data() + at, element.data() + at + run.swapped);
}

/// The struct of these fields, which follow each other without a gap.
inline DataType structure_of(std::span<Field const> fields) {
  DataType type{DataKind::structure, 0};
  for (auto const& field : fields) {
    type.size += field.type.size;
    auto const component = static_cast<std::uint32_t>(field.type.component());
    if (component > type.largest) type.largest = component;
  }
  return type;
}

}  // namespace detail
}}  // namespace tessera::v0
