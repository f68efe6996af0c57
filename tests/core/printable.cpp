// Names and texts of other programs in messages.
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <tessera/core/detail/printable.hpp>
#include <tessera/core/detail/unicode.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>

using namespace tessera;

static std::string utf8(char32_t code) {
  std::string text;
  detail::append_utf8(text, code);
  return text;
}

TEST_CASE("text that can be seen stays as it is") {
  for (std::string text : {"", "a b~", "\\u{202e}", "gr\u00f6\u00dfe", "\u4e2d\u6587", "\u0639\u0631\u0628\u064a",
                           "\u05e2\u05d1\u05e8", "\U0001f600", "\ufffd", "\u00a0\u3000"})
    CHECK(printable(text) == text);
}

TEST_CASE("what steers, hides or breaks a line is escaped, in errors and descriptions too") {
  for (auto [first, last] : {std::pair<char32_t, char32_t>{0, 0x1f},
                             {0x7f, 0x9f},
                             {0xad, 0xad},
                             {0x61c, 0x61c},
                             {0x180e, 0x180e},
                             {0x200b, 0x200f},
                             {0x2028, 0x202e},
                             {0x2060, 0x206f},
                             {0xfe00, 0xfe0f},
                             {0xfeff, 0xfeff},
                             {0xfff9, 0xfffb},
                             {0x1d173, 0x1d17a},
                             {0xe0001, 0xe007f},
                             {0xe0100, 0xe01ef}})
    for (auto code = first; code <= last; ++code) {
      char escape[16];
      std::snprintf(escape, sizeof escape, "\\u{%x}", static_cast<unsigned>(code));
      CHECK(printable(utf8(code)) == escape);
      CHECK(describe("a" + utf8(code)) == "\"a" + std::string{escape} + "\"");
      CHECK(std::string{StoreError{"b"}.in_key(utf8(code)).what()} == "key \"" + std::string{escape} + "\": b");
    }
  for (char32_t beside : std::initializer_list<char32_t>{0x20, 0x7e, 0xa0, 0xac, 0xae, 0x200a, 0x2010, 0x2027, 0x202f,
                                                         0x205f, 0x2070, 0xfe10, 0xfefe})
    CHECK(printable(utf8(beside)) == utf8(beside));
}

TEST_CASE("bytes that are not UTF-8 are escaped one by one") {
  CHECK(printable("\x9b"
                  "31m") == "\\x{9b}31m");
  CHECK(printable("a\xff"
                  "b") == "a\\x{ff}b");
  CHECK(printable("\xe2\x80") == "\\x{e2}\\x{80}");
  CHECK(printable("\xc0\x8a") == "\\x{c0}\\x{8a}");             // longer than necessary
  CHECK(printable("\xed\xa0\x80") == "\\x{ed}\\x{a0}\\x{80}");  // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\x{f4}\\x{90}\\x{80}\\x{80}");
}

TEST_CASE("what is cut short ends with a whole character") {
  for (std::size_t before = 0; before < 4; ++before) {
    auto text = std::string(before, 'a');
    while (text.size() < 2000) text += "\u20ac";
    CHECK(describe(text).find("\\x") == std::string::npos);
    std::string const line = StoreError{text}.what();
    CHECK(line.find("\\x") == std::string::npos);
    CHECK(line.ends_with("\u20ac..."));
    CHECK(line.size() > 990);
  }
  CHECK(describe(std::string(61, '\x80')).starts_with("\"\\x{80}"));
}
