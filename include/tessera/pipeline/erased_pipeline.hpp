// A pipeline as what moves chunks sees it: of any codecs, between two memory spaces. Erased are whole mini-batches.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include <tessera/memory/space.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What a pipeline needs for one mini-batch after the other. It holds that of one type of pipeline, the last: a queue
/// counts the memory of one.
class PipelineWork {
 public:
  PipelineWork() = default;
  PipelineWork(PipelineWork const&) = delete;
  PipelineWork& operator=(PipelineWork const&) = delete;

  /// The T that this holds, which is made unless the last that was asked for was a T.
  template <class T>
  T& of() {
    if (type_ != &tag<T>) {
      type_ = nullptr;
      object_.reset();  // before there is another
      object_ = std::make_shared<T>();
      type_ = &tag<T>;
    }
    return *static_cast<T*>(object_.get());
  }

 private:
  template <class T>
  static constexpr char tag{};  // its address names T
  void const* type_ = nullptr;
  std::shared_ptr<void> object_;
};

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

  struct Decoding {
    std::size_t most = 0;
    bool apart = false, ahead = false;  ///< as a Pipeline's
    PipelineWork work;
  };
  struct Encoding {
    std::size_t most = 0;
    PipelineWork work;
  };

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
    auto& decoding = work.work.template of<typename P::Decoding>();
    decoding.most = work.most;
    decoding.apart = work.apart;
    decoding.ahead = work.ahead;
    pipeline_.decode(form, chunks, decoding, on);
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
    auto& encoding = work.work.template of<typename P::Encoding>();
    encoding.most = work.most;
    pipeline_.encode(form, chunks, encoding, on);
  }

 private:
  P const& pipeline_;
};

}}}  // namespace tessera::v0::detail
