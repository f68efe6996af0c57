// Common code of tessera's exchange programs: their arguments, and one line for each array that fails.
//
//   PROGRAM write DOCUMENTS VALUES TO    makes in TO every array whose document is in DOCUMENTS, with the elements in
//                                        VALUES/PATH: in C order, in the machine's byte order; of strings and bytes,
//                                        each after its length in 32 bits
//   PROGRAM read FROM VALUES             writes the elements of every array in FROM to VALUES/PATH
//
// One array that fails is one line, "PATH: why", and the next one follows.
#pragma once
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

namespace exchange {

using Files = tessera::LocalStore<tessera::HostBuffer>;

inline std::vector<std::string> arrays_in(Files const& store) {
  std::vector<std::string> paths;
  store.list("", [&](tessera::Listed const& entry) {
    for (std::string_view const document : {"/zarr.json", "/.zarray"})
      if (entry.path.ends_with(document)) {
        std::string path{entry.path.substr(0, entry.path.size() - document.size())};
        if (read_document(store, path, [](tessera::ObjectReader& r) { return r.at("node_type").string(); }) == "array")
          paths.push_back(std::move(path));
      }
  });
  return paths;
}

inline tessera::Region everything(tessera::Extents const& shape) { return tessera::Box{tessera::all}.resolve(shape); }
inline tessera::Strides c_order(tessera::ArrayMetadata const& array) {
  return tessera::Layout::c_order(array.shape, array.type.size).strides;
}
inline std::size_t size_of(tessera::ArrayMetadata const& array) {
  return element_count(array.shape, "shape") * array.type.size;
}

/// Calls write(FOLDER, PATH, metadata, elements), or read(FOLDER, PATH), which returns elements in host memory.
template <class Write, class Read>
int run(std::vector<std::string> const& arguments, Write&& write, Read&& read) {
  using namespace tessera;
  bool const writes = arguments.size() == 4 && arguments[0] == "write";
  if (!writes && !(arguments.size() == 3 && arguments[0] == "read"))
    return std::fprintf(stderr, "usage: write DOCUMENTS VALUES TO|read FROM VALUES\n"), 2;
  Files const from{arguments[1]}, values{arguments[2]};
  int failed = 0;
  for (auto const& path : arrays_in(from)) try {
      Queue<space::Host> on;
      if (writes) {
        auto const metadata = *read_document(from, path, read_array_metadata);
        auto const elements = get_value(values, Key{path}, on);
        if (!elements || (!metadata.type.varies() && elements->view().size != size_of(metadata)))
          throw Error{"its elements are missing, or more or fewer than its document says"};
        write(arguments[3], path, metadata, elements->view());
      } else {
        HostBuffer const elements = read(arguments[1], path);
        values.write(Key{path}, elements.view(), on);
      }
    } catch (std::exception const& error) {
      failed = 1;
      std::printf("%s: %s\n", path.c_str(), error.what());
    }
  return failed;
}

}  // namespace exchange
