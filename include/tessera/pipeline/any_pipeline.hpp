// Codecs composed when a file is opened. What a program can decode is in the type, as a list: what it includes never
// changes what a name means. Erased are whole batches, never elements; spaces stay static.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/pipeline/any_stage.hpp>
#include <tessera/pipeline/codec_headers.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/implementations.hpp>
#include <tessera/pipeline/index_pipeline.hpp>
#include <tessera/pipeline/sharding.hpp>
#include <tessera/pipeline/stages.hpp>
#include <tessera/pipeline/value_codecs.hpp>

namespace tessera { inline namespace v0 {

/// The codecs that a program names: `Codecs<codec::Transpose, codec::Bytes, codec::Zstd>`.
template <class... Cs>
struct Codecs {};

namespace detail {

/// Whether the headers of all of them are there, if it is such a list: the compiler says which one is not.
template <class List>
inline constexpr bool declares_codecs = true;
template <class... Cs>
inline constexpr bool declares_codecs<Codecs<Cs...>> = (check_declared<Cs>() && ...);

}  // namespace detail

/// Those that need no library.
using BuiltInCodecs = Codecs<codec::Transpose, codec::Bytes, codec::Crc32c>;

template <MemorySpace ArraySpace, MemorySpace BytesSpace = ArraySpace, class List = BuiltInCodecs>
class AnyPipeline;

/// Codecs of whichever names a document has. Each is run by an implementation in the list, in BytesSpace or in
/// ArraySpace. If these differ, chunks cross between the two where BusTraffic says that it costs least, and of equal
/// ways the one is taken that a Route takes. An implementation whose bytes must be checked is passed over where nothing
/// checks them. Copies share the codecs. Shards need no place in the list: their inner chunks pass the same codecs, and
/// what stands behind shards runs on the host.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, class... Cs>
class AnyPipeline<ArraySpace, BytesSpace, Codecs<Cs...>> {
  using Stages = detail::Stages<ArraySpace, BytesSpace>;

 public:
  using array_space = ArraySpace;
  using bytes_space = BytesSpace;
  /// Of each chunk, at least. Two more, where one codec runs in ArraySpace alone and one before it in BytesSpace alone.
  static constexpr int crossings = !std::same_as<ArraySpace, BytesSpace>;
  using queue_type = crossing_queue<ArraySpace, BytesSpace>;
  static constexpr bool has_fixed_size = (detail::has_fixed_size<Cs> && ...);
  using leaf_type = AnyPipeline;
  static constexpr bool may_be_sharded = true;  ///< the document says so
  static constexpr bool may_encode_shards = std::same_as<BytesSpace, space::Host>;

  /// The codecs that this type knows: "transpose, bytes, zstd".
  static std::string codec_names() {
    std::string names;
    auto const add = [&](std::string const& name) {
      if ((", " + names + ",").find(", " + name + ",") == names.npos) names += (names.empty() ? "" : ", ") + name;
    };
    (add(std::string{Cs::name}), ...);
    return names;
  }

  /// The pipeline that a document describes. Throws: MetadataError naming the codec that this type does not know, or
  /// what is wrong with their order.
  static AnyPipeline from(std::span<Specification const> codecs) {
    auto const known = detail::implementations<ArraySpace, BytesSpace, Cs...>();
    expect_listed(known, codecs);
    auto made = std::make_shared<Composed>();
    made->codecs.assign(codecs.begin(), codecs.end());
    detail::StageOrder order;
    std::size_t before = 0;  // the shard, or the end
    for (std::size_t i = 0; i < codecs.size(); ++i) {
      auto const& codec = codecs[i];
      if (codec.name == Shard::name) {
        order.add(codec.name, true, false);
        for (auto const& changing : codecs.first(i))
          if (!detail::implementation_of(known, changing.name)->is_view)
            throw MetadataError{text({"member codecs: ", describe(changing.name),
                                      " changes values, so it is not supported before sharding_indexed, whose chunks "
                                      "are read one by one"})};
        made->shard = std::make_shared<Shard const>(make_codec<Shard>(codec));
        continue;
      }
      if (made->shard && !may_encode_shards)
        throw MetadataError{text({"member codecs: ", describe(codec.name),
                                  " after sharding_indexed is the host's work; open the array over a store of host "
                                  "bytes"})};
      auto const& by = expect_known(known, codec, made->shard != nullptr);
      order.add(codec.name, by.reads_array, by.writes_array);
      before += !made->shard;
    }
    order.end();
    made->add(codecs.first(before), known);
    if (before + 1 < codecs.size()) made->behind = stages_behind(codecs.subspan(before + 1), known);
    AnyPipeline pipeline;
    pipeline.made_ = std::move(made);
    return pipeline;
  }

  /// The entries of its codecs in a document, complete, as zarr-python writes them; with a type, those of a new array
  /// of such elements.
  template <class... Type>
  requires(std::same_as<Type, DataType>&&...) std::vector<Specification> specifications(Type... type)
  const {
    std::vector<Specification> list;
    for (auto const& given : made_->codecs)
      if (given.name == Shard::name)
        list.push_back(specification_of(*made_->shard, type...));
      else
        detail::add_complete<Cs...>(list, given, type...);
    return list;
  }

