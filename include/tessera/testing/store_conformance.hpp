// What every store does, whatever it is: the suite that tessera's own stores pass, for stores of a user's own. It needs
// no test framework: what is broken comes back as text.
#pragma once
#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/testing/store_listing.hpp>
#include <tessera/testing/store_reading.hpp>
#include <tessera/testing/store_trial.hpp>
#include <tessera/testing/store_writing.hpp>

namespace tessera::inline v0 {
namespace testing {
namespace detail {

// `filled`: what is made holds the values already.
template <class S>
std::vector<std::string> broken_rules(FunctionRef<S(StoreValues const&)> make, bool filled, queue_of<S> const& on) {
  auto all = StoreReading<S>{make, filled, on}.run();
  auto const add = [&](std::vector<std::string> const& more) { all.insert(all.end(), more.begin(), more.end()); };
  if constexpr (WritableStore<S>) add(StoreWriting<S>{make, filled, on}.run());
  if constexpr (ListableStore<S>) add(StoreListing<S>{make, filled, on}.run());
  return all;
}

}  // namespace detail

/// Runs every rule that the store's type has a part in, and returns those that it breaks, a line each: none, if it is a
/// store. `make()` gives a new, empty store that can be written; `make(StoreValues const&)`, for stores that cannot,
/// one that holds these values. Uses a few threads and less than a MiB in each store. What `make` throws breaks the
/// rule that asked for a store.
template <std::invocable<StoreValues const&> Make,
          class S = std::remove_cvref_t<std::invoke_result_t<Make&, StoreValues const&>>>
std::vector<std::string> store_conformance(Make&& make, queue_of<S> const& on = queue_of<S>{}) {
  return detail::broken_rules<S>(make, true, on);
}
template <std::invocable Make, class S = std::remove_cvref_t<std::invoke_result_t<Make&>>>
std::vector<std::string> store_conformance(Make&& make, queue_of<S> const& on = queue_of<S>{}) {
  static_assert(WritableStore<S>,
                "tessera: make() gives stores that can be written; for others, make(StoreValues const&)");
  auto const make_empty = [&](StoreValues const&) -> S { return make(); };
  return detail::broken_rules<S>(make_empty, false, on);
}

}  // namespace testing
}  // namespace tessera::inline v0
