// Common code of tests of nvCOMP's decoders: batches of chunks in device memory, and arrays that the host wrote.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <device/codec_batches.hpp>
#include <support/document.hpp>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue;

template <class C>
std::string encoded_by(C const& codec, std::string const& plain) {
  HostQueue on{1};
  std::string result(codec.encoded_bound(plain.size()), '?');
  result.resize(
      codec.encode(test::host_bytes(plain), {reinterpret_cast<std::byte*>(result.data()), result.size()}, on));
  return result;
}

// The chunks of a batch in one allocation, consecutive after an odd byte, and memory of the given size for the results.
class Batch {
 public:
  Batch(std::vector<std::string> const& chunks, std::vector<std::size_t> const& rooms, DeviceQueue& on) : on_{on} {
    std::string all;
    std::size_t room = 3;
    for (auto const& chunk : chunks) all += "#" + chunk;
    for (auto const size : rooms) room += size + 3;
    from_ = test::made<DeviceBuffer>(all, on);
    to_ = test::made<DeviceBuffer>(std::string(room, '?'), on);
    std::size_t first = 0;
    room = 3;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      ByteView<space::Device> const from = from_.view();
      tasks.push_back({from.sub(first + 1, chunks[i].size()), to_.span().sub(room, rooms[i])});
      first += chunks[i].size() + 1;
      room += rooms[i] + 3;
    }
  }

  /// The result of each chunk; checks that no other byte was changed.
  template <class C>
  std::vector<std::string> decoded() {
    decode_batch(C{}, {}, std::span{tasks}, on_);
    auto const all = test::text(to_.view(), on_);
    std::vector<std::string> found;
    std::size_t at = 0;
    for (auto const& task : tasks) {
      auto const first = static_cast<std::size_t>(task.to.data - to_.view().data);
      bool const is_untouched = all.substr(at, first - at) == std::string(first - at, '?');
      CHECK(is_untouched);
      found.push_back(all.substr(first, task.size));
      at = first + task.size;
    }
    CHECK(all.substr(at) == std::string(all.size() - at, '?'));
    return found;
  }

  std::vector<CodecTask<space::Device>> tasks;

 private:
  DeviceQueue& on_;
  DeviceBuffer from_, to_;
};

inline std::vector<std::size_t> sizes_of(std::vector<std::string> const& chunks) {
  std::vector<std::size_t> sizes;
  for (auto const& chunk : chunks) sizes.push_back(chunk.size());
  return sizes;
}

template <class C, class Encode>
void check_decoded(std::vector<std::string> const& plain, Encode&& encode) {
  DeviceQueue on{HostQueue{1}};
  std::vector<std::string> stored;
  for (auto const& chunk : plain) stored.push_back(encode(chunk));
  auto const found = Batch{stored, sizes_of(plain), on}.decoded<C>();
  REQUIRE(found.size() == plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CAPTURE(i);
    CAPTURE(plain[i].size());
    bool const is_same = found[i] == plain[i];  // too long to print
    CHECK(is_same);
  }
}

inline std::vector<std::string> const texts = [] {
  std::vector<std::string> result;
  for (std::size_t const size : {1u, 2u, 3u, 17u, 256u, 700u, 4097u, 70000u})
    result.push_back(test::long_text(size, static_cast<std::uint32_t>(size)));
  result.push_back(std::string(300000, 'z'));
  result.push_back(test::long_text(300001));
  return result;
}();

// The exception for a batch of good chunks with this one at place 3.
template <class C>
void check_named(std::string const& damaged, std::size_t room, std::string const& good, std::string const& expected) {
  CAPTURE(expected);
  DeviceQueue on{HostQueue{1}};
  std::vector<std::string> chunks(6, good);
  std::vector<std::size_t> rooms(6, 700);
  chunks[3] = damaged;
  rooms[3] = room;
  try {
    Batch{chunks, rooms, on}.decoded<C>();
    FAIL_CHECK("nothing was thrown");
  } catch (CodecError const& error) {
    CHECK(error.chunk() == 3u);
    CHECK(std::string{error.what()} == expected);
  }
  rooms[3] = 700;  // and the device works as before
  CHECK(Batch{std::vector<std::string>(6, good), rooms, on}.decoded<C>().size() == 6);
}

using ToHost = CastTo<space::Host>;
using nvcomp::Trusted;

using test::in_chunks::check_read, test::in_chunks::chunk_shape, test::in_chunks::elements, test::in_chunks::made,
    test::in_chunks::shape;

template <class Device, class... OnHost>
void check_written_by_host(Pipeline<space::Host, OnHost...> const& pipeline, DeviceQueue& on) {
  MemoryStore<HostBuffer> const store;
  made(store, pipeline, HostQueue{1}).write(all, elements);
  check_read<Device>(store, on);
}

// 0, 0, 0, 0, 1 ... in one chunk of 5 by 6, written by zarr-python 3.1.6 with numcodecs 0.16.6.
template <class P>
void check_of_zarr_python(std::string const& codecs, std::string const& hex, DeviceQueue& on) {
  MemoryStore<HostBuffer> const store;
  test::put(
      store, "a/zarr.json",
      R"({"shape": [5, 6], "data_type": "uint16", "chunk_grid": {"name": "regular", "configuration":)"
      R"( {"chunk_shape": [5, 6]}}, "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},)"
      R"( "fill_value": 0, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, )" +
          codecs + R"(], "attributes": {}, "zarr_format": 3, "node_type": "array", "storage_transformers": []})",
      on);
  std::string value;
  for (std::size_t i = 0; i < hex.size(); i += 2) value += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  test::put(store, "a/c/0/0", value, on);
  std::vector<std::uint16_t> expected(30);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::uint16_t>(i / 4);
  CHECK(test::on_host(open_array<std::uint16_t, 2, P>(store, "a", on).read(all), on) == expected);
}

}  // namespace nvcomp_tests
