// Which of two stores a key belongs to: the rules of a RoutedStore.
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 {

/// True: the first store. The same key always gets the same answer.
template <class R>
concept KeyRule = std::copyable<R> && std::predicate<R const&, Key const&>;

/// True: the first store. The bytes that a value has decide where it is written, so who reads looks in both stores.
template <class R>
concept SizeRule = std::copyable<R> && !KeyRule<R> && std::predicate<R const&, Key const&, std::uint64_t>;

/// Keys below a folder, or the key of that name.
struct KeysBelow {
  std::string folder;

  bool operator()(Key const& key) const {
    std::string_view const path{key.path};
    return folder.empty() || (path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/'));
  }
};

/// Values of fewer bytes.
struct SmallerThan {
  std::uint64_t bytes;

  bool operator()(Key const&, std::uint64_t size) const { return size < bytes; }
};

/// Chunks of an array, or its shards where it has some, chosen by their place in the grid: keys of the encodings
/// "default" and "v2" (core specification, "Chunk key encoding"). Every other key is the second store's.
struct ChunksWhere {
  std::string array;                                             ///< its path; "" is the root
  std::function<bool(std::span<std::uint64_t const>)> is_first;  ///< from any thread

  bool operator()(Key const& key) const {
    auto const place = place_of(key.path);
    return place && is_first(*place);
  }

 private:
  std::optional<std::vector<std::uint64_t>> place_of(std::string_view path) const {
    if (!array.empty()) {
      if (!path.starts_with(array) || path.size() <= array.size() || path[array.size()] != '/') return std::nullopt;
      path.remove_prefix(array.size() + 1);
    }
    std::vector<std::uint64_t> place;
    if (path == "c") return place;  // of an array without dimensions
    if (path.starts_with("c/") || path.starts_with("c.")) path.remove_prefix(2);
    for (;;) {
      std::uint64_t number = 0;
      auto const [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
      if (error != std::errc{}) return std::nullopt;
      place.push_back(number);
      path.remove_prefix(static_cast<std::size_t>(end - path.data()));
      if (path.empty()) return place;
      if (path.front() != '/' && path.front() != '.') return std::nullopt;
      path.remove_prefix(1);
    }
  }
};

namespace detail {

/// Every value is the second store's. The first has the documents, which nobody reads as values: SplitStore's rule.
struct DocumentsApart {};

}  // namespace detail
}}  // namespace tessera::v0
