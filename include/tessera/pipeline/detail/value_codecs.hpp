// ValueCodecs: codecs behind a shard (core specification, "Codecs"), which encode its value as a whole.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 {

/// At least one bytes-to-bytes stage, on the host. Metadata gives only a bound for the size of a shard's value.
class ValueCodecs {
  using Host = space::Host;

 public:
  using Stages = std::vector<std::unique_ptr<detail::AnyStage const>>;
  struct Bytes {
    HostBuffer memory;
    ByteView<Host> view;  ///< the value in `memory`
  };

  explicit ValueCodecs(Stages stages) : stages_{std::move(stages)} {}

  /// Of the first one, for messages.
  std::string name() const;

  /// The largest encoded size of that many bytes.
  std::size_t encoded_bound(std::size_t size) const { return bounds(size).back(); }

  /// Decodes a value of at most `most` bytes. Allocates the size that the encoded bytes promise, else `most`. Throws:
  /// CodecError with the codec, if the value is damaged or larger.
  Bytes decode(ByteView<Host> encoded, std::size_t most, Queue<Host>& on) const;
  Bytes encode(ByteView<Host> decoded, Queue<Host>& on) const;

 private:
  // Before each stage, and after the last.
  std::vector<std::size_t> bounds(std::size_t size) const;
  Stages stages_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/value_codecs.ipp>
#endif
