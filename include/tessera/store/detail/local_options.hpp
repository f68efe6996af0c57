// LocalOptions: options of a LocalStore. Links: how it treats symbolic links below its root.
#pragma once
#include <chrono>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// How a LocalStore treats symbolic links below its root. erase_node never erases through them.
enum class Links {
  refuse,  ///< a key that is a link or lies below one is an error; a listing shows the link
  follow,  ///< followed wherever they lead: for data spread over several disks
};

/// Options of a LocalStore.
struct LocalOptions {
  bool fsync = false;           ///< values survive a loss of power after `write` has returned; slow
  Links links = Links::refuse;  ///< for symbolic links below the root; its own path may contain links
  /// How long a call waits for a key or folder locked by another process, or another store of the folder, before it
  /// throws StoreError.
  std::chrono::seconds patience{600};
};

namespace detail {

inline constexpr char const* links_are_refused =
    "found a symbolic link in the path; LocalOptions{.links = Links::follow} follows links";

}  // namespace detail
}}  // namespace tessera::v0
