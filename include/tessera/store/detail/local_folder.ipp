#pragma once
#include <tessera/store/detail/local_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/local_options.hpp>
#include <tessera/store/detail/local_root.hpp>
#include <tessera/store/detail/posix/listing.hpp>
#include <tessera/store/detail/posix/rename.hpp>
#include <tessera/store/detail/posix/replace.hpp>
#include <tessera/store/detail/posix/unfinished.hpp>
#include <tessera/store/detail/posix/watch.hpp>
#include <tessera/store/detail/value_watch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL bool is_hidden(posix::Entry const& entry) {
  return entry.is_folder ? posix::is_unfinished(entry.name) : entry.name.starts_with(posix::unfinished_prefix);
}

TESSERA_DECL void list_below(LocalRoot& root, std::string_view prefix, bool follow, Visitor visit) {
  walk(root, prefix, follow, [&](std::string const& path, posix::Entry const& entry) {
    if (is_hidden(entry)) return false;
    if (!entry.is_folder) visit({path, false, entry.size, entry.link});
    return true;
  });
}

TESSERA_DECL std::optional<posix::OpenFile> LocalFolder::find(Key const& key) const {
  return root_->find([&](auto const& root) { return posix::find_file(root, key.path); });
}

TESSERA_DECL std::optional<std::uint64_t> LocalFolder::size(Key const& key) const {
  return at_key(*this, key, [&]() -> std::optional<std::uint64_t> {
    auto const file = find(key);
    if (!file) return std::nullopt;
    return file->size;
  });
}

TESSERA_DECL bool LocalFolder::erase(Key const& key) const {
  return at_key(*this, key, [&] {
    return root_->locks.change(key, [&](auto const* held) {
      return root_->find(
          [&](auto const& root) { return posix::erase(root, key.path, root_->options.fsync, held, root_->waiting()); });
    });
  });
}

TESSERA_DECL bool LocalFolder::rename(std::string_view from, std::string_view to) const {
  Key const before{std::string{from}}, after{std::string{to}};
  return at_key(*this, before, [&] {
    check_key(after);
    return root_->find(
        [&](auto const& root) { return posix::rename(root, before.path, after.path, root_->options.fsync); });
  });
}

TESSERA_DECL bool LocalFolder::exchange(std::string_view one, std::string_view other) const {
  Key const first{std::string{one}}, second{std::string{other}};
  return at_key(*this, first, [&] {
    check_key(second);
    return root_->find(
        [&](auto const& root) { return posix::exchange(root, first.path, second.path, root_->options.fsync); });
  });
}

TESSERA_DECL KeyLock LocalFolder::lock(Key const& key, Stop stop) const {
  return at_key(*this, key, [&] { return root_->locks.lock(key, root_->current().get(), root_->waiting(stop)); });
}

TESSERA_DECL FolderLock LocalFolder::lock_folder(std::string_view path, Sharing sharing, Stop stop) const {
  if (path.empty()) return lock_below(".", sharing, stop);
  Key const folder{std::string{path}};
  return at_key(*this, folder, [&] { return lock_below(folder.path, sharing, stop); });
}

TESSERA_DECL ValueWatch LocalFolder::watch(Key const& key) const {
  return at_key(*this, key, [&] {
    auto found = root_->find([&](auto const& root) { return root.find(key.path, posix::read_only); });
    if (!found) return ValueWatch{{}};
    auto const info = found->status();
    if (!posix::is_value(info)) return ValueWatch{{}};
    return ValueWatch{posix::version_of(info), *root_, found->release()};  // the open file keeps its inode
  });
}

TESSERA_DECL bool LocalFolder::has_folder(std::string_view path) const {
  if (path.empty()) return root_->current() != nullptr;
  Key const folder{std::string{path}};
  return at_key(*this, folder, [&] {
    return root_->find([&](auto const& root) { return root.find(folder.path, posix::pass | O_DIRECTORY); }).has_value();
  });
}

TESSERA_DECL void LocalFolder::list_directory(std::string_view prefix, Visitor visit) const {
  for_each_in(*root_, prefix, follows_links(), [&](posix::Entry const& entry) {
    if (!is_hidden(entry)) visit({(prefix / entry.name).path, entry.is_folder, entry.size, entry.link});
  });
}

TESSERA_DECL void LocalFolder::list_own(std::string_view prefix, Visitor visit) const {
  if (!prefix.empty() && at_key(*this, Key{std::string{prefix}}, [&] { return is_link(prefix); }))
    return visit({prefix, false, 0, Link::to_keys});
  list_below(*root_, prefix, false, visit);
}

TESSERA_DECL posix::UnfinishedFolder LocalFolder::make_unfinished(std::string_view folder) const {
  return posix::make_unfinished(*root_->make(), std::string{folder}, root_->written);
}

TESSERA_DECL void LocalFolder::list_unfinished(std::string_view prefix, Visitor visit) const {
  walk(*root_, prefix, follows_links(), [&](std::string const& path, posix::Entry const& entry) {
    if (!posix::is_unfinished(entry.name)) return true;
    bool const is_stale = root_->find([&](auto const& root) {
      return posix::in_folder(
          root, path, [](int above, char const* name) { return static_cast<bool>(posix::hold_stale(above, name)); });
    });
    if (is_stale) visit({path, entry.is_folder, entry.size});
    return false;
  });
}

TESSERA_DECL std::size_t LocalFolder::erase_unfinished(std::string_view prefix) const {
  std::vector<Key> found;  // before erasing any
  walk(*root_, prefix, false, [&](std::string const& path, posix::Entry const& entry) {
    bool const is_unfinished = posix::is_unfinished(entry.name);
    if (is_unfinished) found.push_back({path});
    return !is_unfinished;
  });
  std::size_t erased = 0;
  for (auto const& key : found)
    erased += at_key(*this, key, [&] {
      return root_->find([&](auto const& root) { return posix::in_folder(root, key.path, posix::remove_stale); });
    });
  return erased;
}

TESSERA_DECL bool LocalFolder::is_in_unfinished(std::string_view path) {
  for (std::size_t end; (end = path.find('/')) != path.npos; path.remove_prefix(end + 1))
    if (posix::is_unfinished(path.substr(0, end))) return true;
  return false;
}

TESSERA_DECL bool LocalFolder::is_link(std::string_view path) const {
  return root_->find([&](auto const& root) {
    return posix::in_folder(root, std::string{path}, [](int above, char const* name) {
      struct stat info {};
      return ::fstatat(above, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
    });
  });
}

TESSERA_DECL FolderLock LocalFolder::lock_below(std::string const& path, Sharing sharing, Stop stop) const {
  auto const root = root_->current();
  try {
    return root ? root_->locks.lock_folder(path, sharing, *root, root_->waiting(stop)) : FolderLock{};
  } catch (StoreError const&) {
    if (path == "." || !is_link(path)) throw;
    return {};  // a link, which is not followed
  }
}

}}}  // namespace tessera::v0::detail
