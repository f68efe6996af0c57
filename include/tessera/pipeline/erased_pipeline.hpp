// A pipeline as what moves chunks sees it: of any codecs, between two memory spaces. Erased are whole mini-batches.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <tessera/memory/space.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What pipelines need for one mini-batch after the other, of each type of pipeline that was used with it.
class PipelineWork {
 public:
  /// The T that this holds: made when it is first asked for.
  template <class T>
  T& of() {
    for (auto& known : known_)
      if (known.type == &tag<T>) return *static_cast<T*>(known.object.get());
    auto made = std::make_shared<T>();
    known_.push_back({&tag<T>, made});
    return *made;
  }

 private:
  template <class T>
  static constexpr char tag{};  // its address names T
  struct Known {
    void const* type;
    std::shared_ptr<void> object;
  };
  std::vector<Known> known_;  // few
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
