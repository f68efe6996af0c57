// ArrayState: an open array with static types of store and codecs.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <tessera/array/detail/open_array.hpp>
#include <tessera/array/detail/shared_array.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/detail/v2_words.hpp>
#include <tessera/pipeline/detail/stages.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// An open array whose store is known to its handle. Its codecs are not: they may be in shards or not.
template <class S, class Stages>
class ArrayInStore : public OpenArray<Stages> {
 public:
  S const store;

 protected:
  template <class... Open>
  explicit ArrayInStore(S const& given, Open&&... open)
      : OpenArray<Stages>{std::forward<Open>(open)...}, store{given} {}
  ~ArrayInStore() = default;
};

template <class P>
struct HeldPipeline {
  P pipeline;
};

/// `P` is a pipeline's core: its type does not contain a list of codecs.
template <class S, class P>
class ArrayState final : private HeldPipeline<P>, public ArrayInStore<S, stages_of<typename P::leaf_type>> {
  using Held = HeldPipeline<P>;
  using InStore = ArrayInStore<S, stages_of<typename P::leaf_type>>;
  using Open = OpenArray<stages_of<typename P::leaf_type>>;

 public:
  using MakePipeline = P (*)(std::span<Specification const> codecs);
  using InStore::store;

  /// Throws: MetadataError naming the document, if it has other codecs, or these do not support its chunks.
  static std::shared_ptr<Open> make(S const& store, MakePipeline pipeline_of,
                                    std::shared_ptr<SharedArray> const& opened);

  // For make.
  ArrayState(S const& given, P codecs, std::shared_ptr<SharedArray> const& opened)
      : Held{std::move(codecs)},
        InStore{given, opened,
                this->pipeline.resolve(Open::specification_of(opened->metadata, opened->metadata.chunk_shape)),
                this->pipeline.leaf().stages()},
        readable_{store, opened->locks} {
    (void)check_compiled<stages_of<typename P::leaf_type>>();
    this->expect_all_resolve();
  }

 private:
  std::string name() const override { return name_of(metadata_of(store)); }
  std::string store_name() const override { return name_of(store); }
  typename Open::Readable const& readable() const override { return readable_; }
  ResolvedChunk resolve(ChunkSpecification const& chunk) const override { return this->pipeline.resolve(chunk); }
  void check_encoding() const override { this->pipeline.expect_encodes(); }

  ErasedStoreOf<S> const readable_;
};

// Outside the class, so not inline: a unit whose arrays are in a library compiles none of it.
template <class S, class P>
auto ArrayState<S, P>::make(S const& store, MakePipeline pipeline_of, std::shared_ptr<SharedArray> const& opened)
    -> std::shared_ptr<Open> {
  auto const& metadata = opened->metadata;
  return in_document(store, opened->document, [&] {
    return in_words_of(metadata.format, [&] {
      return std::make_shared<ArrayState>(store, pipeline_of(metadata.codecs), opened);
    });
  });
}

}}}  // namespace tessera::v0::detail
