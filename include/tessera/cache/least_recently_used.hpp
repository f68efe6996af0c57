// Which of a cache's chunks was used least recently: a ring of links, in which every step takes a few instructions and
// nothing is allocated.
#pragma once
#include <cstddef>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What can be in a LeastRecentlyUsed. It does not move while it is there.
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
  /// It was just used. Requires: it is not linked.
  void add_warmest(T& one) { insert(one, *ends_.colder, ends_); }
  /// It is the first that others need not have. Requires: it is not linked.
  void add_coldest(T& one) { insert(one, ends_, *ends_.warmer); }
  void remove(T& one) {
    if (!one.is_linked()) return;
    one.colder->warmer = one.warmer;
    one.warmer->colder = one.colder;
    one.colder = one.warmer = nullptr;
    --size_;
  }

  /// The one that was used longest ago, and the one that was used next; null: there is none.
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

  UseLink ends_;  // the coldest one is warmer than it
  std::size_t size_ = 0;
};

}}}  // namespace tessera::v0::detail
