// An array written into a store element by element, and the elements of a region of it.
#pragma once
#include <algorithm>
#include <string>

#include <support/chain.hpp>
#include <support/store_conformance.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/transfer/detail/read.hpp>
#include <tessera/view/box.hpp>

namespace test {

/// Elements in C order and the machine's byte order; the parts of chunks outside the array are noise.
struct ArrayContent {
  tessera::DataType type;
  Extents shape, chunk_shape;
  Bytes elements;
  std::string fill = zero(type);
  std::string key_encoding = R"("default")";

  /// The zero of a document.
  static std::string zero(tessera::DataType type) {
    return tessera::to_json(tessera::write_fill_value(Bytes(type.size), type));
  }
  Document document(std::string const& codecs) const {
    Document result = array_document();
    result.set("data_type", '"' + type.name() + '"').set("shape", to_string(shape));
    result.set("chunk_grid", grid(to_string(chunk_shape))).set("chunk_key_encoding", key_encoding);
    return result.set("fill_value", fill).set("codecs", codecs);
  }
  /// The elements of one chunk.
  Bytes chunk(Extents const& place) const {
    Bytes result(size_of(chunk_shape) * type.size, std::byte{0xee});
    for_each_index(chunk_shape, [&](Extents const& index) {
      auto at = index;
      for (std::size_t d = 0; d < shape.rank(); ++d)
        if ((at[d] += place[d] * chunk_shape[d]) >= shape[d]) return;
      std::copy_n(elements.data() + c_index(shape, at) * type.size, type.size,
                  result.data() + c_index(chunk_shape, index) * type.size);
    });
    return result;
  }
  /// The number of chunks along each dimension.
  Extents grid_shape() const {
    auto result = shape;
    for (std::size_t d = 0; d < shape.rank(); ++d) result[d] = (shape[d] + chunk_shape[d] - 1) / chunk_shape[d];
    return result;
  }
  std::string chunk_key(std::string const& path, Extents const& place) const {
    auto key = path.empty() ? path : path + '/';
    array_metadata(document(R"(["bytes"])").text()).key_encoding.append(key, place);
    return key;
  }
};

template <class S, class... Codecs>
void write_array(S const& store, std::string const& path, ArrayContent const& array, Codecs const&... codecs) {
  put(store, tessera::document_key(path).path, array.document(json_list(codecs...)).text());
  for_each_index(array.grid_shape(), [&](Extents const& place) {
    auto const bytes = stored(array.chunk(place), array.chunk_shape, array.type, codecs...);
    put(store, array.chunk_key(path, place), text(view(bytes)));
  });
}

/// The elements of a region, in C order, picked one by one.
inline Bytes picked(Bytes const& elements, Extents const& shape, std::size_t item, tessera::Region const& region) {
  Bytes result;
  for_each_index(region.count, [&](Extents const& index) {
    auto at = index;
    for (std::size_t d = 0; d < shape.rank(); ++d) at[d] = region.first[d] + index[d] * region.step[d];
    auto const* element = elements.data() + c_index(shape, at) * item;
    result.insert(result.end(), element, element + item);
  });
  return result;
}

/// Copies `values` (C order) into the elements of the region.
inline void put_elements(ArrayContent& content, tessera::Region const& region, Bytes const& values) {
  auto const item = content.type.size;
  for_each_index(region.count, [&](Extents const& index) {
    auto at = index;
    for (std::size_t d = 0; d < at.rank(); ++d) at[d] = region.first[d] + index[d] * region.step[d];
    std::copy_n(values.data() + c_index(region.count, index) * item, item,
                content.elements.data() + c_index(content.shape, at) * item);
  });
}

inline std::vector<tessera::Slice> random_slices(Random& random, Extents const& shape) {
  std::vector<tessera::Slice> slices;
  for (auto n : shape) {
    auto const first = random(0, n), stop = random(first, n);
    slices.push_back({first, stop, random.one_in(2) ? 1 : random(1, std::max<std::uint64_t>(n / 2, 1))});
  }
  return slices;
}

/// Reads a region of an array of any type and rank into C order.
template <class Array>
Bytes read_bytes(Array const& array, tessera::Region const& region, tessera::ReadOptions options = {}) {
  Bytes result(size_of(region.count) * array.type().size, std::byte{0xdd});
  auto const layout = tessera::Layout::c_order(region.count, array.type().size);
  array.read(region, {result.data(), layout.strides}, options);
  return result;
}

}  // namespace test
