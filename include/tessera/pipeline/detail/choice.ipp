#pragma once
#include <tessera/pipeline/detail/choice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/cheapest_way.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Choice::Choice(std::span<Implementation const> known, std::span<Specification const> codecs, Side end,
                            Traffic crossing) {
  std::uint64_t size = 1 << 20;  // of a chunk before the current codec
  auto const cross = [&] {
    auto const cost = crossing(size);
    choices_.crossing.push_back({{{0, cost}, {cost, 0}}});
  };
  for (auto const& by : known) {
    choices_.needs_checked_bytes.push_back(by.needs_checked_bytes);
    choices_.checks_bytes.push_back(by.checks_bytes);
  }
  for (auto const& codec : codecs) {
    cross();
    auto& running = choices_.running.emplace_back();
    std::size_t of_that_name = 0;
    for (auto const& by : known) of_that_name += by.name == codec.name;
    bool is_taken = false;
    std::exception_ptr refused;
    for (auto const& by : known) {
      auto const runs_on = [&](Side side) {
        bool const runs = by.is_view ? by.on(side) || by.on(other(side)) : by.on(side) != nullptr;
        return runs && (side == Side::bytes || end != Side::bytes);
      };
      bool takes = by.name == codec.name && (runs_on(Side::elements) || runs_on(Side::bytes));
      if (takes && of_that_name > 1) try {
          by.expect_taken(codec);
        } catch (MetadataError const&) {
          takes = false;
          refused = std::current_exception();
        }
      auto const cost = [&](Side side) { return takes && runs_on(side) ? std::uint64_t{0} : choices_.impossible; };
      running.push_back({cost(Side::elements), cost(Side::bytes)});
      is_taken = is_taken || takes;
    }
    if (!is_taken && refused) std::rethrow_exception(refused);
    size = implementation_of(known, codec.name)->encoded(size);
  }
  cross();
  auto const way = cheapest_way(choices_, number(end), number(Side::bytes));
  if (!way.is_there) refuse(codecs);
  for (std::size_t k = 0; k < codecs.size(); ++k)
    taken_.push_back({&known[way.implementation[k]], way.space[k] == number(Side::bytes) ? Side::bytes : end});
}

TESSERA_DECL void Choice::refuse(std::span<Specification const> codecs) const {
  auto const is_any = [&](std::size_t k, std::vector<Flag> const& what, bool value) {
    for (std::size_t i = 0; k < codecs.size() && i < what.size(); ++i) {
      auto const& [elements, bytes] = choices_.running[k][i];
      if (std::min(elements, bytes) != choices_.impossible && what[i] == value) return true;
    }
    return false;
  };
  std::size_t k = 0;
  while (k + 1 < codecs.size() &&
         (is_any(k, choices_.needs_checked_bytes, false) || is_any(k + 1, choices_.checks_bytes, true)))
    ++k;
  throw MetadataError{
      to_text({"member codecs: this program's ", codecs[k].name,
               " has undefined behaviour on damaged bytes, and no crc32c directly after it checks them; "
               "list it as nvcomp::Trusted<...> to trust the bytes"})};
}

}}}  // namespace tessera::v0::detail
