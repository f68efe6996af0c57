// Makes an array in a group, writes a box of it, sets attributes, and reads it back.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <numeric>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

int main(int argc, char** argv) try {
  using namespace tessera;
  LocalStore<HostBuffer> const store{argc > 1 ? argv[1] : "written.zarr"};

  // The pipeline determines the array's codecs in the document, and runs them.
  Pipeline<space::Host, codec::Bytes, codec::Zstd> const pipeline{codec::Bytes{}, codec::Zstd{.level = 3}};
  NewArray<float> wanted{.shape = {64, 48, 32}, .chunks = {32, 32, 16}, .fill = -1};
  wanted.dimension_names = {"x", "y", "z"};
  wanted.overwrite = true;
  auto const density = create_array<float, 3>(store, "scan/density", wanted, pipeline);

  // Four chunks, each in part. Elements not written have the fill value; the other four chunks are not stored.
  Box const box{{0, 32}, all, {4, 20, 2}};
  std::vector<float> numbers(32 * 48 * 8);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  density.write(box, numbers);

  set_attributes(store, "scan/density", {{"unit", "g/cm3"}, {"voxel_size_mm", List{1, 1, 2}}});

  // A reader needs to know only the codecs that may occur.
  auto const again = open_array<float, 3, Codecs<codec::Bytes, codec::Zstd>>(store, "scan/density");
  auto const part = again.read(box);
  std::cout << to_string(part.shape()) << " of " << to_string(again.shape()) << ", last " << part(31, 47, 7)
            << ", beside it " << again.read({{31, 32}, {47, 48}, {19, 20}})(0, 0, 0) << '\n'
            << "attributes " << to_json(again.attributes()) << '\n';
  std::size_t files = 0;
  store.list("scan/density", [&](Listed const&) { ++files; });
  std::cout << files << " files\n";
  return std::equal(numbers.begin(), numbers.end(), part.elements().begin()) && files == 5 ? 0 : 1;
} catch (tessera::Error const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
