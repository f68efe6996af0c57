// A shared library that reads an array and exports it: its deleter is code of this library.
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/tessera.hpp>
#include <tessera/with/dlpack.hpp>

using namespace tessera;

/// Numbers from 1 on, of the shape 2 x 3. `gone` is called once when the memory is freed.
extern "C" DLManagedTensorVersioned* make_tensor(void (*gone)()) {
  auto const array = create_array<std::uint16_t, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {2, 3}, .chunks = {2, 2}},
                                                    Pipeline<space::Host, codec::Bytes>{}, Queue<space::Host>{});
  array.write(all, std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6});
  auto shared = dlpack::share(array.read(all));
  shared.owner = {shared.owner.get(), [gone, kept = shared.owner](void const*) mutable { kept.reset(), gone(); }};
  return dlpack::hand_over(shared).release();
}
