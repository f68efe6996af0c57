// SharedArrays: named published arrays within a budget of bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/ipc/detail/error.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// An array that can be published: its `size` in bytes, and `publish`, the function that reads and publishes it.
struct Source {
  std::uint64_t size = 0;
  std::function<Published()> publish{};
};

/// A Zarr array, opened by open or open_any, which publishing reads into shared memory. Requires: the producer still
/// exists then.
template <class Array>
Source source_of(Producer& producer, Array array) {
  auto const shape = array.shape();
  auto const type = array.type();
  auto const size = checked_product(element_count(shape, "the shape"), type.size, "the array");
  return {
      size, [&producer, array = std::move(array), shape, type, size] {
        SharedBuffer buffer{checked_size(size, "the array")};
        auto const strides = Layout::c_order(shape, type.size).strides;
        if (size != 0)
          array.read(ResolvedSelection{Box{all}.resolve(shape)}, StridedSpan<space::Host>{buffer.span().data, strides});
        return producer.publish(buffer, type, shape);
      }};
}

/// Arrays by name. `find(name)` makes a missing one, once for all callers. Their total size never exceeds the budget:
/// the least recently requested array without a lease is evicted first. Thread-safe; one array is made at a time.
class SharedArrays {
 public:
  using Find = std::function<Source(std::string_view name)>;

  /// `find` throws any exception, if no array has the name. It must not call this object.
  SharedArrays(std::uint64_t budget, Find find) : budget_{budget}, find_{std::move(find)} {}

  /// What another process attaches. If the array is evicted before, attaching throws IpcError, and the process asks
  /// again. Throws: IpcError, if the array does not fit besides the held ones; exceptions of `find`.
  Descriptor get(std::string_view name) {
    std::lock_guard lock{mutex_};
    auto found = arrays_.find(name);
    if (found == arrays_.end()) {
      auto const source = find_(name);
      make_room(source.size, name);
      found = arrays_.emplace(std::string{name}, Entry{source.publish(), source.size}).first;
      bytes_ += source.size;
    }
    found->second.used = ++uses_;
    return found->second.array.descriptor();
  }

  std::uint64_t budget() const { return budget_; }  ///< in bytes
  /// The size of all arrays that it holds now.
  std::uint64_t bytes() const {
    std::lock_guard lock{mutex_};
    return bytes_;
  }
  /// Whether it holds the array now; does not count as a request.
  bool contains(std::string_view name) const {
    std::lock_guard lock{mutex_};
    return arrays_.contains(name);
  }

 private:
  struct Entry {
    Published array;
    std::uint64_t size;
    std::uint64_t used = 0;
  };
  using Arrays = std::map<std::string, Entry, std::less<>>;

  void make_room(std::uint64_t size, std::string_view name) {
    while (size > budget_ - bytes_)
      if (size > budget_ || !evict_one())
        throw IpcError{to_text({"no room for \"", name, "\" of ", size, " bytes: ", bytes_, " of the budget of ",
                                budget_, " bytes are in use"})};
  }
  // If a process takes a lease meanwhile, the next array is tried.
  bool evict_one() {
    std::map<std::uint64_t, Arrays::iterator> by_use;
    for (auto at = arrays_.begin(); at != arrays_.end(); ++at) by_use.emplace(at->second.used, at);
    for (auto const& [use, at] : by_use) {
      if (!at->second.array.withdraw_unheld()) continue;
      bytes_ -= at->second.size;
      arrays_.erase(at);
      return true;
    }
    return false;
  }

  std::mutex mutable mutex_;
  std::uint64_t const budget_;
  Find find_;
  Arrays arrays_;
  std::uint64_t bytes_ = 0, uses_ = 0;
};

}}}  // namespace tessera::v0::ipc
