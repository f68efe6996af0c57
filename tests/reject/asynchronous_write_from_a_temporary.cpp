// expect: tessera: this memory is a temporary, which ends before the read or write: keep it in a variable until the Pending is done
#include <vector>

#include <tessera/array/read_async.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
  auto const array = open_array<float, 1>(store, "a");
#ifdef CURED
  std::vector<float> const elements(100);
  auto writing = write_async(array, all, elements);
#else
  auto writing = write_async(array, all, std::vector<float>(100));
#endif
  writing.wait();
}
