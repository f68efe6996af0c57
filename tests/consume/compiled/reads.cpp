// And only the typed interface here.
#include <cstdint>
#include <numeric>
#include <vector>

#include <tessera/tessera.hpp>

using namespace tessera;

int sum_of(LocalStore<HostBuffer> const& store) {
  auto const array = open_array<std::int32_t, 1>(store, "a");
  std::vector<std::int32_t> numbers(100);
  array.read(all, numbers);
  return std::accumulate(numbers.begin(), numbers.end(), 0);
}
