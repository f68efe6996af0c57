// The parts that zarr-python's codec pipeline needs: arrays from a given document, and chunks that are bytes in memory.
#include "array.hpp"
#include "opening.hpp"

#include <nanobind/ndarray.h>

namespace python {
namespace {

using Values = tessera::MemoryStore<tessera::HostBuffer>;
using Bytes = nb::ndarray<std::uint8_t const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// From a document that is in no store. Throws: MetadataError.
tessera::ArrayMetadata read_metadata(std::string const& document) {
  Values const store;
  tessera::Queue<Host> on;
  bool const is_v2 =
      tessera::ObjectReader{tessera::parse_json(document), ""}.at("zarr_format").value() == tessera::Value::integer(2);
  tessera::Key const key{is_v2 ? ".zarray" : "zarr.json"};
  store.write(key, {reinterpret_cast<std::byte const*>(document.data()), document.size()}, on);
  return tessera::detail::read_array(store, "")->metadata;
}

/// The encoded chunks of one call, by their keys, and their array.
class ChunksInMemory {
 public:
  explicit ChunksInMemory(std::string const& document)
      : array{array_of(Store{values_}, "", read_metadata(document))} {}

  void put(std::string const& key, Bytes const& value) {
    tessera::Queue<Host> on;
    values_.write(tessera::Key{key}, {reinterpret_cast<std::byte const*>(value.data()), value.size()}, on);
  }
  std::optional<nb::bytes> get(std::string const& key) const {
    tessera::Queue<Host> on;
    auto const found = values_.lend(tessera::Key{key}, {}, on);
    if (!found) return std::nullopt;
    return nb::bytes{reinterpret_cast<char const*>(found->bytes.data), found->bytes.size};
  }

 private:
  Values values_;

 public:
  Array array;
};

}  // namespace

void add_chunks(nb::module_& module) {
  module.def(
      "array_of",
      [](Store const& store, std::string const& path, std::string const& document) {
        return array_of(store, path, read_metadata(document));
      },
      nb::arg("store"), nb::arg("path"), nb::arg("document"),
      "The array at that path, as `document` says it is: a zarr.json or a .zarray. Nothing is read.");
  nb::class_<ChunksInMemory>(module, "ChunksInMemory", "Encoded chunks of the root array that `document` describes.")
      .def(nb::init<std::string>(), nb::arg("document"))
      .def_prop_ro("dtype", [](ChunksInMemory const& chunks) { return chunks.array.type().name(); })
      .def_prop_ro("numpy_type", [](ChunksInMemory const& chunks) { return numpy_type(chunks.array); })
      .def("put", &ChunksInMemory::put, nb::arg("key"), nb::arg("value"))
      .def("get", &ChunksInMemory::get, nb::arg("key"))
      .def(
          "read_out",
          [](ChunksInMemory const& chunks, Selection const& selection, nb::handle out) {
            read_out(chunks.array, selection, out, nb::none());
          },
          nb::arg("selection"), nb::arg("out"))
      .def(
          "write",
          [](ChunksInMemory const& chunks, Selection const& selection, nb::handle value, bool keep_fill_chunks) {
            write(chunks.array, selection, value, nb::none(), keep_fill_chunks);
          },
          nb::arg("selection"), nb::arg("value"), nb::arg("keep_fill_chunks"));
}

}  // namespace python
