// CastStage: the stage at which bytes cross between memory spaces.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/cast/cast.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Decoded chunks cross from BytesSide to ArraySide.
template <MemorySpace ArraySide, MemorySpace BytesSide>
class CastStage final : public AnyStage {
  static constexpr StageTraits traits_of_all{.is_cast = true,
                                             .array_side = &take_scratch<staging_t<BytesSide, ArraySide>>,
                                             .bytes_side = &take_scratch<staging_t<ArraySide, BytesSide>>};

 public:
  CastStage() : AnyStage{traits_of_all} {}
  explicit CastStage(CastTo<BytesSide>) : CastStage{} {}

  std::string_view name() const override { return {}; }
  ChunkSpecification encoded(ChunkSpecification const& chunk) const override { return chunk; }
  Layout decoded(Layout const& layout) const override { return layout; }
  Layout layout(ChunkSpecification const&) const override { return {}; }
  std::size_t encoded_bound(ChunkSpecification const&, std::size_t size) const override { return size; }
  std::size_t decoded_bound(ByteView<Somewhere> encoded) const override { return encoded.size; }
  std::size_t decoding_memory(std::size_t) const override { return 0; }
  void decode([[maybe_unused]] StageRun const& run, StageObject&) const override {
    if constexpr (check_crossing<ArraySide, BytesSide>())
      cross_batch<BytesSide, ArraySide>(run.tasks, run.on.between<ArraySide, BytesSide>(), run.apart, run.ahead);
  }
  void encode([[maybe_unused]] StageRun const& run, StageObject&) const override {
    if constexpr (CrossesFrom<BytesSide, ArraySide>)
      cross_batch<ArraySide, BytesSide>(run.tasks, run.on.between<ArraySide, BytesSide>());
    else
      throw Error{"bytes can be copied between these two memory spaces in the other direction only"};
  }
  void start(StageRun const&, StageObject&, EncodedSizes const&) const override {}
  void take_size(StageTask&, std::size_t, std::size_t, std::int32_t) const override {}
};

}}}  // namespace tessera::v0::detail
