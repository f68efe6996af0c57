// A chunk of any bytes after transpose and bytes, with a shape, order and type that the first ones choose.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 8) return 0;
  ArrayMetadata array;
  array.type = data_types[data[0] % std::size(data_types)];
  array.fill.resize(array.type.size);
  List order;
  for (std::size_t d = 0; d < data[1] % 4u; ++d) {
    array.shape.push_back(data[2 + d] % 16u);
    array.chunk_shape.push_back(1 + data[2 + d] / 16u);
    order.push_back(Value::integer(data[5] >> (2 * d) & 3));
  }
  if (data[6] % 2) array.codecs.push_back({"transpose", Members{{"order", std::move(order)}}});
  array.codecs.push_back({"bytes", Members{{"endian", data[6] & 2 ? "little" : "big"}}});
  static Queue<space::Host> on;
  MemoryStore<HostBuffer> const store;
  try {
    AnyArray<MemoryStore<HostBuffer>, AnyPipeline<space::Host>> const opened{store, "", array, on};
    std::string key;
    array.key_encoding.append(key, Extents::filled(array.shape.rank(), 0));
    store.write({key}, {reinterpret_cast<std::byte const*>(data + 7), size - 7}, on);
    std::vector<std::byte> elements(element_count(array.shape, "shape") * array.type.size);
    opened.read(Region{Extents::filled(array.shape.rank(), 0), array.shape, Extents::filled(array.shape.rank(), 1)},
                {elements.data(), Layout::c_order(array.shape, array.type.size).strides});
  } catch (Error const&) {
  }
  return 0;
}
