// Codecs composed when a file is opened, between two memory spaces. Which codecs the program lists is a table here, not
// a type: all lists share this code.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/codec/aliases.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/configuration.hpp>
#include <tessera/core/first_of.hpp>
#include <tessera/pipeline/any_stage.hpp>
#include <tessera/pipeline/cast_stage.hpp>
#include <tessera/pipeline/codec_headers.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/implementations.hpp>
#include <tessera/pipeline/index_pipeline.hpp>
#include <tessera/pipeline/named_stages.hpp>
#include <tessera/pipeline/sharding.hpp>
#include <tessera/pipeline/stages.hpp>
#include <tessera/pipeline/value_codecs.hpp>

namespace tessera { inline namespace v0 { namespace detail {

using KnownCodecs = std::span<Implementation const>;

/// "transpose, bytes, zstd": each name once.
inline std::string codec_names(KnownCodecs known) {
  std::string names;
  for (auto const& by : known)
    if (implementation_of(known, by.name) == &by) names.append(names.empty() ? "" : ", ").append(by.name);
  return names;
}

/// The codecs by names that are listed: an alias that is not becomes the name that it means. Behind a codec that
/// changes values zarr-python writes no byte order where the array's own elements have none: it means its machine's.
inline std::vector<Specification> as_meant(KnownCodecs known, std::span<Specification const> codecs) {
  std::vector<Specification> meant{codecs.begin(), codecs.end()};
  bool are_changed = false;
  for (auto& codec : meant) {
    if (auto const usual = usual_name(codec.name);
        usual != codec.name && !implementation_of(known, codec.name) && implementation_of(known, usual))
      codec.name = usual;
    auto const* const by = implementation_of(known, codec.name);
    if (auto* const members = codec.configuration.get_if<Members>();
        are_changed && members && codec.name == codec::Bytes::name && !members->contains("endian"))
      members->push_back({"endian", "little"});
    are_changed |= by && by->reads_array && by->writes_array && !by->is_view;
  }
  return meant;
}

/// What is known of an AnyPipeline when its list of codecs is left out. Members mean what they mean there. Copies share
/// the codecs.
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
class ComposedPipeline {
  using Stages = detail::Stages<ArraySpace, BytesSpace>;
  struct Composed;

 public:
  using array_space = ArraySpace;
  using bytes_space = BytesSpace;
  static constexpr int crossings = !std::same_as<ArraySpace, BytesSpace>;
  using queue_type = crossing_queue<ArraySpace, BytesSpace>;
  using leaf_type = ComposedPipeline;
  static constexpr bool may_be_sharded = true;
  static constexpr bool may_encode_shards = std::same_as<BytesSpace, space::Host>;
  using bytes_staging = staging_t<ArraySpace, BytesSpace>;
  using array_staging = staging_t<BytesSpace, ArraySpace>;
  using Decoding = DecodeBuffers;
  using Encoding = EncodeBuffers;
  using Shard = codec::Sharding<ComposedPipeline, IndexPipeline>;

  ComposedPipeline();
  /// What a document describes. Throws: MetadataError.
  ComposedPipeline(KnownCodecs known, std::span<Specification const> codecs);

  std::vector<Specification> const& codecs() const;  ///< as they were given
  Shard const* shard() const;                        ///< null: the codecs have none
  ComposedPipeline const& leaf() const;
  ResolvedChunk resolve(ChunkSpecification const& chunk) const;
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, Decoding& work,
              queue_type& on) const;
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, Encoding& work,
              queue_type& on) const;

 private:
  static constexpr auto end = crossings > 0 ? Side::elements : Side::bytes;  // where decoded chunks go

  static void refuse_behind_shards(std::span<Specification const> codecs);
  static void expect_listed(KnownCodecs known, std::span<Specification const> codecs);
  static Implementation const& expect_known(KnownCodecs known, Specification const& codec, bool is_behind);
  static std::shared_ptr<ValueCodecs const> stages_behind(std::span<Specification const> given, KnownCodecs known);

