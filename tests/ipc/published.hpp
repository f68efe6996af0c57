// published: numbers in the shared memory of a producer, for columns.
#pragma once
#include <vector>

#include <tessera/ipc/producer.hpp>

namespace test {

template <class T>
tessera::ipc::Published published(tessera::ipc::Producer& producer, std::vector<T> const& elements) {
  return producer.publish(tessera::ArrayView<T const, 1>::c_order(elements.data(), {elements.size()}));
}

}  // namespace test
