// BodyEncoder: compresses the buffers of a message, each by itself.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/with/detail/arrow_messages/message.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

/// A compression of Arrow's, and the threads for it.
struct BodyEncoder {
  using Host = space::Host;
  std::int8_t number;
  FunctionRef<std::size_t(std::size_t)> bound;
  FunctionRef<std::size_t(ByteView<Host>, ByteSpan<Host>, Queue<Host>&)> encode;
  Queue<Host>& on;
};

/// The buffers of a body after compression: of each part before, the length that it decompresses to (-1: it is stored
/// as it is, because compressed it is no shorter), and its bytes.
class EncodedBuffers {
  using Host = space::Host;
  using Part = Message<Host>::Part;

 public:
  /// Throws: CodecError.
  EncodedBuffers(std::vector<Part> const& parts, BodyEncoder const& by) : lengths_(parts.size()), made_(parts.size()) {
    by.on.for_each(parts.size(), [&](std::size_t i) { encode(i, parts[i].bytes, by); });
  }

  std::uint64_t size(std::size_t i, Part const& before) const { return sizeof lengths_[i] + bytes(i, before).size; }
  /// Appends the length and the bytes of the i-th buffer, for a body in which it begins at `place`.
  void add(std::vector<Part>& parts, std::size_t i, std::uint64_t place, Part const& before) const {
    parts.push_back({place, {reinterpret_cast<std::byte const*>(&lengths_[i]), sizeof lengths_[i]}});
    parts.push_back({place + sizeof lengths_[i], bytes(i, before)});
  }

 private:
  ByteView<Host> bytes(std::size_t i, Part const& before) const {
    return lengths_[i] == stored ? before.bytes : made_[i].view();
  }
  void encode(std::size_t i, ByteView<Host> from, BodyEncoder const& by) {
    HostBuffer room{by.bound(from.size)};
    auto const size = by.encode(from, room.span(), by.on);
    if (size >= from.size) {
      lengths_[i] = stored;
      return;
    }
    made_[i] = HostBuffer{size};  // the bound is larger than the plain bytes
    std::memcpy(made_[i].span().data, room.view().data, size);
    lengths_[i] = static_cast<std::int64_t>(from.size);
  }

  static constexpr std::int64_t stored = -1;
  std::vector<std::int64_t> lengths_;
  std::vector<HostBuffer> made_;
};

}}}}  // namespace tessera::v0::arrow_c::detail
