// The part that the host's compiler compiles: makes stores, arrays and a queue, and hands them to the other. Exit
// status 0: both parts agree; without a GPU 1, once the host's half has been checked.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "parts.hpp"

namespace {

using namespace tessera;

bool arrays_agree(std::string const& folder) {
  LocalStore<HostBuffer> const store{folder};
  auto const array = create_array<float, 2>(store, "a", {.shape = {10, 6}, .chunks = {4, 6}});
  std::vector<float> values(60);
  std::iota(values.begin(), values.end(), 1.0F);
  array.write(all, values);
  return total(open_any<Known>(store, "a")) == 60 * 61 / 2;
}

bool stores_agree(std::string const& folder) {
  Queue<space::Device> on;
  Files const files{folder};
  Memory const memory, chunks;
  Key const key{"value"};
  std::string_view const text = "HAL";
  HostBuffer given{text.size()};
  std::copy_n(reinterpret_cast<std::byte const*>(text.data()), text.size(), given.span().data);
  auto const there = copy_to<DeviceBuffer>(std::move(given), on);
  files.write(key, there.view(), on);
  bool const all_of_it = increment(files, memory, Split{files.host_side(), chunks}, key, on) == text.size();
  auto const reads = [&](auto const& store) {
    auto value = get_value(store, key, on);
    if (!value) return false;
    auto const here = copy_to<HostBuffer>(std::move(*value), on);
    on.wait();
    return std::string_view{reinterpret_cast<char const*>(here.view().data), here.view().size} == "IBM";
  };
  return all_of_it && reads(memory) && reads(chunks);
}

}  // namespace

int main(int, char** arguments) try {
  std::string const folder = arguments[1];
  bool const arrays = arrays_agree(folder);
  std::cout << "arrays" << (arrays ? " agree\n" : " do not agree\n") << std::flush;
  bool const stores = stores_agree(folder);
  std::cout << "stores" << (stores ? " agree\n" : " do not agree\n");
  return arrays && stores ? 0 : 1;
} catch (tessera::DeviceError const& error) {
  std::cerr << "DeviceError: " << error.what() << '\n';
  return 1;
} catch (tessera::Error const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
