// tessera's side of the exchange with other programs: exchange.hpp says how it is called.
#include <cstdio>
#include <exception>
#include <string>

#include <interop/exchange.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

void write_array(std::string const& to, std::string const& path, ArrayMetadata const& metadata,
                 ByteView<space::Host> elements) {
  create_any<AllCodecs>(exchange::Files{to}, path, metadata, {}, Queue<space::Host>{})
      .write(exchange::everything(metadata.shape), {elements.data, exchange::c_order(metadata)});
}

HostBuffer read_array(std::string const& from, std::string const& path) {
  auto const array = open_any<AllCodecs>(exchange::Files{from}, path, Queue<space::Host>{});
  auto const metadata = array.metadata();
  HostBuffer elements{exchange::size_of(metadata)};
  array.read(exchange::everything(metadata.shape), {elements.span().data, exchange::c_order(metadata)});
  return elements;
}

}  // namespace

int main(int argc, char** argv) try {
  return exchange::run({argv + 1, argv + argc}, write_array, read_array);
} catch (std::exception const& error) {
  return std::fprintf(stderr, "exchange: %s\n", error.what()), 2;
}
