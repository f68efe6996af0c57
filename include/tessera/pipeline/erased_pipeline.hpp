// A pipeline as what moves chunks sees it: of any codecs, between two memory spaces. Erased are whole mini-batches.
#pragma once
#include <span>

#include <tessera/memory/space.hpp>
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The members of a Pipeline that chunks pass by.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, MemorySpace ArrayStaging, MemorySpace BytesStaging,
          class Queue>
class ErasedPipeline {
 public:
  using array_space = ArraySpace;
  using bytes_space = BytesSpace;
  using array_staging = ArrayStaging;
  using bytes_staging = BytesStaging;
  using queue_type = Queue;

  using Decoding = DecodeBuffers;
  using Encoding = EncodeBuffers;

  virtual void decode(ResolvedChunk const&, std::span<DecodeTask<BytesSpace, ArraySpace>>, Decoding&, Queue&) const = 0;

  /// Apart, for there are codecs that only decode.
  class Encoder {
   public:
    virtual void encode(ResolvedChunk const&, std::span<EncodeTask<BytesSpace, ArraySpace>>, Encoding&,
                        Queue&) const = 0;

   protected:
    ~Encoder() = default;
  };

 protected:
  ~ErasedPipeline() = default;
};

template <class P>
using erased_t = ErasedPipeline<typename P::array_space, typename P::bytes_space, typename P::array_staging,
                                typename P::bytes_staging, typename P::queue_type>;

/// The pipeline that it refers to outlives it.
template <class P>
class ErasedPipelineOf final : public erased_t<P> {
 public:
  explicit ErasedPipelineOf(P const& pipeline) : pipeline_{pipeline} {}

  void decode(ResolvedChunk const& form, std::span<DecodeTask<typename P::bytes_space, typename P::array_space>> chunks,
              typename erased_t<P>::Decoding& work, typename P::queue_type& on) const override {
    pipeline_.decode(form, chunks, work, on);
  }

 private:
  P const& pipeline_;
};

/// Likewise.
template <class P>
class EncoderOf final : public erased_t<P>::Encoder {
 public:
  explicit EncoderOf(P const& pipeline) : pipeline_{pipeline} {}

  void encode(ResolvedChunk const& form, std::span<EncodeTask<typename P::bytes_space, typename P::array_space>> chunks,
              typename erased_t<P>::Encoding& work, typename P::queue_type& on) const override {
    pipeline_.encode(form, chunks, work, on);
  }

 private:
  P const& pipeline_;
};

}}}  // namespace tessera::v0::detail