  std::shared_ptr<Composed const> made_;
};

// Outside of the class they are not inline: a unit whose pipelines are in a library compiles none of them.

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
struct ComposedPipeline<ArraySpace, BytesSpace>::Composed {
  std::vector<Specification> codecs{};
  OwnedStages stages{};
  std::shared_ptr<Shard const> shard{};         // behind the stages, if it is what makes bytes
  std::shared_ptr<ValueCodecs const> behind{};  // behind the shard
  std::string only_decoded{};  // the name of a codec whose chosen implementation does not encode, as another one does

  void expect_encodes() const {
    if (only_decoded.empty()) return;
    CodecError error{
        "the implementation that was chosen to decode it only decodes, and another one of this program's "
        "list encodes: to write, open the array with a list that has the other alone"};
    error.in_codec(only_decoded);
    throw error;
  }

  void add(std::span<Specification const> given, KnownCodecs known) {
    Choice const choice{known, given, end, &BusTraffic::crossing<BytesSpace, ArraySpace>};
    auto side = end;
    auto const cross = [&](Side to) {
      if (to == side || shard) return;  // the chunks in a shard cross
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
    if (codec.name == Shard::name) {
      order.add(codec.name, true, false);
      for (auto const& changing : codecs.first(i))
        if (!implementation_of(known, changing.name)->is_view)
          throw MetadataError{text({"member codecs: ", describe(changing.name),
                                    " changes values, so it is not supported before sharding_indexed, whose chunks "
                                    "are read one by one"})};
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
ResolvedChunk ComposedPipeline<ArraySpace, BytesSpace>::resolve(ChunkSpecification const& chunk) const {
  auto const& made = *made_;
  auto const in_shard = [&](ChunkSpecification const& shard) {
    auto form = made.shard->resolve(shard);
    form.shards.front().behind = made.behind;
    return form;
  };
  typename Stages::ResolveShard const resolve_shard{in_shard};
  return Stages{made.stages.list()}.resolve(chunk, made.shard ? &resolve_shard : nullptr);
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

// Throws: MetadataError naming the first codec that stands behind a shard.
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
void ComposedPipeline<ArraySpace, BytesSpace>::refuse_behind_shards(std::span<Specification const> codecs) {
  auto const* const shard = first_of(codecs, [](Specification const& codec) { return codec.name == Shard::name; });
  if (!shard || shard == &codecs.back()) return;
  throw MetadataError{text({"member codecs: ", describe(shard[1].name),
                            " after sharding_indexed is the host's work; open the array over a store of host bytes"})};
}

// Names all that the list lacks.
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
void ComposedPipeline<ArraySpace, BytesSpace>::expect_listed(KnownCodecs known,
                                                             std::span<Specification const> codecs) {
  std::vector<std::string_view> missing;
  for (auto const& codec : codecs)
    if (codec.name != Shard::name && !implementation_of(known, codec.name) &&
        !implementation_of(known, usual_name(codec.name)) && std::ranges::find(missing, codec.name) == missing.end())
      missing.push_back(codec.name);
  if (missing.empty()) return;
  std::string names, how;
  for (auto const& name : missing) {
    names += text({names.empty() ? "" : &name == &missing.back() ? " and " : ", ", describe(name)});
    how += how_to_list(name);
  }
  if (!how.empty()) how += ", or open it with open() of <tessera/all.hpp>";
  auto const are = missing.size() == 1 ? " is" : " are";
  throw MetadataError{
      text({"codec ", names}),
      text({"member codecs: ", names, are, " not among this program's codecs (", codec_names(known), ")", how})};
}

// What runs a codec of that name, which is listed, in some space of these; behind a shard, on the host.
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
Implementation const& ComposedPipeline<ArraySpace, BytesSpace>::expect_known(KnownCodecs known,
                                                                             Specification const& codec,
                                                                             bool is_behind) {
  auto const runs = [&](Implementation const& by) {
    return by.name == codec.name && (by.among_bytes || (by.among_elements && !is_behind));
  };
  if (auto const* const found = first_of(known, runs)) return *found;
  auto const why =
      is_behind
          ? " after sharding_indexed is the host's work, and this program's codec of that name does not run there"
          : implementation_of(known, codec.name)->how_to_run(codec.name);
  throw MetadataError{text({"codec ", describe(codec.name)}), text({"member codecs: ", describe(codec.name), why})};
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
