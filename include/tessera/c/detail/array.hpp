// tessera_array: an open array of a folder, with the texts that describe it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/tessera.h>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/c/detail/guarded.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/with/all.hpp>

namespace tessera {
inline namespace v0 {
namespace c {
namespace detail {

using Store = LocalStore<HostBuffer>;
using Array = decltype(open_any<AllCodecs>(std::declval<Store const&>()));

}  // namespace detail
}  // namespace c
}  // namespace v0
}  // namespace tessera

struct tessera_array {
  explicit tessera_array(tessera::c::detail::Array opened) : array{std::move(opened)} {
    try {
      attributes = to_json(tessera::Value{array.attributes()});
    } catch (tessera::MetadataError const& error) {
      broken_attributes = error;
    }
  }

  tessera::c::detail::Array array;
  tessera::Extents shape = array.shape(), chunk_shape = array.chunk_shape();
  std::string data_type = array.type().name();
  std::string attributes{};
  std::optional<tessera::MetadataError> broken_attributes{};
};

namespace tessera {
inline namespace v0 {
namespace c {
namespace detail {

/// Throws: MetadataError naming store and document, for strings and bytes.
inline void expect_fixed_size(Store const& store, Key const& document, DataType type) {
  tessera::detail::in_document(store, document, [&] {
    if (type.varies())
      throw MetadataError{to_text({"elements of ", type.name(), " differ in size, which C cannot read or write"})};
  });
}

inline Array open(Store const& store, std::string const& path) {
  auto opened = tessera::detail::read_array(store, path);
  expect_fixed_size(store, opened->document, opened->metadata.type);
  return {store, std::move(opened), tessera::detail::queue_given<Array::pipeline_type>()};
}

inline Array create(Store const& store, std::string const& path, std::string_view text, bool overwrite) {
  auto metadata = tessera::detail::in_document(store, path, [&] {
    auto const document = parse_json(text);
    ObjectReader reader{document, ""};
    if (auto const format = reader.at("zarr_format"); format.value() != Value::integer(3)) format.refuse("3");
    reader.at("node_type").one_of({"array"});
    return read_array_metadata(reader);
  });
  expect_fixed_size(store, document_key(path), metadata.type);
  return create_any<AllCodecs>(store, path, std::move(metadata), {overwrite});
}

/// The box of a call's arguments, and the strides of its memory in bytes.
struct BoxInMemory {
  Region region;
  Strides strides;
};
/// Throws: SelectionError, MetadataError naming store and document.
inline BoxInMemory box_in_memory(tessera_array const& of, std::uint64_t const* start, std::uint64_t const* count,
                                 std::uint64_t const* step, std::size_t size) {
  return tessera::detail::in_document(of.array.store(), of.array.document(), [&]() -> BoxInMemory {
    std::vector<Slice> slices;
    for (std::size_t d = 0; d < of.shape.rank(); ++d) {
      auto const first = start ? start[d] : 0, by = step ? step[d] : 1, length = of.shape[d];
      auto const rest = first < length && by != 0 ? (length - first - 1) / by + 1 : 0;  // elements that there are
      auto const wanted = count ? count[d] : rest;
      if (by == 0 || first > length || wanted > rest)
        throw SelectionError{to_text({"dimension ", d, ": found start ", first, ", count ", wanted, ", step ", by,
                                      ", which do not lie in a length of ", length})};
      slices.emplace_back(first, wanted == 0 ? first : first + (wanted - 1) * by + 1, by);
    }
    auto const region = Box{std::move(slices)}.resolve(of.shape);
    std::uint64_t needed = 0;
    try {
      needed = checked_product(element_count(region.count, "the box"), of.array.type().size, "the box");
    } catch (MetadataError const&) {
      throw SelectionError{to_text({"the memory has ", size, " bytes, but the box has 2^64 or more"})};
    }
    if (size < needed) throw SelectionError{to_text({"the memory has ", size, " bytes, expected at least ", needed})};
    return {region, Layout::c_order(region.count, of.array.type().size).strides};
  });
}

}  // namespace detail
}  // namespace c
}  // namespace v0
}  // namespace tessera
