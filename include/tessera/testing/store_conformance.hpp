// store_conformance: checks that a store of any type, also your own, obeys the rules that tessera's stores obey. It
// needs no test framework: broken rules are returned as text.
#pragma once
#include <chrono>
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/store/concept.hpp>
#include <tessera/testing/detail/store_listing.hpp>
#include <tessera/testing/detail/store_reading.hpp>
#include <tessera/testing/detail/store_trial.hpp>
#include <tessera/testing/detail/store_writing.hpp>

namespace tessera { inline namespace v0 {
namespace testing {
namespace detail {

// `filled`: the stores that `make` returns hold the values already.
template <MemorySpace Space>
std::vector<std::string> broken_rules(FunctionRef<StoreOnTrial<Space>(StoreValues const&)> make, StoreCan can,
                                      bool filled, queue_for<Space> const& on, std::chrono::milliseconds patience) {
  std::vector<std::string> all;
  bool hangs = false;
  auto const run = [&]<class Rules>(std::type_identity<Rules>) {
    if (hangs) return;
    auto const rules = std::make_shared<Rules>(make, can, filled, on, patience);
    auto const broken = rules->broken_rules();
    all.insert(all.end(), broken.begin(), broken.end());
    hangs = rules->hangs();
  };
  run(std::type_identity<StoreReading<Space>>{});
  if (can.write) run(std::type_identity<StoreWriting<Space>>{});
  if (can.list) run(std::type_identity<StoreListing<Space>>{});
  return all;
}

}  // namespace detail

/// Checks every rule that applies to the store's type. Returns the broken rules, one line each with the remedy; an
/// empty vector if the store obeys all. `make()` returns a new, empty, writable store; for stores that cannot be
/// written, `make(StoreValues const&)` returns one that holds these values. Uses a few threads, one for each rule, and
/// less than a MiB in each store. An exception from `make` breaks the rule that asked for a store.
///
/// Waits at most `patience` for each rule. A store that has not answered by then breaks the rule, and no further rule
/// is checked; the thread that waits for it, and the stores that it uses, remain until the program ends.
template <std::invocable<StoreValues const&> Make,
          class S = std::remove_cvref_t<std::invoke_result_t<Make&, StoreValues const&>>>
std::vector<std::string> store_conformance(Make&& make, queue_of<S> const& on = queue_of<S>{},
                                           std::chrono::milliseconds patience = std::chrono::minutes{1}) {
  if constexpr (tessera::detail::check_store<S>()) {
    using OnTrial = detail::StoreOnTrial<space_of<S>>;
    auto const make_filled = [&](StoreValues const& values) { return OnTrial{S(make(values))}; };
    return detail::broken_rules<space_of<S>>(make_filled, detail::store_can<S>, true, on, patience);
  } else {
    return {};
  }
}
template <std::invocable Make, class S = std::remove_cvref_t<std::invoke_result_t<Make&>>>
std::vector<std::string> store_conformance(Make&& make, queue_of<S> const& on = queue_of<S>{},
                                           std::chrono::milliseconds patience = std::chrono::minutes{1}) {
  if constexpr (tessera::detail::check_store<S>()) {
    static_assert(WritableStore<S>,
                  "tessera: make() must return stores that can be written; for others, pass make(StoreValues const&)");
    using OnTrial = detail::StoreOnTrial<space_of<S>>;
    auto const make_empty = [&](StoreValues const&) { return OnTrial{S(make())}; };
    return detail::broken_rules<space_of<S>>(make_empty, detail::store_can<S>, false, on, patience);
  } else {
    return {};
  }
}

}  // namespace testing
}}  // namespace tessera::v0
