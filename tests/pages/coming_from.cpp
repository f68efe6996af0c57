// The code of the tables of docs/coming-from.md, in their order. It is compiled and not run: tests/pages/tables.py
// looks for each piece of the page here.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <tessera/all.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/cache/chunk_cache.hpp>
#include <tessera/node/nodes.hpp>
#include <tessera/store/cached_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/tessera.cuh>
#include <tessera/view/sum.hpp>
#include <tessera/with/curl.hpp>
#include <tessera/with/nlohmann_json.hpp>
#include <tessera/with/zip.hpp>

namespace coming_from {

using namespace tessera;
using Store = LocalStore<HostBuffer>;
using Numbers = std::vector<float>;
using Indices = std::vector<std::uint64_t>;

void selections(Store const& store, Numbers const& x, Indices const& i, Indices const& j, Indices const& k,
                ArrayView<bool const, 3> mask) {
  auto a = open_array<float, 3>(store, "a");
  a.read({{0, 64}, all, {10, 11}});
  a.read(Orthogonal{std::vector{7, 2}, all, 10});
  a.read(Points{i, j, k});
  a.read(Mask{mask});
  a.read(Blocks{{0, 2}, 1, all});
  a.write({{0, 64}, all, all}, x);
}

void stores_of_zarr_python() {
  { LocalStore<HostBuffer> store{"data.zarr"}; }
  { MemoryStore<HostBuffer> store; }
  { HttpStore store{"https://host/data.zarr"}; }
  { ZipStore store{"data.zarr.zip"}; }
  ReadOnlyStore{LocalStore<HostBuffer>{"data.zarr"}};
}

void nodes_of_zarr_python(Store const& store, Numbers const& x, Numbers const& rows, std::uint64_t z) {
  auto a = open<float, 3>(store, "a");
  {
    auto const f = [](auto const& array) { std::cout << array.shape(); };
    visit(open(store, "a"), f);
  }
  create<float, 2>(store, "a", {.shape = {100, 200}, .chunks = {10, 20}});
  create_array<float, 2>(store, "a", {.shape = {100, 200}, .chunks = {10, 20}},
                         Pipeline<space::Host, codec::Bytes, codec::Zstd>{{}, {.level = 5}});
  create_array<float, 2>(store, "a",
                         {.shape = {100, 200},
                          .shards = {100, 100}, .chunks = {10, 10},
                          .fill = -1,
                          .attributes = {{"k", 1}},
                          .dimension_names = {"y", "x"},
                          .overwrite = true});
  a.read({{0, 64}, all, {10, 20, 2}});
  auto const whole = a.read(all);
  a.read({5, all, all});
  a.write({{0, 64}, all, all}, x);
  a.fill(all, 0);
  std::cout << a.shape() << a.chunk_shape() << a.type() << a.attributes().size();
  read_as<float>(a, all, {.scale = 0.5, .offset = 3});
  auto const part = whole.sub({{z, z + 64}, all, 3});
  std::cout << minmax(a.read(all)).least << mean(a.read(all)) << sum(part);
  {
    auto const f = [](std::size_t i) { return i; };
    Queue<space::Host>{8}.map(64, f);
  }
  Queue<space::Host>{8}.for_each(64, [](std::size_t) {});
  a.resize({200, 300, 3});
  a.append(rows);
}

void groups_of_zarr_python(Store const& store) {
  open_group("data.zarr");
  create_group(store, "g", {{"k", 1}});
  create_group("data.zarr", "", {}, {.overwrite = true});
  auto g = open_group(store, "g");
  open<float, 3>(g, "a");
  open(g, "a");
  open_array<float, 3>(g, "a");
  open_any<AllCodecs>(g, "a");
  open_group(g, "a");
  create<float, 3>(g, "a", {.shape = {4, 4, 4}, .chunks = {2, 2, 2}});
  create_array<float, 3>(g, "a", {.shape = {4, 4, 4}, .chunks = {2, 2, 2}});
  create_group(g, "b");
  for (auto const& [name, array] : arrays(g)) std::cout << name << array.shape();
  using codec::Bytes, codec::Zstd;
  for (auto const& member : g.arrays<Codecs<Bytes, Zstd>>()) std::cout << member.name;
  for (auto const& member : g.groups()) std::cout << member.name;
  for (auto const& child : g.children()) std::cout << child.name;
  auto const visit = [](auto const& node) { std::cout << node.path; };
  g.walk(visit);
  if (!exists(g, "a")) open_or_create<float, 3>(g, "a", {.shape = {4, 4, 4}, .chunks = {2, 2, 2}});
  open_or_create_array<float, 3>(g, "a", {.shape = {4, 4, 4}, .chunks = {2, 2, 2}});
  open_or_create_group(g, "b");
  try {
    open_group(g, "c");
  } catch (NodeNotFound const&) {
  }
  erase_node(g.store(), g / "a");
  g.merge_attributes({{"k", 2}});
  g.set_attributes({{"k", 2}});
}

void spaces_of_zarr_python(std::string const& path, Queue<space::Device> on) {
  LocalStore<DeviceBuffer> files{path};
  MemoryStore<DeviceBuffer> memory;
  SplitStore{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}};
  {
    HostBuffer x{64};
    auto const there = copy_to<DeviceBuffer>(std::move(x), on);
  }
  {
    DeviceBuffer x{64, on};
    auto const back = copy_to<HostBuffer>(std::move(x), on);
  }
  [[maybe_unused]] auto const options = WriteOptions{.store_fill_chunks = true};
}

