// What a pipeline holds of each codec, cast and shard that its type lists.
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/pipeline/cast_stage.hpp>
#include <tessera/pipeline/stage_of.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A shard in the list of a pipeline's stages: no chunk passes it, as the chunks in it pass a pipeline of their own.
template <Codec C>
class ShardStage {
 public:
  ShardStage() = default;
  explicit ShardStage(C codec) : codec_{std::move(codec)} {}
  C& codec() { return codec_; }
  C const& codec() const { return codec_; }

 private:
  C codec_{};
};

/// What a pipeline holds of a codec or cast between those spaces.
template <class Stage, class ArraySide, class BytesSide>
struct held_stage {
  using type = StageOf<Stage, ArraySide, BytesSide>;
};
template <class To, class ArraySide, class BytesSide>
struct held_stage<CastTo<To>, ArraySide, BytesSide> {
  using type = CastStage<ArraySide, BytesSide>;
};
template <class Stage, class ArraySide, class BytesSide>
requires is_shard<Stage>
struct held_stage<Stage, ArraySide, BytesSide> {
  using type = ShardStage<Stage>;
};

/// Gives a message if one of these cannot encode, which is known when something is to be written.
template <class C, class ArraySide, class BytesSide>
void check_encodes(std::type_identity<StageOf<C, ArraySide, BytesSide>>) {
  if constexpr (!is_view<C>) (void)&encode_batch<C, ArraySide, BytesSide, crossing_queue<ArraySide, BytesSide>>;
}
template <class ArraySide, class BytesSide>
void check_encodes(std::type_identity<CastStage<ArraySide, BytesSide>>) {
  (void)check_crossing<BytesSide, ArraySide>();
}
template <class C>
void check_encodes(std::type_identity<ShardStage<C>>) {}
template <class... Held>
void check_encodes(std::type_identity<std::tuple<Held...>>) {
  (check_encodes(std::type_identity<Held>{}), ...);
}

}}}  // namespace tessera::v0::detail
