// Parses a document with Boost.JSON and adds its numbers up; another unit includes its src.hpp.
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include <boost/json.hpp>

int main(int count, char** arguments) {
  auto const document = boost::json::parse(count > 1 ? arguments[1] : R"({"shape": [4, 5, 6]})");
  std::int64_t sum = 0;
  for (auto const& number : document.at("shape").as_array()) sum += number.as_int64();
  std::cout << boost::json::serialize(document) << ' ' << sum << '\n';
  return sum == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
