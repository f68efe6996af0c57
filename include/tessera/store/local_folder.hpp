// Keys as files below a folder: what LocalStores have in common, whatever memory their values are read into.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/store/at_key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/links.hpp>
#include <tessera/store/local_root.hpp>
#include <tessera/store/local_walk.hpp>
#include <tessera/store/posix/replace.hpp>
#include <tessera/store/posix/watch.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

class LocalFolder {
 public:
  LocalFolder(std::string root, LocalOptions options) : root_{std::make_shared<LocalRoot>(std::move(root), options)} {}

  std::string name() const { return root_->path; }

  std::optional<posix::OpenFile> find(Key const& key) const {
    return root_->find([&](auto const& root) { return posix::find_file(root, key.path); });
  }

  /// The file that the requests for one key are for, if there is one: the one that they watch, or what the key has now.
  /// They have no answer yet.
  template <MemorySpace S>
  std::optional<posix::OpenFile> open(std::span<ReadRequest<S>> requests) const {
    auto const& first = requests.front();
    auto const watched = first.watch ? first.watch->handle_of(*root_) : std::nullopt;
    for (auto& request : requests) request.size.reset(), request.is_of_watch = watched.has_value();
    if (!watched) return find(*first.key);
    return posix::OpenFile{posix::Descriptor::lent(static_cast<int>(*watched)), posix::size_of(first.watch->version())};
  }

  std::optional<std::uint64_t> size(Key const& key) const {
    return at_key(*this, key, [&]() -> std::optional<std::uint64_t> {
      auto const file = find(key);
      if (!file) return std::nullopt;
      return file->size;
    });
  }

  /// The value is what `fill(posix::Descriptor const&)` writes.
  template <class F>
  void write(Key const& key, F&& fill) const {
    if (std::string_view{posix::Parts{key.path}.name}.starts_with(posix::unfinished_prefix) ||
        is_in_unfinished(key.path))
      throw StoreError{
          text({"names that begin with \"", posix::unfinished_prefix, "\" are those of unfinished values"})};
    auto const root = root_->make();
    root_->locks.change(key, [&](auto const* held) {
      posix::replace(*root, key.path, posix::unfinished_prefix, root_->written, root_->options.fsync, held, fill);
      return true;
    });
  }

  /// Whether the value had that size: then there is behind it what `fill(posix::Descriptor const&)` writes.
  template <class F>
  bool append(Key const& key, std::uint64_t size, F&& fill) const {
    return root_->locks.change(key, [&](auto const* held) {
      return root_->find(
          [&](auto const& root) { return posix::append(root, key.path, size, root_->options.fsync, held, fill); });
    });
  }

  bool erase(Key const& key) const {
    return at_key(*this, key, [&] {
      return root_->locks.change(key, [&](auto const* held) {
        return root_->find([&](auto const& root) { return posix::erase(root, key.path, root_->options.fsync, held); });
      });
    });
  }

  bool rename(std::string_view from, std::string_view to) const {
    Key const before{std::string{from}}, after{std::string{to}};
    return at_key(*this, before, [&] {
      check(after);
      return root_->find(
          [&](auto const& root) { return posix::rename(root, before.path, after.path, root_->options.fsync); });
    });
  }

  bool exchange(std::string_view one, std::string_view other) const {
    Key const first{std::string{one}}, second{std::string{other}};
    return at_key(*this, first, [&] {
      check(second);
      return root_->find(
          [&](auto const& root) { return posix::exchange(root, first.path, second.path, root_->options.fsync); });
    });
  }

  KeyLock lock(Key const& key) const {
    return at_key(*this, key, [&] { return root_->locks.lock(key, root_->current().get()); });
  }
  FolderLock lock_folder(std::string_view path, Sharing sharing) const {
    if (path.empty()) return lock_below(".", sharing);
    Key const folder{std::string{path}};
    return at_key(*this, folder, [&] { return lock_below(folder.path, sharing); });
  }
  ValueWatch watch(Key const& key) const {
    return at_key(*this, key, [&] {
      auto found = root_->find([&](auto const& root) { return root.find(key.path, posix::read_only); });
      if (!found) return ValueWatch{{}};
      auto const info = found->status();
      if (!posix::is_value(info)) return ValueWatch{{}};
      return ValueWatch{posix::version_of(info), *root_, found->release()};  // the open file keeps its inode
    });
  }
  SequenceCounter& changes(Key const& key) const { return root_->locks.changes(key); }

  /// Whether there is one at that path; "" is the root.
  bool has_folder(std::string_view path) const {
    if (path.empty()) return root_->current() != nullptr;
    Key const folder{std::string{path}};
    return at_key(*this, folder, [&] {
      return root_->find([&](auto const& root) { return root.find(folder.path, posix::pass | O_DIRECTORY); })
          .has_value();
    });
  }

  void list(std::string_view prefix, Visitor visit) const { list_below(*root_, prefix, follows_links(), visit); }

  void list_directory(std::string_view prefix, Visitor visit) const {
    for_each_in(*root_, prefix, follows_links(), [&](posix::Entry const& entry) {
      if (!is_hidden(entry)) visit({(prefix / entry.name).path, entry.is_folder, entry.size, entry.link});
    });
  }

  void list_own(std::string_view prefix, Visitor visit) const {
    if (!prefix.empty() && at_key(*this, Key{std::string{prefix}}, [&] { return is_link(prefix); }))
      return visit({prefix, false, 0, Link::to_keys});
    list_below(*root_, prefix, false, visit);
  }

  /// A folder of an unfinished name in that folder, held by who gets it.
  posix::UnfinishedFolder make_unfinished(std::string_view folder) const {
    return posix::make_unfinished(*root_->make(), std::string{folder}, root_->written);
  }

  void list_unfinished(std::string_view prefix, Visitor visit) const {
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

  std::size_t erase_unfinished(std::string_view prefix) const {
    std::vector<Key> found;  // before anything is erased
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

 private:
  bool follows_links() const { return root_->options.links == Links::follow; }
  static bool is_in_unfinished(std::string_view path) {
    for (std::size_t end; (end = path.find('/')) != path.npos; path.remove_prefix(end + 1))
      if (posix::is_unfinished(path.substr(0, end))) return true;
    return false;
  }

  bool is_link(std::string_view path) const {
    return root_->find([&](auto const& root) {
      return posix::in_folder(root, std::string{path}, [](int above, char const* name) {
        struct stat info {};
        return ::fstatat(above, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
      });
    });
  }

  FolderLock lock_below(std::string const& path, Sharing sharing) const {
    auto const root = root_->current();
    try {
      return root ? root_->locks.lock_folder(path, sharing, *root) : FolderLock{};
    } catch (StoreError const&) {
      if (path == "." || !is_link(path)) throw;
      return {};  // it is no folder but a link, which is not followed
    }
  }

  std::shared_ptr<LocalRoot> root_;
};

}  // namespace detail
}}  // namespace tessera::v0
