#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/core/detail/runs.hpp>

using namespace tessera;

TEST_CASE("a span comes in runs of equal neighbours, each found when the one before it was used") {
  std::vector<int> numbers{3, 13, 5, 3, 23, 33};
  auto const shown = [&] {
    std::string all;
    for (auto const run : detail::runs_of_equal(std::span{numbers}, [](int number) { return number % 10; })) {
      for (auto& number : run) all += std::to_string(number) + ' ';
      all += "| ";
    }
    return all;
  };
  CHECK(shown() == "3 13 | 5 | 3 23 33 | ");
  for (auto const run : detail::runs_of_equal(std::span{numbers}, [](int number) { return number; }))
    if (run.data() != &numbers.back()) (&run.back())[1] = run.front();
  CHECK(shown() == "3 3 3 3 3 3 | ");
  numbers.clear();
  CHECK(shown() == "");
}

TEST_CASE("runs may be of any length") {
  std::vector<int> const numbers(7);
  std::string lengths;
  for (auto const run : detail::Runs{std::span{numbers}, [](auto left) { return (left.size() + 1) / 2; }})
    lengths += std::to_string(run.size());
  CHECK(lengths == "421");
}
