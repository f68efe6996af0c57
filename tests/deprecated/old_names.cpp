// Every name and call of 0.1 that has a newer one, once.
#include <cstdint>
#include <vector>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>
#include <tessera/view/where.hpp>

using namespace tessera;

int main() {
  MemoryStore<HostBuffer> const store;
  Queue<space::Host> queue;
  auto const array = create_array<float, 1>(store, "a", {.shape = {8}, .chunks = {4}});
  std::vector<float> memory(8, 1.0F);
  array.write(all, memory, queue);
  array.read(all, memory, queue);
  (void)array.read(all, queue);
  (void)array.read<HostBuffer>(all, queue, ReadOptions{});
  array.fill({{0, 2}}, 3, queue);
  array.append(memory, 0, queue);
  array.resize({8}, queue);
  array.compact(queue);
  array.compact(all, queue);

  auto const untyped = array.untyped();
  ResolvedSelection const selected = Box{all}.resolve({8});
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  untyped.read(selected, {bytes, {4}}, queue);
  untyped.write(selected, {bytes, {4}}, queue);
  untyped.append(0, {8}, {bytes, {4}}, queue);
  untyped.resize({8}, queue);
  untyped.compact(queue);
  untyped.compact(selected, queue);
  untyped.read_listed({}, {bytes, {4}}, queue);
  untyped.write_listed({}, {bytes, {4}}, queue);

  ChunkCache const cache{array, {.host = 1 << 20}};
  (void)cache.hold(all, queue);
  (void)cache.hold<space::Host>({{0, 2}}, queue);
  (void)cache.hold_for_writing(all, queue);
  cache.read(all, memory, queue);
  cache.write(all, memory, queue);

  check(Key{"a"});
  (void)get(store, {"a/zarr.json"}, queue);
  (void)size(store, {"a/zarr.json"}, queue);
  (void)where(memory, [](float x) { return x > 0; });
  (void)text({"a", 1});
  (void)cast<HostBuffer>(HostBuffer{4}, queue);
  return memory[7] == 1.0F ? 0 : 1;
}
