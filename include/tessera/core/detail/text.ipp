#pragma once
#include <tessera/core/text.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL void TextPart::write_signed(std::int64_t number) {
  size_ = static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr - digits_);
}
TESSERA_DECL void TextPart::write_unsigned(std::uint64_t number) {
  size_ = static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr - digits_);
}

TESSERA_DECL std::string_view TextPart::view() const { return size_ == 0 ? text_ : std::string_view{digits_, size_}; }

[[gnu::noinline]] TESSERA_DECL std::string to_text(std::initializer_list<TextPart> parts) {
  std::string whole;
  for (auto const& part : parts) whole.append(part.view());
  return whole;
}

}}  // namespace tessera::v0
