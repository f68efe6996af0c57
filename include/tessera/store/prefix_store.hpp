// A part of another store, as a store of its own.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>

namespace tessera::inline v0 {

/// Shows the keys below a folder of `S` as if the folder were the root.
template <class S>
class PrefixStore {
  static_assert(detail::check_store<S>());
  using Space = space_of<S>;

 public:
  using buffer_type = buffer_of<S>;

  PrefixStore(S store, std::string folder) : store_{std::move(store)}, folder_{std::move(folder)} {
    if (!folder_.empty()) check(Key{folder_});
  }

  S const& source() const { return store_; }
  std::string name() const { return folder_.empty() ? name_of(store_) : name_of(store_) + '/' + folder_; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Room<Space> room, queue_for<Space>& on) const {
    check(key);
    return store_.read(folder_ / key.path, range, room, on);
  }
  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const requires WritableStore<S> {
    check(key);
    store_.write(folder_ / key.path, value, on);
  }
  bool erase(Key const& key, queue_for<Space>& on) const requires WritableStore<S> {
    check(key);
    return store_.erase(folder_ / key.path, on);
  }
  auto lock(Key const& key) const requires requires(S const& store) { store.lock(key); }
  { return store_.lock(folder_ / key.path); }

  void list(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    store_.list(inside(prefix), [&](Listed const& entry) { visit(shown(entry)); });
  }
  void list_directory(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    store_.list_directory(inside(prefix), [&](Listed const& entry) { visit(shown(entry)); });
  }

 private:
  std::string inside(std::string_view prefix) const { return prefix.empty() ? folder_ : (folder_ / prefix).path; }
  Listed shown(Listed entry) const {
    if (!folder_.empty()) entry.path.remove_prefix(folder_.size() + 1);
    return entry;
  }

  S store_;
  std::string folder_;
};

}  // namespace tessera::inline v0
