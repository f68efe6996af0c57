// held_stage: the member of a pipeline for each codec, cast and shard in its type.
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/pipeline/detail/cast_stage.hpp>
#include <tessera/pipeline/detail/stage_of.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A shard in a pipeline's list of stages. No chunk passes it: inner chunks pass their own pipeline.
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

/// The member for a codec or cast between those spaces.
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

/// Gives a compile error if one of these cannot encode; called only where a program writes.
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
