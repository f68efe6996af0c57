// Arrays opened and made. Whatever makes a pipeline compiles every codec, so only this unit does.
#include "opening.hpp"

#include <utility>

namespace python {

Array open_array(Store const& store, std::string const& path) {
  return tessera::open_any<AllCodecs>(store, path, queue());
}

Array open_array(tessera::Group<Store> const& group, std::string const& name) {
  return tessera::open_any<AllCodecs>(group, name, queue());
}

Array create_array(Store const& store, std::string const& path, std::string const& json, bool overwrite) {
  auto const document = tessera::parse_json(json);
  auto metadata = tessera::detail::in_document(store, path, [&] {
    tessera::ObjectReader reader{document, ""};
    (void)reader.at("zarr_format");
    (void)reader.at("node_type");
    return tessera::read_array_metadata(reader);
  });
  return tessera::create_any<AllCodecs>(store, path, std::move(metadata), {overwrite}, queue());
}

Array array_of(Store const& store, std::string const& path, tessera::ArrayMetadata metadata) {
  return {store, path, std::move(metadata), queue()};
}

std::string codec_names() { return tessera::AnyPipeline<Host, Host, AllCodecs>::codec_names(); }

}  // namespace python
