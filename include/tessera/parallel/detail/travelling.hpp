// TravellingText: several texts in one message.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tessera { inline namespace v0 { namespace detail {

/// Texts, each with its length before it. They are taken in the order in which they were added.
class TravellingText {
 public:
  TravellingText() = default;
  explicit TravellingText(std::string arrived) : text_{std::move(arrived)} {}

  void add(std::string_view part) {
    text_ += std::to_string(part.size());
    text_ += ' ';
    text_ += part;
  }
  std::string take() {
    std::size_t size = 0;
    for (; text_[at_] != ' '; ++at_) size = size * 10 + static_cast<std::size_t>(text_[at_] - '0');
    auto part = text_.substr(at_ + 1, size);
    at_ += 1 + size;
    return part;
  }
  bool is_at_end() const { return at_ == text_.size(); }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_{};
  std::size_t at_ = 0;
};

}}}  // namespace tessera::v0::detail
