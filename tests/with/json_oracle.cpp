// metadata/json.hpp compared with nlohmann_json, on random texts: of JSON, of almost JSON, and of noise.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include <support/json_oracle.hpp>
#include <support/random.hpp>

namespace {

using test::Random;

constexpr std::uint64_t cases = 20'000, first_seed = 1;

std::string pick(Random& random, std::initializer_list<char const*> words) {
  return words.begin()[random(0, words.size() - 1)];
}

std::string number(Random& random) {
  std::string text = random.one_in(3) ? "-" : "";
  auto const digits = [&](std::uint64_t most) {
    for (auto n = random(1, most); n > 0; --n) text += static_cast<char>('0' + random(0, 9));
  };
  text += pick(random, {"0", "1", "9", "18446744073709551615", "9223372036854775808", "123456789012345678"});
  if (text.back() != '0' && random.one_in(2)) digits(5);
  if (random.one_in(2)) text += '.', digits(20);
  if (random.one_in(3)) text += pick(random, {"e", "E", "e+", "e-", "E-"}), digits(3);
  return text;
}

std::string string(Random& random) {
  std::string text = "\"";
  for (auto n = random(0, 6); n > 0; --n)
    text += pick(random, {"a", "b", " ", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\u0000", "\\ud83d\\ude00",
                          "\\uFFFF", "\xc3\xa9", "\xf0\x9f\x98\x80", "\x7f", "{", "]", ":"});
  return text + '"';
}

std::string json(Random& random, int levels) {
  auto const space = [&] { return random.one_in(4) ? pick(random, {" ", "\n", "\t", "\r\n", "  "}) : std::string{}; };
  std::string text = space();
  switch (random(levels == 0 ? 2 : 0, 7)) {
    case 0:
      text += '{';
      for (auto n = random(0, 4); n > 0; --n)
        text += space() + string(random) + space() + ':' + json(random, levels - 1) + (n > 1 ? "," : "");
      text += space() + '}';
      break;
    case 1:
      text += '[';
      for (auto n = random(0, 4); n > 0; --n) text += json(random, levels - 1) + (n > 1 ? "," : "");
      text += space() + ']';
      break;
    case 2:
    case 3:
      text += string(random);
      break;
    case 4:
      text += pick(random, {"true", "false", "null"});
      break;
    default:
      text += number(random);
  }
  return text + space();
}

// A byte is changed, removed, doubled or inserted: mostly one with a meaning in JSON.
void damage(Random& random, std::string& text) {
  auto const at = random(0, text.size());
  switch (random(0, 4)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random(0, 255));
      break;
    case 1:
      text.erase(at, random(1, 3));
      break;
    case 2:
      text.insert(at, text.substr(at, random(1, 8)));
      break;
    case 3:
      text.resize(at);
      break;
    default:
      text.insert(at, pick(random, {"{",
                                    "}",
                                    "[",
                                    "]",
                                    ",",
                                    ":",
                                    "\"",
                                    "\\",
                                    "-",
                                    "+",
                                    ".",
                                    "e",
                                    "0",
                                    "1e999",
                                    "NaN",
                                    "Infinity",
                                    "-Infinity",
                                    "\\u12",
                                    "\\ud800",
                                    "\xef\xbb\xbf",
                                    "\xed\xa0\x80",
                                    "\xc0\xaf",
                                    "\xf4\x90\x80\x80",
                                    "//",
                                    "\v",
                                    "\x1f",
                                    "tru",
                                    "nul"}));
  }
}

void check(std::string const& text) {
  CAPTURE(text);
  CHECK(test::json_disagreement(text) == "");
}

}  // namespace

TEST_CASE("json: random texts are to tessera what they are to nlohmann_json") {
  auto const* more = std::getenv("TESSERA_TEST_STEPS");
  auto const count = more ? std::strtoull(more, nullptr, 10) : cases;
  std::uint64_t valid = 0;
  for (auto seed = first_seed; seed < first_seed + count; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    auto text = json(random, 4);
    for (auto n = random(0, 2); n > 0; --n) damage(random, text);
    valid += nlohmann::ordered_json::accept(text);
    check(text);
  }
  MESSAGE("seeds " << first_seed << " to " << first_seed + count - 1 << ": " << valid << " are JSON");
  CHECK(valid > count / 4);
  CHECK(valid < count * 3 / 4);
}

TEST_CASE("json: what the two take differently is what is listed, and no more") {
  using test::json_disagreement;
  for (auto* text :
       {"NaN", "[Infinity]", "{\"a\": -Infinity}", "1e400", "-1e999", "{\"a\": 1, \"a\": 2}", "\xef\xbb\xbf{}"})
    check(text);
  using namespace std::string_literals;
  check("{}\0x"s);
  check(std::string(300, '[') + std::string(300, ']'));
  for (auto* text : {"1", "-0", "-0.0", "1e-400", "0.1", "18446744073709551616", "-9223372036854775809", "5e-324",
                     "2.2250738585072011e-308", "179769313486231580793728971405301e276", "[]", "{}", "\"\\u0000\"", "",
                     " ", "01", "-", "[1,]", "\"\\ud800\""})
    check(text);
}
