// tessera's side of the exchange with other programs: exchange.hpp describes the call.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <interop/exchange.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

using Codecs = WithStrings<AllCodecs>;

template <class T>
std::vector<T> lengths_and_bytes(ByteView<space::Host> from) {
  std::vector<T> elements;
  auto const* first = reinterpret_cast<typename T::value_type const*>(from.data);
  auto const* const end = first + from.size;
  while (first != end) {
    std::uint32_t length = 0;
    std::memcpy(&length, first, sizeof length);
    first += sizeof length;
    elements.push_back(T(first, first + length));
    first += length;
  }
  return elements;
}
template <class Array>
HostBuffer lengths_and_bytes(Array const& array) {
  std::string bytes;
  for (auto const& element : array.read(all)) {
    auto const length = static_cast<std::uint32_t>(element.size());
    bytes.append(reinterpret_cast<char const*>(&length), sizeof length);
    bytes.append(reinterpret_cast<char const*>(element.data()), element.size());
  }
  HostBuffer result{bytes.size()};
  std::memcpy(result.span().data, bytes.data(), bytes.size());
  return result;
}

void write_array(std::string const& to, std::string const& path, ArrayMetadata const& metadata,
                 ByteView<space::Host> elements) {
  auto const array = create_any<Codecs>(exchange::Files{to}, path, metadata, {}, Queue<space::Host>{});
  if (metadata.type.varies())
    return visit<StringTypes>(array, [&]<class T, class S, class P>(ArrayOf<T, S, P> const& typed) {
      typed.write(all, lengths_and_bytes<T>(elements));
    });
  array.write(exchange::everything(metadata.shape), {elements.data, exchange::c_order(metadata)});
}

HostBuffer read_array(std::string const& from, std::string const& path) {
  auto const array = open_any<Codecs>(exchange::Files{from}, path, Queue<space::Host>{});
  auto const metadata = array.metadata();
  if (metadata.type.varies())
    return visit<StringTypes>(array, [](auto const& typed) { return lengths_and_bytes(typed); });
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
