// Messages out of parts. One function that is not inlined: messages are many, and made only where something failed.
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// A part of a message: text, which must outlive it, or an integer.
class TextPart {
 public:
  TextPart(std::string_view text) : text_{text} {}
  TextPart(std::string const& text) : text_{text} {}
  TextPart(char const* text) : text_{text} {}
  template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>) TextPart(T number) {
    using Widest = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>;
    write(static_cast<Widest>(number));
  }

  std::string_view view() const { return size_ == 0 ? text_ : std::string_view{digits_, size_}; }

 private:
  void write(auto number) {
    size_ = static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr - digits_);
  }

  std::string_view text_;
  char digits_[20]{};
  std::size_t size_ = 0;
};

/// `text({"found ", 3, " bytes"})`
[[gnu::noinline]] inline std::string text(std::initializer_list<TextPart> parts) {
  std::string whole;
  for (auto const& part : parts) whole.append(part.view());
  return whole;
}

}}  // namespace tessera::v0
