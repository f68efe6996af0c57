#pragma once
#include <tessera/core/field.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::size_t count_fields(std::span<Field const> fields) {
  auto count = fields.size();
  for (auto const& field : fields) count += count_fields(field.fields);
  return count;
}

TESSERA_DECL void add_components(std::vector<ComponentRun>& runs, std::span<Field const> fields, std::uint32_t at) {
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

TESSERA_DECL std::vector<ComponentRun> components_of(std::span<Field const> fields) {
  std::vector<ComponentRun> runs;
  add_components(runs, fields, 0);
  return runs;
}

TESSERA_DECL void swap_components(std::span<std::byte> element, std::span<ComponentRun const> runs) {
  for (auto const& run : runs)
    for (std::size_t at = run.at; at < std::size_t{run.at} + run.size; at += run.swapped)
      std::reverse(element.data() + at, element.data() + at + run.swapped);
}

TESSERA_DECL DataType structure_of(std::span<Field const> fields) {
  DataType type{DataKind::structure, 0};
  for (auto const& field : fields) {
    type.size += field.type.size;
    auto const component = static_cast<std::uint32_t>(field.type.component());
    if (component > type.largest) type.largest = component;
  }
  return type;
}

}}}  // namespace tessera::v0::detail
