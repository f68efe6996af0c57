// Opens and reads arrays of four types: the cost of a pipeline that is composed when a file is opened.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

template <class T>
double total(LocalStore<HostBuffer> const& store, std::string const& path) {
  auto const array = open_array<T, 3, Codecs<codec::Transpose, codec::Bytes, codec::Zstd>>(store, path);
  auto const elements = array.read(all);
  double sum = 0;
  for (auto element : elements.elements()) sum += static_cast<double>(element);
  return sum;
}

int main(int, char** arguments) {
  LocalStore<HostBuffer> const store{arguments[1]};
  auto const sum = total<std::uint8_t>(store, "a") + total<std::int16_t>(store, "b") + total<float>(store, "c") +
                   total<double>(store, "d");
  return sum == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
