// Common code of tests of encoders in device memory: batches of chunks, and the host's decoding of the results.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <device/codec_batches.hpp>
#include <support/document.hpp>

namespace test {

// Chunks in one allocation, each `apart` bytes after the one before, and room for their results: enough for the
// largest, `room_apart` bytes apart and at that offset from the beginning, too.
template <class C>
class EncodeBatch {
 public:
  EncodeBatch(C const& codec, std::vector<std::string> const& chunks, std::size_t apart, std::size_t room_apart,
              DeviceQueue& on)
      : codec_{codec}, on_{on} {
    std::string all;
    std::size_t largest = 0;
    for (auto const& chunk : chunks) all += std::string(apart, '#') + chunk, largest = std::max(largest, chunk.size());
    room_ = codec.encoded_bound(largest);
    from_ = made<tessera::DeviceBuffer>(all, on);
    to_ = made<tessera::DeviceBuffer>(std::string(room_apart + chunks.size() * (room_ + room_apart), '?'), on);
    std::size_t first = 0, room = room_apart;
    for (auto const& chunk : chunks) {
      tessera::ByteView<tessera::space::Device> const from = from_.view();
      tasks.push_back({from.sub(first + apart, chunk.size()), to_.span().sub(room, room_)});
      first += apart + chunk.size();
      room += room_ + room_apart;
    }
  }

  void encode() { tessera::encode_batch(codec_, {}, std::span{tasks}, on_); }

  /// The result of each chunk; checks that no byte between their rooms was changed.
  std::vector<std::string> encoded() {
    encode();
    auto const all = text(to_.view(), on_);
    std::vector<std::string> found;
    std::size_t at = 0;
    for (auto const& task : tasks) {
      auto const first = static_cast<std::size_t>(task.to.data - to_.view().data);
      bool const is_untouched = all.substr(at, first - at) == std::string(first - at, '?');
      CHECK(is_untouched);
      REQUIRE(task.size <= room_);
      found.push_back(all.substr(first, task.size));
      at = first + room_;
    }
    CHECK(all.substr(at) == std::string(all.size() - at, '?'));
    return found;
  }

  std::vector<tessera::CodecTask<tessera::space::Device>> tasks;

 private:
  C codec_;
  DeviceQueue& on_;
  tessera::DeviceBuffer from_, to_;
  std::size_t room_ = 0;
};

template <class C>
std::string decoded_by(C const& codec, std::string const& stored, std::size_t size) {
  HostQueue on{1};
  std::string result(size, '?');
  result.resize(codec.decode(host_bytes(stored), {reinterpret_cast<std::byte*>(result.data()), result.size()}, on));
  return result;
}

inline std::string noise(std::size_t size) {
  std::mt19937 random{static_cast<unsigned>(size)};
  std::string result(size, ' ');
  for (auto& c : result) c = static_cast<char>(random());
  return result;
}

}  // namespace test
