// Shares an array as with another process, and runs the tests for custom stores on a store: ipc/ and testing/, which
// are targets beside tessera::tessera.
#include <cstdint>
#include <iostream>
#include <vector>

#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/testing/store_conformance.hpp>

using namespace tessera;

int main() {
  ipc::Producer producer;
  std::vector<std::int32_t> const numbers{4, 5};
  auto const published = producer.publish(ArrayView<std::int32_t const, 1>::c_order(numbers.data(), {2}));
  ipc::Consumer consumer;
  auto const attached = consumer.attach(ipc::parse_descriptor(published.json()));
  auto const broken = testing::store_conformance([] { return MemoryStore<HostBuffer>{}; });
  std::cout << "shared " << attached.view<std::int32_t const, 1>()(1) << ", rules broken " << broken.size() << '\n';
}
