// Links, Link: how stores treat symbolic links below their root, and how listings show them.
#pragma once

namespace tessera { inline namespace v0 {

/// How a LocalStore treats symbolic links below its root. erase_node never erases through them.
enum class Links {
  refuse,  ///< a key that is a link or lies behind one is an error; a listing shows the link
  follow,  ///< followed wherever they lead: for data spread over several disks
};

/// The target of a listed link that the store does not follow.
enum class Link {
  none,      ///< not a link, or one that is followed
  to_value,  ///< a file
  to_keys,   ///< a folder, or nothing that can be examined
};

namespace detail {

inline constexpr char const* links_are_refused =
    "found a symbolic link in the path; LocalOptions{.links = Links::follow} follows links";

}  // namespace detail
}}  // namespace tessera::v0
