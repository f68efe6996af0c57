// text: builds messages from parts. It is not inlined, because messages are many and made only on failure.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera { inline namespace v0 {

/// A part of a message: an integer, or text, which must outlive it.
class TextPart {
 public:
  TextPart(std::string_view text) : text_{text} {}
  TextPart(std::string const& text) : text_{text} {}
  TextPart(char const* text) : text_{text} {}
  template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>) TextPart(T number) {
    if constexpr (std::signed_integral<T>)
      write_signed(number);
    else
      write_unsigned(number);
  }

  /// The part as text. Valid while this object and its text are.
  std::string_view view() const;

 private:
  void write_signed(std::int64_t number);
  void write_unsigned(std::uint64_t number);

  std::string_view text_;
  char digits_[20]{};
  std::size_t size_ = 0;
};

/// The parts joined: `to_text({"found ", 3, " bytes"})` is "found 3 bytes".
std::string to_text(std::initializer_list<TextPart> parts);
[[deprecated("tessera: text was renamed to_text")]] inline std::string text(std::initializer_list<TextPart> parts) {
  return to_text(parts);
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/text.ipp>
#endif
