// A codec whose type is not known where it is called: one stage of an AnyPipeline. Erased are whole batches.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <tessera/codec/chunk.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// A codec of any type whose batches begin and end in S. Only the functions of its kind are called: `decoded` where an
// array-to-array codec is read through, `decode` and `encode` where it is not.
template <MemorySpace S>
struct AnyStage {
  virtual ~AnyStage() = default;
  virtual std::string_view name() const = 0;
  virtual bool reads_array() const = 0;
  virtual bool writes_array() const = 0;
  virtual bool is_view() const = 0;
  virtual bool needs_checked_bytes() const = 0;
  virtual bool checks_bytes() const = 0;
  virtual ChunkSpecification encoded(ChunkSpecification const&) const = 0;
  virtual Layout decoded(Layout const&) const = 0;
  virtual Layout layout(ChunkSpecification const&) const = 0;
  virtual std::size_t encoded_bound(ChunkSpecification const&, std::size_t size) const = 0;
  virtual std::size_t decoded_bound(ByteView<S> encoded) const = 0;
  virtual void decode(ChunkSpecification const&, std::span<CodecTask<S>>, queue_for<S>&) const = 0;
  virtual void encode(ChunkSpecification const&, std::span<CodecTask<S>>, queue_for<S>&) const = 0;
};

template <Codec C, MemorySpace S>
class StageOf final : public AnyStage<S> {
  using kind = typename C::kind;
  static constexpr bool to_array = std::same_as<kind, array_to_array>, to_bytes = std::same_as<kind, array_to_bytes>;
  static constexpr bool is_sound = detail::check_codec<C>();

 public:
  explicit StageOf(C codec) : codec_{std::move(codec)} {}

  std::string_view name() const override { return C::name; }
  bool reads_array() const override { return kind::reads_array; }
  bool writes_array() const override { return kind::writes_array; }
  bool is_view() const override { return detail::is_view<C>; }
  bool needs_checked_bytes() const override { return detail::needs_checked_bytes<C>; }
  bool checks_bytes() const override { return detail::checks_bytes<C>; }
  ChunkSpecification encoded(ChunkSpecification const& chunk) const override {
    if constexpr (to_array && is_sound)
      return detail::encoded_chunk(codec_, chunk);
    else
      return chunk;
  }
  Layout decoded(Layout const& layout) const override {
    if constexpr (to_array && detail::is_view<C>)
      return codec_.decoded(layout);
    else
      return layout;
  }
  Layout layout([[maybe_unused]] ChunkSpecification const& chunk) const override {
    if constexpr (to_bytes)
      return codec_.layout(chunk);
    else
      return {};
  }
  std::size_t encoded_bound([[maybe_unused]] ChunkSpecification const& chunk, std::size_t size) const override {
    if constexpr (to_array || detail::is_view<C>)
      return size;
    else if constexpr (to_bytes)
      return codec_.encoded_bound(chunk);
    else
      return codec_.encoded_bound(size);
  }
  std::size_t decoded_bound([[maybe_unused]] ByteView<S> encoded) const override {
    if constexpr (requires { codec_.decoded_bound(encoded); })
      return codec_.decoded_bound(encoded);
    else
      return unbounded;
  }
  void decode([[maybe_unused]] ChunkSpecification const& chunk, [[maybe_unused]] std::span<CodecTask<S>> batch,
              [[maybe_unused]] queue_for<S>& on) const override {
    if constexpr (is_sound && !detail::is_view<C>) decode_batch(codec_, chunk, batch, on);
  }
  void encode([[maybe_unused]] ChunkSpecification const& chunk, [[maybe_unused]] std::span<CodecTask<S>> batch,
              [[maybe_unused]] queue_for<S>& on) const override {
    if constexpr (detail::RunsBatch<detail::Encode, C, S, S, queue_for<S>>)
      encode_batch(codec_, chunk, batch, on);
    else if constexpr (is_sound && !detail::is_view<C>)
      throw CodecError{"this program's implementation decodes only"};
  }

 private:
  C codec_;
};

}}}  // namespace tessera::v0::detail
