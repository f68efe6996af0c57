// What a program of seventy lines uses: four types, both formats, shards, attributes, groups, boxes and appends.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

using Chunks = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Known = Codecs<codec::Transpose, codec::Bytes, codec::Zstd, codec::Crc32c>;
using Files = LocalStore<HostBuffer>;

template <class T>
void make_plain(Files const& store, std::string const& path, ZarrFormat format) {
  auto const array = create_array<T, 2>(
      store, path,
      {.shape = {64, 48}, .chunks = {16, 16}, .fill = T{7}, .attributes = {{"unit", "mm"}}, .format = format},
      Chunks{});
  std::vector<T> rows(16 * 48);
  std::iota(rows.begin(), rows.end(), T{});
  array.write({{16, 32}, all}, rows);
}

template <class T>
void make_sharded(Files const& store, std::string const& path) {
  auto const array = create_array<T, 3>(
      store, path,
      {.shape = {32, 32, 32}, .shards = {32, 32, 32}, .chunks = {8, 8, 8}, .dimension_names = {"z", "y", "x"}},
      Chunks{});
  array.write(all, std::vector<T>(32 * 32 * 32, T{3}));
}

template <class T, std::size_t Rank>
double mean_of(Files const& store, std::string const& path) {
  auto const array = open_array<T, Rank, Known>(store, path);
  auto const elements = array.read(all);
  double sum = 0;
  for (auto const element : elements) sum += static_cast<double>(element);
  return sum / static_cast<double>(elements.size());
}

int main(int, char** arguments) try {
  Files const store{arguments[1]};
  create_group(store, "run", {{"instrument", "seven"}, {"voxel", {0.5, 0.5, 1.0}}});
  make_plain<std::uint8_t>(store, "run/mask", ZarrFormat::v3);
  make_plain<std::int16_t>(store, "run/ct", ZarrFormat::v3);
  make_plain<float>(store, "old", ZarrFormat::v2);
  make_sharded<double>(store, "run/dose");

  auto const group = open_group(store, "run");
  for (auto const& node : group.children()) std::cout << node.name << ' ' << (node.type == NodeType::array) << '\n';
  std::cout << group.attributes().get<std::string>("instrument") << '\n';
  auto const ct = open_array<std::int16_t, 2, Known>(store, "run/ct");
  ct.append(std::vector<std::int16_t>(48, 1));
  set_attributes(store, "run/ct", {{"unit", "HU"}});
  std::cout << ct.shape()[0] << ' ' << ct.read({0, all})(0, 5) << '\n';
  std::cout << mean_of<std::uint8_t, 2>(store, "run/mask") << ' ' << mean_of<std::int16_t, 2>(store, "run/ct") << ' '
            << mean_of<float, 2>(store, "old") << ' ' << mean_of<double, 3>(store, "run/dose") << '\n';
} catch (Error const& error) {
  std::cerr << error.what() << '\n';
  return EXIT_FAILURE;
}
