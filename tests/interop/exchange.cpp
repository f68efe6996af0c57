// tessera's side of the exchange with other programs.
//
//   exchange write DOCUMENTS VALUES TO    makes in TO every array whose document is in DOCUMENTS, of the elements in
//                                         VALUES/PATH: in C order, in the machine's byte order
//   exchange read FROM VALUES             writes the elements of every array in FROM to VALUES/PATH
//
// One array that fails is one line, "PATH: why", and the next one follows.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

using Store = LocalStore<HostBuffer>;

std::vector<std::string> arrays_in(Store const& store) {
  std::vector<std::string> paths;
  store.list("", [&](Listed const& entry) {
    constexpr std::string_view document = "/zarr.json";
    if (!entry.path.ends_with(document)) return;
    std::string path{entry.path.substr(0, entry.path.size() - document.size())};
    if (read_document(store, path, [](ObjectReader& r) { return r.at("node_type").string(); }) == "array")
      paths.push_back(std::move(path));
  });
  return paths;
}

Region everything(Extents const& shape) { return Box{all}.resolve(shape); }
Strides c_order(ArrayMetadata const& array) { return Layout::c_order(array.shape, array.type.size).strides; }

void write(Store const& documents, Store const& values, Store const& to, std::string const& path) {
  Queue<space::Host> on;
  auto const metadata = *read_document(documents, path, read_array_metadata);
  auto const elements = get(values, Key{path}, on);
  if (!elements || elements->view().size != element_count(metadata.shape, "shape") * metadata.type.size)
    throw Error{"its elements are missing, or more or fewer than its document says"};
  create_any<AllCodecs>(to, path, metadata, {}, on)
      .write(everything(metadata.shape), {elements->view().data, c_order(metadata)});
}

void read(Store const& from, Store const& values, std::string const& path) {
  Queue<space::Host> on;
  auto const array = open_any<AllCodecs>(from, path, on);
  auto const& metadata = array.metadata();
  HostBuffer elements{element_count(metadata.shape, "shape") * metadata.type.size};
  array.read(everything(metadata.shape), {elements.span().data, c_order(metadata)});
  values.write(Key{path}, elements.view(), on);
}

int run(std::vector<std::string> const& arguments) {
  bool const writes = arguments.size() == 4 && arguments[0] == "write";
  if (!writes && !(arguments.size() == 3 && arguments[0] == "read"))
    return std::fprintf(stderr, "usage: exchange write DOCUMENTS VALUES TO|read FROM VALUES\n"), 2;
  Store const from{arguments[1]}, values{arguments[2]};
  int failed = 0;
  for (auto const& path : arrays_in(from)) try {
      if (writes)
        write(from, values, Store{arguments[3]}, path);
      else
        read(from, values, path);
    } catch (std::exception const& error) {
      failed = 1;
      std::printf("%s: %s\n", path.c_str(), error.what());
    }
  return failed;
}

}  // namespace

int main(int argc, char** argv) try {
  return run({argv + 1, argv + argc});
} catch (std::exception const& error) {
  return std::fprintf(stderr, "exchange: %s\n", error.what()), 2;
}
