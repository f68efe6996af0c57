// below_folder, list_sorted, list_directory_sorted: listings of stores that have their keys in a sorted map.
#pragma once
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The range [first, second) of a map's keys below a folder; "" is the root. `named`: the store in messages. Throws:
/// StoreError, if the folder is no key.
template <class S, class Map>
auto below_folder(S const& named, Map const& values, std::string_view folder) {
  if (folder.empty()) return std::pair{values.begin(), values.end()};
  Key const key{std::string{folder}};
  return at_key(named, key, [&] {
    auto const behind = static_cast<char>('/' + 1);
    return std::pair{values.lower_bound(key.path + '/'), values.lower_bound(key.path + behind)};
  });
}

/// `size_of` returns the bytes of a value of the map.
template <class S, class Map, class F>
void list_sorted(S const& named, Map const& values, std::string_view folder, Visitor visit, F&& size_of) {
  for (auto [at, end] = below_folder(named, values, folder); at != end; ++at) visit({at->first, false, size_of(*at)});
}

template <class S, class Map, class F>
void list_directory_sorted(S const& named, Map const& values, std::string_view folder, Visitor visit, F&& size_of) {
  auto const start = folder.empty() ? 0 : folder.size() + 1;
  for (auto [at, end] = below_folder(named, values, folder); at != end;) {
    std::string_view const path = at->first;
    auto const slash = path.find('/', start);
    bool const is_folder = slash != path.npos;
    if (is_folder)
      visit({path.substr(0, slash), true});
    else
      visit({path, false, size_of(*at)});
    at = is_folder ? below_folder(named, values, path.substr(0, slash)).second : std::next(at);
  }
}

}}}  // namespace tessera::v0::detail
