// Metadata documents from one store, chunk values from another: here a document that was corrected in memory, over
// chunks that stay on disk.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

int main(int argc, char** argv) try {
  using namespace tessera;
  LocalStore<HostBuffer> const disk{argc > 1 ? argv[1] : "examples/data/brain.zarr"};
  MemoryStore<HostBuffer> const memory;
  Queue<space::Host> here;

  // What is missing on disk is the fill value: let that be 255 instead of 0.
  Key const document{"t1/zarr.json"};
  auto const found = get(disk, document, here);
  if (!found) throw StoreError{"there is no such document"}.in_key(document.path).in_store(disk.name());
  std::string text{reinterpret_cast<char const*>(found->view().data), found->view().size};
  std::string const old = "\"fill_value\": 0";
  text.replace(text.find(old), old.size(), "\"fill_value\": 255");
  memory.write(document, {reinterpret_cast<std::byte const*>(text.data()), text.size()}, here);

  using Known = Codecs<codec::Bytes, codec::Zstd>;
  auto const as_stored = open_array<std::uint8_t, 3, Known>(disk, "t1");
  auto const corrected = open_array<std::uint8_t, 3, Known>(SplitStore{memory, disk}, "t1");
  Box const corner{{196, 197}, {232, 233}, {188, 189}}, middle{{98, 99}, {116, 117}, {94, 95}};
  std::cout << "corner " << int{as_stored.read(corner)(0, 0, 0)} << " and " << int{corrected.read(corner)(0, 0, 0)}
            << ", middle " << int{as_stored.read(middle)(0, 0, 0)} << " and " << int{corrected.read(middle)(0, 0, 0)}
            << '\n';
} catch (std::exception const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
