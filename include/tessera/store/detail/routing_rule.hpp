// Which of two stores a key belongs to: the rules of a RoutedStore.
#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 {

/// True: the first store. The same key always gets the same answer.
template <class R>
concept KeyRule = std::copyable<R> && std::predicate<R const&, Key const&>;

/// Keys below a folder, or the key of that name.
struct KeysBelow {
  std::string folder;

  /// Whether the key belongs to the first store.
  bool operator()(Key const& key) const;
};

/// Chunks of an array, or its shards where it has some, chosen by their place in the grid: keys of the encodings
/// "default" and "v2" (core specification, "Chunk key encoding"). Every other key is the second store's.
struct ChunksWhere {
  std::string array;                                             ///< its path; "" is the root
  std::function<bool(std::span<std::uint64_t const>)> is_first;  ///< from any thread

  /// Whether the key belongs to the first store.
  bool operator()(Key const& key) const;

 private:
  std::optional<std::vector<std::uint64_t>> place_of(std::string_view path) const;
};

namespace detail {

/// SplitStore's rule: the second store has every value. The first has the documents, which are not read as values.
struct DocumentsApart {};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/routing_rule.ipp>
#endif
