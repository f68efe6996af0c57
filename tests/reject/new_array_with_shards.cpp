// expect: tessera: a new array has no .shards: .chunk_shape is the shape of its shards, and the codec has that of the chunks in them: Pipeline<space::Host, codec::Sharding<Inner>>{codec::Sharding<Inner>{{25, 25}}}
#include <tessera/tessera.hpp>
using namespace tessera;
void program(LocalStore<HostBuffer> store) {
#ifdef CURED
  using Inner = Pipeline<space::Host, codec::Bytes>;
  Pipeline<space::Host, codec::Sharding<Inner>> const sharded{codec::Sharding<Inner>{{25, 25}}};
  create_array<float, 2>(store, "a", {.shape = {200, 200}, .chunk_shape = {100, 100}}, sharded);
#else
  create_array<float, 2>(store, "a", {.shape = {200, 200}, .chunk_shape = {25, 25}, .shards = {100, 100}});
#endif
}
