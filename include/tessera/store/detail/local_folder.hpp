// LocalFolder: keys as files below a folder, for LocalStores of every memory space.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/local_root.hpp>
#include <tessera/store/detail/local_walk.hpp>
#include <tessera/store/detail/posix/replace.hpp>
#include <tessera/store/detail/posix/unfinished.hpp>
#include <tessera/store/detail/posix/watch.hpp>
#include <tessera/store/local_options.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/store/value_watch.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

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
