// MemoryValues: values by key, shared by all copies of a store and all threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A V has its bytes, `view()`, and a `number` unique among all values ever stored here.
template <class V>
class MemoryValues {
 public:
  using Value = std::shared_ptr<V>;  ///< a reader keeps the value it found while a writer replaces it

  KeyLocks locks{};

  /// Null: no such key.
  Value find(Key const& key) const {
    std::shared_lock lock{mutex_};
    auto const at = values_.find(key.path);
    return at == values_.end() ? nullptr : at->second;
  }

  /// `spares_replaced`: a replaced value that is unused becomes a spare. Its memory must belong to no queue and no
  /// resource that may end before the store.
  void put(Key const& key, Value value, bool spares_replaced) {
    std::unique_lock lock{mutex_};
    spares_.reserve(spares_.size() + 1);  // so that nothing throws after the change
    value->number = ++written_;
    values_[key.path].swap(value);
    if (spares_replaced && is_unused(value)) spares_.push_back(std::move(value));
  }
  /// Replaces the value if it still is `before`; returns whether it was.
  bool replace(Key const& key, Value const& before, Value value) {
    std::unique_lock lock{mutex_};
    auto const at = values_.find(key.path);
    if (at == values_.end() || at->second != before) return false;
    value->number = ++written_;
    at->second = std::move(value);
    return true;
  }
  /// A replaced value of that size, to reuse its memory; frees a spare of another size. There are at most as many
  /// spares as concurrent writes.
  Value spare(std::size_t size) {
    Value value;
    std::unique_lock lock{mutex_};
    if (spares_.empty()) return nullptr;
    value.swap(spares_.back());
    spares_.pop_back();
    lock.unlock();
    if (value->view().size != size) value.reset();
    return value;
  }

  bool erase(Key const& key) {
    std::unique_lock lock{mutex_};
    return values_.erase(key.path) > 0;
  }

  /// Moves all keys below a folder to another, atomically. Returns whether any existed. Throws: StoreError.
  bool rename(std::string const& from, std::string const& to) {
    std::unique_lock lock{mutex_};
    auto const [first, last] = below(from);
    if (first == last) return false;
    if (to == from) return true;
    if (auto const there = below(to); there.first != there.second)
      throw StoreError{"cannot rename the folder: the target already has keys"};
    if (to.starts_with(from + '/')) throw StoreError{"cannot move a folder into itself"};
    std::remove_cvref_t<decltype(values_)> moved{values_.get_allocator()};  // may throw before any key moves
    for (auto at = first; at != last; ++at)
      moved.emplace_hint(moved.end(), to + at->first.substr(from.size()), at->second);
    values_.erase(first, last);
    values_.merge(moved);
    return true;
  }

  ValueVersion version(Key const& key) const {
    std::shared_lock lock{mutex_};
    auto const at = values_.find(key.path);
    if (at == values_.end()) return {};
    // Each store counts for itself: its address tells its versions from those of others.
    return {{at->second->number, reinterpret_cast<std::uintptr_t>(this)}, true, true};
  }

  /// Keys with that beginning, sorted, and the sizes of their values.
  std::vector<std::pair<std::string, std::size_t>> list(std::string const& beginning) const {
    std::vector<std::pair<std::string, std::size_t>> found;
    std::shared_lock lock{mutex_};
    for (auto at = values_.lower_bound(beginning); at != values_.end() && at->first.starts_with(beginning); ++at)
      found.emplace_back(at->first, at->second->view().size);
    return found;
  }

 private:
  auto below(std::string const& folder) {  // '0' is the character after '/'
    return std::pair{values_.lower_bound(folder + '/'), values_.lower_bound(folder + '0')};
  }
  static bool is_unused(Value const& replaced) {
    if (replaced.use_count() != 1) return false;
    Value{replaced}.reset();  // use_count does not synchronise with the last reader; releasing a copy does
    return true;
  }

  mutable std::shared_mutex mutex_;
  // Sorted, for listing. The pool keeps nodes together in the order of writing, often that of reading: among the values
  // each would be on its own page, as expensive to reach as the value.
  std::pmr::unsynchronized_pool_resource nodes_{std::pmr::new_delete_resource()};
  std::map<std::string, Value, std::less<>, std::pmr::polymorphic_allocator<std::pair<std::string const, Value>>>
      values_{&nodes_};
  std::uint64_t written_ = 0;
  std::vector<Value> spares_{};
};

}}}  // namespace tessera::v0::detail
