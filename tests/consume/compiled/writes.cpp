// The whole of tessera is compiled here.
#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

#include <tessera/tessera.hpp>

using namespace tessera;

int sum_of(LocalStore<HostBuffer> const& store);

int main(int, char** arguments) {
  LocalStore<HostBuffer> const store{arguments[1]};
  std::vector<std::int32_t> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto const array = create_array<std::int32_t, 1>(store, "a", {.shape = {100}, .chunks = {7}});
  array.write(all, numbers);
  std::cout << "sum " << sum_of(store) << '\n';
}
