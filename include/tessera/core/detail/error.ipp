#pragma once
#include <tessera/core/error.hpp>

#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/printable.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL Error::Error(std::string problem) : problem_{std::move(problem)} { compose(); }
TESSERA_DECL Error::Error(Error const&) = default;
TESSERA_DECL Error::Error(Error&&) noexcept = default;
TESSERA_DECL Error& Error::operator=(Error const&) = default;
TESSERA_DECL Error& Error::operator=(Error&&) noexcept = default;
TESSERA_DECL Error::~Error() = default;

TESSERA_DECL Error& Error::add(std::string& place, std::string_view name) {
  if (place.empty()) place = std::string{name};
  compose();
  return *this;
}

TESSERA_DECL void Error::compose() {
  auto const cut = [](std::string_view long_text) {
    constexpr std::size_t longest = 1000;  // bytes; names and values come from files
    return to_text({detail::beginning(long_text, longest), long_text.size() > longest ? "..." : ""});
  };
  auto const where = [&](std::string_view what, std::string_view name, std::string_view after) {
    return name.empty() ? std::string{} : to_text({what, cut(name), after});
  };
  text_ = printable(to_text({where("", store_, ": "), where("key \"", key_, "\": "), where("", work_, ": "),
                             where("inner chunk ", inner_chunk_, ": "), where("codec ", codec_, ": "), cut(problem_)}));
}

namespace detail {

TESSERA_DECL void expect_going(Stop stop) {
  if (stop && stop->load(std::memory_order_relaxed)) throw Cancelled{"cancelled"};
}

}  // namespace detail

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
