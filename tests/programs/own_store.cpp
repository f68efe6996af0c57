#include <cstring>
#include <iostream>
#include <map>
#include <tessera/tessera.hpp>
using namespace tessera;
struct Values {
  using buffer_type = HostBuffer;
  std::optional<std::size_t> read(Key const& key, ByteRange part, Destination<space::Host> to,
                                  Queue<space::Host>&) const {
    auto const found = values.find(key.path);
    if (found == values.end()) return std::nullopt;
    auto const [offset, size] = part.resolve(found->second.size());
    std::memcpy(to(size).data, found->second.data() + offset, size);
    return size;
  }
  std::map<std::string, std::string> values;
};
int main() {
  Values const store{{{"zarr.json", R"({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}}, "chunk_key_encoding": "default",
    "fill_value": 0, "codecs": ["bytes"]})"}, {"c/0", "tess"}}};
  std::cout << char(open_array<std::uint8_t, 1>(store).read(all)(0)) << '\n';
}
