// Keys as files below a folder: what LocalStores have in common, whatever memory their values are read into.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/store/at_key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/local_root.hpp>
#include <tessera/store/posix/replace.hpp>
#include <tessera/store/posix/watch.hpp>
#include <tessera/store/watch.hpp>

namespace tessera::inline v0 {
namespace detail {

class LocalFolder {
 public:
  LocalFolder(std::string root, LocalOptions options) : root_{std::make_shared<LocalRoot>(std::move(root), options)} {}

  std::string name() const { return root_->path; }

  std::optional<posix::OpenFile> find(Key const& key) const {
    return root_->find([&](auto const& root) { return posix::find_file(root, key.path); });
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
    if (std::string_view{posix::Parts{key.path}.name}.starts_with(temporary_prefix))
      throw StoreError{text({"names that begin with \"", temporary_prefix, "\" are those of unfinished values"})};
    auto const root = root_->make();
    root_->locks.change(key, [&](auto const* held) {
      posix::replace(*root, key.path, temporary_prefix, root_->written, root_->options.fsync, held, fill);
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
        return root_->find(
            [&](auto const& root) { return posix::erase(root, key.path, root_->options.fsync, held); });
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
      auto found = root_->find([&](auto const& root) { return root.find(key.path, posix::pass); });
      if (!found) return ValueWatch{{}};
      auto const seen = posix::version_of(found->status());
      return ValueWatch{seen, *root_, found->release()};  // the open file keeps its inode
    });
  }
  Changes& changes(Key const& key) const { return root_->locks.changes(key); }

  void list(std::string_view prefix, Visitor visit) const {
    std::vector<std::string> folders{std::string{prefix}};  // no recursion: folders may be nested without bound
    while (!folders.empty()) {
      auto const folder = std::move(folders.back());
      folders.pop_back();
      list_directory(folder, [&](Listed const& entry) {
        if (entry.is_prefix)
          folders.emplace_back(entry.path);
        else
          visit(entry);
      });
    }
  }

  void list_directory(std::string_view prefix, Visitor visit) const {
    std::string const folder{prefix};
    auto const show = [&](std::string_view file, bool is_folder, std::uint64_t size) {
      if (is_folder || !file.starts_with(temporary_prefix)) visit({(prefix / file).path, is_folder, size});
    };
    try {
      if (!prefix.empty()) check(Key{folder});
      root_->find([&](auto const& root) { return posix::for_each_in(root, folder, show); });
    } catch (StoreError& error) {
      error.in_key(prefix).in_store(name());
      throw;
    }
  }

 private:
  FolderLock lock_below(std::string const& path, Sharing sharing) const {
    auto const root = root_->current();
    return root ? root_->locks.lock_folder(path, sharing, *root) : FolderLock{};
  }

  static constexpr char const* temporary_prefix = ".tessera-";
  std::shared_ptr<LocalRoot> root_;
};

}  // namespace detail
}  // namespace tessera::inline v0
