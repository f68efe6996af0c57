// Runs: splits a span into runs of adjacent items, for a range-based for.
#pragma once
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

namespace tessera { inline namespace v0 { namespace detail {

/// Finds each run when the loop reaches it. `length` maps the remaining items to the length of the next run: at least
/// one.
template <class T, class Length>
class Runs {
 public:
  Runs(std::span<T> all, Length length) : all_{all}, length_{std::move(length)} {}

  class Iterator {
   public:
    Iterator(std::span<T> left, Length const& length) : left_{left}, length_{&length} { find(); }
    std::span<T> operator*() const { return left_.first(size_); }
    Iterator& operator++() {
      left_ = left_.subspan(size_);
      find();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return left_.empty(); }

   private:
    void find() { size_ = left_.empty() ? 0 : (*length_)(left_); }

    std::span<T> left_;
    Length const* length_;
    std::size_t size_ = 0;
  };

  Iterator begin() const { return {all_, length_}; }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::span<T> all_;
  Length length_;
};

/// Runs of items with equal `of(item)`.
template <class T, class Of>
auto runs_of_equal(std::span<T> all, Of of) {
  return Runs{all, [of](std::span<T> left) {
                auto const& first = of(left.front());
                std::size_t same = 1;
                while (same < left.size() && of(left[same]) == first) ++same;
                return same;
              }};
}

}}}  // namespace tessera::v0::detail
