// The kernels' work on a blosc chunk, done on the host: taken apart, and put together again. c-blosc decodes the
// streams, each as the only one of a chunk.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <blosc.h>

#include <tessera/codec/bytes_to_bytes/detail/unshuffle.hpp>
#include <tessera/codec/bytes_to_bytes/detail/walk_blosc.hpp>

namespace test {

/// Bytes in a block of memory of their own, so that a sanitizer detects reads beyond them.
inline std::vector<std::byte> exact_bytes(std::string const& from) {
  auto const* const data = reinterpret_cast<std::byte const*>(from.data());
  return {data, data + from.size()};
}

/// False: it does not decode to exactly that many bytes.
inline bool decode_blosc_stream(tessera::detail::BloscInside inside, std::string const& stream, std::byte* to,
                                std::size_t room) {
  constexpr unsigned header = 16, whole = 0x10;
  std::string frame{'\2', '\1', static_cast<char>(static_cast<unsigned>(inside) << 5 | whole), '\1'};
  auto const put = [&](std::size_t value) {
    for (unsigned i = 0; i < 4; ++i) frame += static_cast<char>(value >> (8 * i) & 0xff);
  };
  put(room), put(room), put(header + 8 + stream.size());
  put(header + 4), put(stream.size());
  frame += stream;
  return blosc_decompress_ctx(frame.data(), to, room, 1) == static_cast<int>(room);
}

/// The chunk's decoded bytes; empty, if a part is invalid. A stream is decoded if it is listed alone.
inline std::optional<std::string> blosc_on_host(std::string const& chunk, std::size_t room) {
  using namespace tessera::detail;
  auto const from = exact_bytes(chunk);
  auto const frame = BloscFrame::walk(from.data(), from.size());
  if (frame.problem != FrameProblem::none || frame.content > room) return {};
  if (!frame.is_stored() && (frame.inside == BloscInside::unknown)) return {};
  std::vector<std::byte> decoded(frame.content);
  BloscChunk const described{frame, from.data(), decoded.data(), nullptr, 0, 0};

  auto const streams = frame.streams();
  std::vector<std::byte> lists(streams * (BloscLists::each_list + BloscLists::each_answer) +
                               frame.blocks() * sizeof(FrameProblem) + 1);
  auto const listed = BloscLists::in(lists.data(), streams);
  BloscHarmless const harmless;
  WalkBloscBlocks const walk{&described, 1, &harmless, listed};
  bool is_sound = true;
  for (std::uint64_t block = 0; block < frame.blocks(); ++block) {
    walk(block);
    is_sound = is_sound && listed.problems[block] == FrameProblem::none;
  }
  for (std::uint64_t i = 0; i < streams; ++i) {
    if (listed.bytes[i] != listed.to[i]) continue;  // it is not decoded
    auto const* const stream = static_cast<char const*>(listed.from[i]);
    std::string bytes(stream, stream + listed.sizes[i]);
    if (frame.inside == BloscInside::zlib)  // with the wrapper around deflate
      bytes.assign(stream - ZlibFrame::header, stream + listed.sizes[i] + ZlibFrame::checksum);
    if (!decode_blosc_stream(frame.inside, bytes, static_cast<std::byte*>(listed.to[i]), listed.rooms[i]))
      is_sound = false;
  }
  if (!is_sound) return {};
  BloscBytes const bytes{frame, from.data(), decoded.data(), 0};
  std::string to;
  // From one byte on, the bytes of a word, then from the next on, as kernels do.
  for (std::uint32_t word = 1; to.size() < frame.content; word = word % 16 + 1) {
    BloscReader reader{bytes, listed.bytes, static_cast<std::uint32_t>(to.size())};
    for (std::uint32_t i = 0; i < word && to.size() < frame.content; ++i) to += static_cast<char>(reader.next());
  }
  return to;
}

}  // namespace test
