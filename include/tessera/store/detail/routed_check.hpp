// What two stores are that can be one, and what is said of those that cannot.
#pragma once
#include <concepts>
#include <string_view>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/routing_rule.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class S>
concept HasLock = requires(S const& store, Key const& key) {
  store.lock(key);
};
template <class S>
concept HasFolderLock = requires(S const& store) {
  store.lock_folder(std::string_view{}, Sharing::shared);
};
// Whether documents and chunks are in stores of their own, which may be one folder all the same.
template <class S>
inline constexpr bool is_split = requires(S const& store) {
  store.metadata_store();
};

template <class First, class Second, class Rule>
consteval bool check_routed() {
  if constexpr (!check_store<First>() || !check_store<Second>()) {
    return false;
  } else if constexpr (std::same_as<Rule, DocumentsApart>) {
    static_assert(reads_documents<First>,
                  "tessera: metadata must be in host memory: pass SplitStore a store of host buffers first, e.g. "
                  "SplitStore{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}}");
    return reads_documents<First>;
  } else if constexpr (!std::same_as<buffer_of<First>, buffer_of<Second>>) {
    static_assert(std::same_as<buffer_of<First>, buffer_of<Second>>,
                  "tessera: the two stores of a RoutedStore must have the same buffer type: put a CastStore around one "
                  "of them; SplitStore{documents, chunks} keeps only the documents elsewhere");
    return false;
  } else if constexpr (is_split<First> || is_split<Second>) {
    static_assert(!is_split<First> && !is_split<Second>,
                  "tessera: a RoutedStore cannot hold a SplitStore: make the RoutedStore one half of a split, "
                  "SplitStore{documents, RoutedStore{one, other, rule}}");
    return false;
  } else {
    static_assert(KeyRule<Rule>,
                  "tessera: the rule of a RoutedStore must accept a Key const& and return a bool: whether the first "
                  "store has the key");
    return KeyRule<Rule>;
  }
}

}}}  // namespace tessera::v0::detail
