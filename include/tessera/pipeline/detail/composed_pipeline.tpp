#pragma once
#include <tessera/pipeline/detail/composed_pipeline.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/codec/detail/configuration.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/cast_stage.hpp>
#include <tessera/pipeline/detail/choice.hpp>
#include <tessera/pipeline/detail/composition.hpp>
#include <tessera/pipeline/detail/implementations.hpp>
#include <tessera/pipeline/detail/index_pipeline.hpp>
#include <tessera/pipeline/detail/listed_codecs.hpp>
#include <tessera/pipeline/detail/named_stages.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/stages.hpp>
#include <tessera/pipeline/detail/value_codecs.hpp>
#include <tessera/pipeline/sharding.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
struct ComposedPipeline<ArraySpace, BytesSpace>::Composed {
  std::vector<Specification> codecs{};
  OwnedStages stages{};
  std::shared_ptr<Shard const> shard{};         // behind the stages, if it is the array-to-bytes codec
  std::shared_ptr<ValueCodecs const> behind{};  // behind the shard
  std::string only_decoded{};  // a codec whose chosen implementation does not encode, while another does

  void expect_encodes() const {
    if (only_decoded.empty()) return;
    CodecError error{
        "the implementation chosen to decode it only decodes, and another in this program's list encodes: to write, "
        "open the array with a list that has only the other"};
    error.in_codec(only_decoded);
    throw error;
  }

  void add(std::span<Specification const> given, KnownCodecs known) {
    Choice const choice{known, given, end, &BusTraffic::crossing<BytesSpace, ArraySpace>};
    auto side = end;
    auto const cross = [&](Side to) {
      if (to == side || shard) return;  // inner chunks cross instead
      side = to;
      if constexpr (crossings > 0) {
        if (to == Side::bytes)
          stages.add(std::make_unique<CastStage<ArraySpace, BytesSpace>>());
        else
          stages.add(std::make_unique<CastStage<BytesSpace, ArraySpace>>());
      }
    };
    for (std::size_t i = 0; i < given.size(); ++i) {
      auto const& [by, on] = choice.taken()[i];
      if (!by->is_view) cross(on);
      if (!by->encodes && is_encoded_by_any(known, by->name)) only_decoded = by->name;
      stages.add((by->on(on) ? by->on(on) : by->on(other(on)))(given[i]));
    }
    cross(Side::bytes);
  }
};

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
ComposedPipeline<ArraySpace, BytesSpace>::ComposedPipeline() : made_{std::make_shared<Composed>()} {}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
ComposedPipeline<ArraySpace, BytesSpace>::ComposedPipeline(KnownCodecs known, std::span<Specification const> given) {
  if constexpr (!may_encode_shards) refuse_behind_shards(given);
  expect_listed(known, given);
  auto made = std::make_shared<Composed>();
  made->codecs = {given.begin(), given.end()};
  auto const meant = as_meant(known, given);
  std::span<Specification const> const codecs{meant};
  StageOrder order;
  std::size_t before = 0;  // the shard, or the end
  for (std::size_t i = 0; i < codecs.size(); ++i) {
    auto const& codec = codecs[i];
    if (names_sharding(codec)) {
      order.add(codec.name, true, false);
      expect_values_kept(known, codecs.first(i));
      auto const inner = [&](std::span<Specification const> inside) { return ComposedPipeline{known, inside}; };
      made->shard = std::make_shared<Shard const>(make_codec<Shard>(codec, inner));
      continue;
    }
    auto const& by = expect_known(known, codec, made->shard != nullptr);
    order.add(codec.name, by.reads_array, by.writes_array);
    before += !made->shard;
  }
  order.end();
  made->add(codecs.first(before), known);
  if (before + 1 < codecs.size()) made->behind = stages_behind(codecs.subspan(before + 1), known);
  made_ = std::move(made);
}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
std::vector<Specification> const& ComposedPipeline<ArraySpace, BytesSpace>::codecs() const {
  return made_->codecs;
}
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
auto ComposedPipeline<ArraySpace, BytesSpace>::shard() const -> Shard const* {
  return made_->shard.get();
}
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
auto ComposedPipeline<ArraySpace, BytesSpace>::leaf() const -> ComposedPipeline const& {
  return made_->shard ? made_->shard->inner.leaf() : *this;
}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
StageList ComposedPipeline<ArraySpace, BytesSpace>::stages() const {
  return made_->stages.list();
}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
ResolvedChunk ComposedPipeline<ArraySpace, BytesSpace>::resolve(ChunkSpecification const& chunk) const {
  auto const& made = *made_;
  auto const in_shard = [&](ChunkSpecification const& shard) {
    auto form = made.shard->resolve(shard);
    form.shards.front().behind = made.behind;
    return form;
  };
  ResolveShard const resolve_shard{in_shard};
  return Stages{made.stages.list()}.resolve(chunk, made.shard ? &resolve_shard : nullptr);
}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
void ComposedPipeline<ArraySpace, BytesSpace>::expect_encodes() const {
  made_->expect_encodes();
  for (auto const* one : made_->stages.list()) one->expect_encodes();
  if (made_->shard) made_->shard->inner.expect_encodes();
}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
void ComposedPipeline<ArraySpace, BytesSpace>::decode(ResolvedChunk const& form,
                                                      std::span<DecodeTask<BytesSpace, ArraySpace>> chunks,
                                                      Decoding& work, queue_type& on) const {
  Stages{made_->stages.list()}.decode(form, chunks, work, on);
}
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
void ComposedPipeline<ArraySpace, BytesSpace>::encode(ResolvedChunk const& form,
                                                      std::span<EncodeTask<BytesSpace, ArraySpace>> chunks,
                                                      Encoding& work, queue_type& on) const {
  made_->expect_encodes();
  Stages{made_->stages.list()}.encode(form, chunks, work, on);
}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
std::shared_ptr<ValueCodecs const> ComposedPipeline<ArraySpace, BytesSpace>::stages_behind(
    std::span<Specification const> given, KnownCodecs known) {
  Choice const choice{known, given, Side::bytes, &BusTraffic::crossing<BytesSpace, BytesSpace>};
  ValueCodecs::Stages behind;
  for (std::size_t i = 0; i < given.size(); ++i) behind.push_back(choice.taken()[i].by->on(Side::bytes)(given[i]));
  return std::make_shared<ValueCodecs const>(std::move(behind));
}

}}}  // namespace tessera::v0::detail
