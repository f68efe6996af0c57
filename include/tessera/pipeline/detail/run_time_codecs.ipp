#pragma once
#include <tessera/core/value.hpp>
#include <tessera/pipeline/run_time_codecs.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The process's table; rows are only added.
struct RunTimeCodecs {
  struct Row {
    Implementation by;  // on the host
    std::shared_ptr<void const> owner;
  };
  std::mutex mutex;
  std::deque<Row> rows;

  static RunTimeCodecs& of_process() {
    static RunTimeCodecs table;
    return table;
  }
  Row const* find(std::string_view name) const {
    for (auto const& row : rows)
      if (row.by.name == name) return &row;
    return nullptr;
  }
};

TESSERA_DECL void add_at_run_time(Implementation const& row, std::shared_ptr<void const> owner) {
  auto& table = RunTimeCodecs::of_process();
  std::scoped_lock const lock{table.mutex};
  if (auto const* const found = table.find(row.name)) {
    if (found->by.among_bytes == row.among_bytes && found->owner == owner) return;
    throw CodecError{to_text({"codec ", describe(row.name), " is registered already, with another implementation"})};
  }
  table.rows.push_back({row, std::move(owner)});
}

TESSERA_DECL std::shared_ptr<void const> owner_at_run_time(std::string_view name) {
  auto& table = RunTimeCodecs::of_process();
  std::scoped_lock const lock{table.mutex};
  auto const* const found = table.find(name);
  return found ? found->owner : nullptr;
}

}  // namespace detail

TESSERA_DECL std::vector<detail::Implementation> codec::AtRunTime::rows(std::span<detail::Implementation const> listed,
                                                                        detail::SpaceName array,
                                                                        detail::SpaceName bytes) {
  std::vector<detail::Implementation> rows;
  for (auto const& row : listed)
    if (row.name != name) rows.push_back(row);
  constexpr auto host = detail::SpaceName::host;
  auto& table = detail::RunTimeCodecs::of_process();
  std::scoped_lock const lock{table.mutex};
  for (auto const& [by, owner] : table.rows) {
    auto& row = rows.emplace_back(by);
    row.among_elements = array == host && bytes != host ? by.among_bytes : nullptr;
    row.among_bytes = bytes == host ? by.among_bytes : nullptr;
    row.array = array, row.bytes = bytes;
  }
  return rows;
}

}}  // namespace tessera::v0
