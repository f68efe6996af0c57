// arrow_stream host|plain|device|crossed|lz4|zstd FIRST: reads a stream of Arrow's IPC format from its input, and
// writes it to its output again, each table from row FIRST on. On the device, bodies are copied to device memory, read
// and written there; "crossed": the reader copies them, and decompresses them before. "plain" has no compressions;
// "lz4" and "zstd" are as "host", and write compressed bodies.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/tessera.cuh>
#include <tessera/with/arrow/device.cuh>
#include <tessera/with/arrow/lz4.hpp>
#include <tessera/with/arrow/zstd.hpp>

using namespace tessera;
using space::Device, space::Host;

namespace {

void put(std::vector<std::byte> const& bytes) {
  std::cout.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
void put(arrow_c::Message<Host> const& message) {
  std::vector<std::byte> body(message.body_size);
  arrow_c::put_body(message, {body.data(), body.size()});
  put(message.header), put(body);
}

// Calls f(header, body) for each message of a stream. The body is aligned.
template <class F>
void each_message(std::vector<char> const& stream, F&& f) {
  for (std::size_t at = 0;;) {
    std::uint32_t size = 0;
    std::memcpy(&size, stream.data() + at + 4, 4);
    if (size == 0) return;
    ByteView<Host> const header{reinterpret_cast<std::byte const*>(stream.data()) + at, 8 + std::size_t{size}};
    auto const body = std::make_shared<std::vector<std::uint64_t>>(arrow_c::body_size(header) / 8);
    if (!body->empty()) std::memcpy(body->data(), header.data + header.size, 8 * body->size());
    f(header, body);
    at += header.size + 8 * body->size();
  }
}

template <MemorySpace S>
void cut(arrow_c::Column<S>& table, std::uint64_t first) {
  auto const count = std::min(first, table.length);
  table.offset += count, table.length -= count;
}

// `batches(table)`: its messages.
template <class... Compressions, class Batches>
void copy_on_host(std::vector<char> const& stream, std::uint64_t first, Batches const& batches) {
  arrow_c::MessageReader<Host, Compressions...> reader;
  bool is_first = true;
  each_message(stream, [&](ByteView<Host> header, auto const& body) {
    auto table = reader.read(header, {reinterpret_cast<std::byte const*>(body->data()), 8 * body->size()}, body);
    if (!table) return;
    if (std::exchange(is_first, false)) put(arrow_c::schema_message(*table));
    cut(*table, first);
    for (auto const& message : batches(*table)) put(message);
  });
}

void copy_on_device(std::vector<char> const& stream, std::uint64_t first, bool is_crossed) {
  Queue<Device> on{Queue<Host>{}};
  arrow_c::MessageReader<Device, arrow_c::Lz4Frame, arrow_c::Zstd> reader;
  bool is_first = true;
  each_message(stream, [&](ByteView<Host> header, auto const& body) {
    ByteView<Host> const here{reinterpret_cast<std::byte const*>(body->data()), 8 * body->size()};
    auto const read_there = [&] {
      auto const there = std::make_shared<DeviceBuffer>(here.size, on);
      crossing<Device, Host>::copy(here, there->span(), on);
      return reader.read<DeviceBuffer>(header, there->view(), there, on);
    };
    auto table = is_crossed ? reader.read<DeviceBuffer>(header, here, on) : read_there();
    on.wait();
    if (!table) return;
    if (std::exchange(is_first, false)) put(arrow_c::schema_message(*table).header);
    cut(*table, first);
    for (auto const& message : arrow_c::batch_messages(*table, on)) {
      DeviceBuffer written{static_cast<std::size_t>(message.body_size), on};
      arrow_c::put_body(message, written.span(), on);
      std::vector<std::byte> bytes(message.body_size);
      crossing<Host, Device>::copy(written.view(), {bytes.data(), bytes.size()}, on);
      on.wait();
      put(message.header), put(bytes);
    }
  });
}

}  // namespace

int main(int count, char** arguments) try {
  std::string_view const where = count > 1 ? arguments[1] : "host";
  auto const first = count > 2 ? std::stoull(arguments[2]) : 0;
  std::vector<char> const stream{std::istreambuf_iterator<char>{std::cin}, {}};
  auto const plain = [](arrow_c::Column<Host> const& table) { return arrow_c::batch_messages(table); };
  auto const by = [](auto compression) {
    return [=](arrow_c::Column<Host> const& table) { return arrow_c::batch_messages(table, compression); };
  };
  using arrow_c::Lz4Frame, arrow_c::Zstd;
  if (where == "host") copy_on_host<Lz4Frame, Zstd>(stream, first, plain);
  if (where == "lz4") copy_on_host<Lz4Frame, Zstd>(stream, first, by(Lz4Frame{}));
  if (where == "zstd") copy_on_host<Lz4Frame, Zstd>(stream, first, by(Zstd{}));
  if (where == "plain") copy_on_host<>(stream, first, plain);
  if (where == "device" || where == "crossed") copy_on_device(stream, first, where == "crossed");
  put(arrow_c::end_of_stream());
  return 0;
} catch (Error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
