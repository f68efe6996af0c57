// Symbolic links below a store's root: what the store does with them, and how a listing shows them.
#pragma once

namespace tessera { inline namespace v0 {

/// What a LocalStore does with symbolic links below its root. Either way nothing is erased through one by erase_node.
enum class Links {
  refuse,  ///< a key that is one, or that lies behind one, is an error; a listing shows the link
  follow,  ///< they are followed wherever they lead: for data that is spread over several disks
};

/// What a listed name is that leads to another place, where the store does not follow it.
enum class Link {
  none,      ///< not a link, or one that is followed
  to_value,  ///< it leads to a file
  to_keys,   ///< it leads to a folder, or to nothing that can be looked at
};

namespace detail {

inline constexpr char const* links_are_refused =
    "a symbolic link is on the way; LocalOptions{.links = Links::follow} follows links";

}  // namespace detail
}}  // namespace tessera::v0
