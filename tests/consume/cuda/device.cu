// The part that nvcc compiles.
#include "parts.hpp"

#include <numeric>

namespace {

struct Increment {
  std::byte* data;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const {
    data[i] = static_cast<std::byte>(static_cast<unsigned char>(data[i]) + 1);
  }
};

}  // namespace

std::size_t increment(Files const& from, Memory const& memory, Split const& split, tessera::Key const& key,
                      tessera::Queue<tessera::space::Device>& on) {
  auto value = tessera::get_value(from, key, on);
  if (!value) return 0;
  tessera::launch(on, value->view().size, Increment{value->span().data});
  memory.write(key, value->view(), on);
  split.write(key, value->view(), on);
  return value->view().size;
}

double total(HostArray const& array) {
  using Typed = tessera::Array<float, 2, tessera::LocalStore<tessera::HostBuffer>, HostArray::pipeline_type>;
  auto const elements = Typed{array}.read(tessera::all);
  return std::accumulate(elements.elements().begin(), elements.elements().end(), 0.0);
}