  /// As a Pipeline's.
  AnyPipeline const& leaf() const { return made_->shard ? made_->shard->inner.leaf() : *this; }

  ResolvedChunk resolve(ChunkSpecification const& chunk) const {
    auto const& made = *made_;
    auto const in_shard = [&](ChunkSpecification const& shard) {
      auto form = made.shard->resolve(shard);
      form.shards.front().behind = made.behind;
      return form;
    };
    typename Stages::ResolveShard const resolve_shard{in_shard};
    return Stages{made.stages.list()}.resolve(chunk, made.shard ? &resolve_shard : nullptr);
  }

  /// As a Pipeline's.
  using bytes_staging = staging_t<ArraySpace, BytesSpace>;
  using array_staging = staging_t<BytesSpace, ArraySpace>;
  using Decoding = detail::DecodeBuffers;
  using Encoding = detail::EncodeBuffers;

  /// Decodes a mini-batch in the queue's order; `work` is in use until that is done. Throws: CodecError.
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, Decoding& work,
              queue_type& on) const {
    Stages{made_->stages.list()}.decode(form, chunks, work, on);
  }
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    decode(form, chunks, *on.template lease<Decoding>(), on);
  }

  /// Encodes a mini-batch, in the same way.
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, Encoding& work,
              queue_type& on) const {
    made_->expect_encodes();
    Stages{made_->stages.list()}.encode(form, chunks, work, on);
  }
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    encode(form, chunks, *on.template lease<Encoding>(), on);
  }

 private:
  using Known = std::span<detail::Implementation const>;
  using Side = detail::Side;
  using Shard = codec::Sharding<AnyPipeline, detail::IndexPipeline>;
  struct Composed {
    std::vector<Specification> codecs{};  // as they were given
    detail::OwnedStages stages{};
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

    void add(std::span<Specification const> given, Known known) {
      detail::Choice const choice{known, given, end, &BusTraffic::crossing<BytesSpace, ArraySpace>};
      auto side = end;
      auto const cross = [&](Side to) {
        if (to == side || shard) return;  // the chunks in a shard cross
        side = to;
        if constexpr (crossings > 0) {
          if (to == Side::bytes)
            stages.add(std::make_unique<detail::CastStage<ArraySpace, BytesSpace>>());
          else
            stages.add(std::make_unique<detail::CastStage<BytesSpace, ArraySpace>>());
        }
      };
      for (std::size_t i = 0; i < given.size(); ++i) {
        auto const& [by, on] = choice.taken()[i];
        if (!by->is_view) cross(on);
        if (!by->encodes && detail::is_encoded_by_any(known, by->name)) only_decoded = by->name;
        stages.add((by->on(on) ? by->on(on) : by->on(other(on)))(given[i]));
      }
      cross(Side::bytes);
    }
  };
  static constexpr auto end = crossings > 0 ? Side::elements : Side::bytes;  // where decoded chunks go

  // Names all that the list lacks.
  static void expect_listed(Known known, std::span<Specification const> codecs) {
    std::vector<std::string_view> missing;
    for (auto const& codec : codecs)
      if (codec.name != Shard::name && !detail::implementation_of(known, codec.name) &&
          std::ranges::find(missing, codec.name) == missing.end())
        missing.push_back(codec.name);
    if (missing.empty()) return;
    std::string names, how;
    for (auto const& name : missing) {
      names += text({names.empty() ? "" : &name == &missing.back() ? " and " : ", ", describe(name)});
      how += detail::how_to_list(name);
    }
    if (!how.empty()) how += ", or open it with open() of <tessera/all.hpp>";
    auto const are = missing.size() == 1 ? " is" : " are";
    throw MetadataError{text({"codec ", names}), text({"member codecs: ", names, are,
                                                       " not among this program's codecs (", codec_names(), ")", how})};
  }

  // What runs a codec of that name, which is listed, in some space of these; behind a shard, on the host.
  static detail::Implementation const& expect_known(Known known, Specification const& codec, bool is_behind) {
    auto const runs = [&](detail::Implementation const& by) {
      return by.name == codec.name && (by.among_bytes || (by.among_elements && !is_behind));
    };
    auto const found = std::ranges::find_if(known, runs);
    if (found != known.end()) return *found;
    auto const why =
        is_behind
            ? " after sharding_indexed is the host's work, and this program's codec of that name does not run there"
            : detail::implementation_of(known, codec.name)->how_to_run();
    throw MetadataError{text({"codec ", describe(codec.name)}), text({"member codecs: ", describe(codec.name), why})};
  }

  static std::shared_ptr<ValueCodecs const> stages_behind(std::span<Specification const> given, Known known) {
    detail::Choice const choice{known, given, Side::bytes, &BusTraffic::crossing<BytesSpace, BytesSpace>};
    ValueCodecs::Stages behind;
    for (std::size_t i = 0; i < given.size(); ++i) behind.push_back(choice.taken()[i].by->on(Side::bytes)(given[i]));
    return std::make_shared<ValueCodecs const>(std::move(behind));
  }

  std::shared_ptr<Composed const> made_ = std::make_shared<Composed>();
};

}}  // namespace tessera::v0
