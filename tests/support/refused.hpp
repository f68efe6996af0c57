// The expected type and text of an error.
#pragma once
#include <initializer_list>
#include <string>
#include <typeinfo>

#include <doctest/doctest.h>

#include <tessera/core/error.hpp>

namespace test {

/// Checks that f throws exactly an E whose one line has all of the words.
template <class E, class F>
void check_refused(F&& f, std::initializer_list<char const*> words) {
  try {
    f();
  } catch (tessera::Error const& error) {
    std::string const line = error.what();
    CAPTURE(line);
    CHECK(typeid(error) == typeid(E));
    CHECK(line.find('\n') == line.npos);
    for (std::string const word : words) {
      CAPTURE(word);
      CHECK(line.find(word) != line.npos);
    }
    return;
  }
  FAIL_CHECK("nothing was thrown");
}

/// The line of the Error that f throws.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (tessera::Error const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace test
