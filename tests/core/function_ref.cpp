#include <string>

#include <doctest/doctest.h>

#include <tessera/core/detail/function_ref.hpp>

using namespace tessera;

TEST_CASE("a function reference calls the very object it was made from") {
  int calls = 0;
  auto count = [&calls, own = 0](int n) mutable { return calls += n, ++own; };
  FunctionRef<int(int)> const ref{count};
  CHECK(ref(2) == 1);
  CHECK(ref(3) == 2);
  CHECK(calls == 5);
  CHECK(count(0) == 3);  // no copy was made
  CHECK(sizeof ref == 2 * sizeof(void*));
}

TEST_CASE("a function reference takes const callables, passes references on and converts results") {
  auto const append = [](std::string& text) { return text += 'x', 1; };
  FunctionRef<double(std::string&)> const ref{append};
  std::string text = "a";
  CHECK(ref(text) == 1.0);
  CHECK(text == "ax");
}

TEST_CASE("exceptions pass through a function reference") {
  auto fail = [] { throw 7; };
  FunctionRef<void()> const ref{fail};
  CHECK_THROWS_AS(ref(), int);
}
