// Reads one value and decodes it: a store and a pipeline without documents and arrays.
#include <array>
#include <cstdlib>
#include <span>

#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

int main(int, char** arguments) {
  LocalStore<HostBuffer> const store{arguments[1]};
  Pipeline<space::Host, codec::Bytes, codec::Zstd> const pipeline;
  auto const form = pipeline.resolve({{64, 64, 64}, data_type_of<float>()});
  Queue<space::Host> on;
  auto const value = get_value(store, {"c/0/0/0"}, on);
  HostBuffer chunk{form.decoded_size};
  DecodeTask<space::Host, space::Host> task{value->view(), chunk.span(), {}};
  pipeline.decode(form, std::span{&task, 1}, on);
  return task.decoded.size == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
