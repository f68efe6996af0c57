// LeastRecentlyUsed: a cache's chunks in the order of their use, as a ring of links: constant time, no allocation.
#pragma once
#include <cstddef>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The base of elements of a LeastRecentlyUsed. Does not move while linked.
struct UseLink {
  UseLink* colder = nullptr;
  UseLink* warmer = nullptr;
  bool is_linked() const { return colder != nullptr; }
};

/// T is derived from UseLink.
template <class T>
class LeastRecentlyUsed {
 public:
  LeastRecentlyUsed() { ends_.colder = ends_.warmer = &ends_; }
  LeastRecentlyUsed(LeastRecentlyUsed const&) = delete;
  LeastRecentlyUsed& operator=(LeastRecentlyUsed const&) = delete;

  std::size_t size() const { return size_; }
  /// Adds the element just used. Requires: it is not linked.
  void add_warmest(T& one) { insert(one, *ends_.colder, ends_); }
  /// Adds the element to evict first. Requires: it is not linked.
  void add_coldest(T& one) { insert(one, ends_, *ends_.warmer); }
  void remove(T& one) {
    if (!one.is_linked()) return;
    one.colder->warmer = one.warmer;
    one.warmer->colder = one.colder;
    one.colder = one.warmer = nullptr;
    --size_;
  }

  /// The least recently used element, and the one after `one`; null: no more elements.
  T* coldest() { return of(ends_.warmer); }
  T* after(T& one) { return of(one.warmer); }

 private:
  T* of(UseLink* link) { return link == &ends_ ? nullptr : static_cast<T*>(link); }
  void insert(T& one, UseLink& colder, UseLink& warmer) {
    ++size_;
    one.colder = &colder;
    one.warmer = &warmer;
    colder.warmer = warmer.colder = &one;
  }

  UseLink ends_;  // its warmer neighbour is the coldest element
  std::size_t size_ = 0;
};

}}}  // namespace tessera::v0::detail
