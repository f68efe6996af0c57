// LocalFolder: keys as files below a folder, for LocalStores of every memory space.
// walk: the files and folders below a LocalStore's folder.
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

#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/local_options.hpp>
#include <tessera/store/detail/local_root.hpp>
#include <tessera/store/detail/posix/listing.hpp>
#include <tessera/store/detail/posix/replace.hpp>
#include <tessera/store/detail/posix/unfinished.hpp>
#include <tessera/store/detail/posix/watch.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/value_watch.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Whether listings omit an entry: a file with the prefix, or a folder with a full unfinished name.
TESSERA_DECL bool is_hidden(posix::Entry const& entry);

/// Calls f(posix::Entry) for the entries of a folder. `follow`: as for posix::for_each_in. Throws: StoreError naming
/// folder and store.
template <class F>
void for_each_in(LocalRoot& root, std::string_view prefix, bool follow, F&& f) {
  try {
    std::string const folder{prefix};
    if (!prefix.empty()) check_key(Key{folder});
    root.find([&](auto const& found) { return posix::for_each_in(found, folder, follow, f); });
  } catch (StoreError& error) {
    error.in_key(prefix).in_store(root.path);
    throw;
  }
}

/// Calls f(path, posix::Entry) for everything below; enters the folders for which f returns true.
template <class F>
void walk(LocalRoot& root, std::string_view prefix, bool follow, F&& f) {
  std::vector<std::string> folders{std::string{prefix}};  // no recursion: folders may be nested without bound
  while (!folders.empty()) {
    auto const folder = std::move(folders.back());
    folders.pop_back();
    for_each_in(root, folder, follow, [&](posix::Entry const& entry) {
      auto path = (folder / entry.name).path;
      if (f(std::as_const(path), entry) && entry.is_folder) folders.push_back(std::move(path));
    });
  }
}

TESSERA_DECL void list_below(LocalRoot& root, std::string_view prefix, bool follow, Visitor visit);

class LocalFolder {
 public:
  LocalFolder(std::string root, LocalOptions options) : root_{std::make_shared<LocalRoot>(std::move(root), options)} {}

  std::string name() const { return root_->path; }

  std::optional<posix::OpenFile> find(Key const& key) const;

  /// Opens the file that requests for one key watch, or else the key's current file. Resets their answers.
  template <MemorySpace S>
  std::optional<posix::OpenFile> open(std::span<ReadRequest<S>> requests) const {
    auto const& first = requests.front();
    auto const watched = first.watch ? first.watch->handle_of(*root_) : std::nullopt;
    for (auto& request : requests) request.size.reset(), request.is_of_watch = watched.has_value();
    if (!watched) return find(*first.key);
    return posix::OpenFile{posix::Descriptor::lent(static_cast<int>(*watched)), posix::size_of(first.watch->version())};
  }

  std::optional<std::uint64_t> size(Key const& key) const;

  /// Sets the value to the bytes that `fill(posix::Descriptor const&)` writes. Throws: Cancelled, if it waits for the
  /// lock.
  template <class F>
  void write(Key const& key, F&& fill, Stop stop = nullptr) const {
    if (std::string_view{posix::Parts{key.path}.name}.starts_with(posix::unfinished_prefix) ||
        is_in_unfinished(key.path))
      throw StoreError{
          to_text({"names that begin with \"", posix::unfinished_prefix, "\" are reserved for unfinished values"})};
    auto const root = root_->make();
    root_->locks.change(key, [&](auto const* held) {
      posix::replace(*root, key.path, posix::unfinished_prefix, root_->written, root_->options.fsync, held,
                     root_->waiting(stop), fill);
      return true;
    });
  }

  /// Appends the bytes that `fill(posix::Descriptor const&)` writes. False: the value did not have `size` bytes.
  template <class F>
  bool append(Key const& key, std::uint64_t size, F&& fill) const {
    return root_->locks.change(key, [&](auto const* held) {
      return root_->find(
          [&](auto const& root) { return posix::append(root, key.path, size, root_->options.fsync, held, fill); });
    });
  }

  bool erase(Key const& key) const;
  bool rename(std::string_view from, std::string_view to) const;
  bool exchange(std::string_view one, std::string_view other) const;
  KeyLock lock(Key const& key, Stop stop) const;
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop) const;
  ValueWatch watch(Key const& key) const;
  SequenceCounter& changes(Key const& key) const { return root_->locks.changes(key); }

  /// Whether a folder exists at `path`; "" is the root.
  bool has_folder(std::string_view path) const;

  void list(std::string_view prefix, Visitor visit) const { list_below(*root_, prefix, follows_links(), visit); }

  void list_directory(std::string_view prefix, Visitor visit) const;
  void list_own(std::string_view prefix, Visitor visit) const;

  /// Makes a folder with an unfinished name in `folder`; the result holds it.
  posix::UnfinishedFolder make_unfinished(std::string_view folder) const;
  void list_unfinished(std::string_view prefix, Visitor visit) const;
  std::size_t erase_unfinished(std::string_view prefix) const;

 private:
  bool follows_links() const { return root_->options.links == Links::follow; }
  static bool is_in_unfinished(std::string_view path);
  bool is_link(std::string_view path) const;
  FolderLock lock_below(std::string const& path, Sharing sharing, Stop stop) const;

  std::shared_ptr<LocalRoot> root_;
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/local_folder.ipp>
#endif