void of_tensorstore(Store const& store, ArrayView<float, 3> memory, Numbers const& x, std::uint64_t bytes,
                    Queue<space::Device> on) {
  open_array<float, 3>(LocalStore<HostBuffer>{"data.zarr"}, "a");
  open_array<float, 3>(HttpStore{"https://host/data.zarr"}, "a");
  auto a = open_array<float, 3, AllCodecs>(store, "a");
  auto const array = open_any<AllCodecs>(store, "a");
  auto const f = [](auto const& one) { std::cout << one.shape(); };
  visit(array, f);
  using Stored = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  Stored const pipeline;
  create_array<float, 3>(store, "a", {.shape = {4, 4, 4}, .chunks = {2, 2, 2}}, pipeline);
  a.read({{0, 64}, all, all});
  Box const box{{0, 4}, {0, 4}, {0, 4}};
  a.read(box, memory);
  a.write(all, x);
  try {
    Pending reading = open_array<float, 3, AnyPipeline<space::Device, space::Host, AllCodecs>>(store, "a", on)
                          .read(all, ArrayView<float, 3, space::Device>{});
    reading.wait();
  } catch (tessera::Error const&) {
  }
  open_array<float, 3>(store, "a", Queue<space::Host>{2});
  ChunkCache cache{a, {.host = bytes}};
  CachedStore{store, bytes};
  a.keep_shard_indexes(bytes);
}

void of_z5(float* data, std::uint64_t z, std::uint64_t y, std::uint64_t x, std::uint64_t depth, std::uint64_t height,
           std::uint64_t width, std::uint64_t nz, std::uint64_t ny, std::uint64_t nx, std::int64_t sz, std::int64_t sy,
           std::int64_t sx) {
  LocalStore<HostBuffer> store{"data.zr"};
  auto a = open_array<float, 3, AllCodecs>(store, "a");
  Pipeline<space::Host, codec::Bytes> const pipeline;
  create_array<float, 3>(store, "a", {.shape = {nz, ny, nx}, .chunks = {8, 8, 8}}, pipeline);
  auto const view = ArrayView<float, 3>{data, {nz, ny, nx}, {sz, sy, sx}};
  a.read({{z, z + depth}, {y, y + height}, {x, x + width}}, view);
  a.write({{z, z + depth}, {y, y + height}, {x, x + width}}, view);
  nlohmann::ordered_json json = a.attributes();
  open_group(store, "g").attributes();
  merge_attributes(store, "a", json);
  open_array<float, 3, AllCodecs>(store, "a", Queue<space::Host>{4});
}

}  // namespace coming_from
