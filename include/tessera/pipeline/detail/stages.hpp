// Stages: the stages of a pipeline in their order, and how mini-batches pass them; for Pipeline, AnyPipeline and the
// index of a shard.
#pragma once
#include <cstddef>
#include <span>

#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/chunk_parts.hpp>
#include <tessera/pipeline/detail/resolve_stages.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Whether the compiled library has the template bodies of these stages.
template <class S>
inline constexpr bool is_in_library = false;
/// Defined in stages.tpp: included below, unless the library is compiled, and by any_spaces.hpp.
template <class S>
struct bodies_of;
template <class S>
consteval bool check_compiled() {
  constexpr bool is_compiled = is_in_library<S> || requires { sizeof(bodies_of<S>); };
  static_assert(is_compiled,
                "tessera: the compiled library has no arrays between these memory spaces: include "
                "<tessera/any_spaces.hpp>");
  return is_compiled;
}

/// Stages between the space of elements and that of stored bytes, in the order of encoding: a pipeline, for code that
/// moves chunks. `ArrayStaging` and `BytesStaging` are the best memory for a mini-batch at the two ends: page-locked,
/// if it crosses next. Requires: the stages outlive it.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, class Queue = crossing_queue<ArraySpace, BytesSpace>,
          MemorySpace ArrayStaging = ArraySpace, MemorySpace BytesStaging = BytesSpace>
class Stages {
 public:
  using array_space = ArraySpace;
  using bytes_space = BytesSpace;
  using array_staging = ArrayStaging;
  using bytes_staging = BytesStaging;
  using queue_type = Queue;
  using Decoding = DecodeBuffers;
  using Encoding = EncodeBuffers;

  explicit Stages(StageList list) : list_{list} { (void)check_compiled<Stages>(); }

  /// Null `shard`: no shard. Throws: MetadataError, CodecError, with the codec.
  ResolvedChunk resolve(ChunkSpecification chunk, ResolveShard const* shard) const;

  /// Decodes a mini-batch in the queue's order; `buffers` are in use until that is done. Throws: CodecError.
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, DecodeBuffers& buffers,
              Queue& on) const;

  /// The stored bytes that a part of the decoded ones needs. Requires: the form `stores_ranges`.
  ByteRange stored_range(ResolvedChunk const& form, ByteRange part) const {
    return range_behind(list_, form, part, form.part_stages);
  }

  /// The same where the beginning of the stored bytes says them; it is needed too. Requires: the form has an
  /// `index_size`. Throws: CodecError.
  ChunkPart stored_part(ResolvedChunk const& form, ByteView<space::Host> index, ByteRange part) const {
    return encoded_part(list_, form, index, part);
  }

  /// Encodes a mini-batch in the same way.
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, EncodeBuffers& buffers,
              Queue& on) const;

 private:
  static constexpr auto none = ~std::size_t{0};
  // The last running stage before this one, and the first from this one on.
  std::size_t running_before(std::size_t stage) const {
    while (stage-- > 0)
      if (!list_[stage]->traits().is_view) return stage;
    return none;
  }
  std::size_t running_from(std::size_t stage) const {
    for (; stage < list_.size(); ++stage)
      if (!list_[stage]->traits().is_view) return stage;
    return none;
  }
  static bool changes_values(AnyStage const& stage) { return stage.traits().writes_array; }  // of those that run

  StageList list_;
};

#if defined(TESSERA_SEPARATE)
template <>
inline constexpr bool is_in_library<Stages<space::Host, space::Host>> = true;
#endif
#if defined(TESSERA_SEPARATE_CUDA)
template <>
inline constexpr bool is_in_library<Stages<space::Device, space::Host>> = true;
template <>
inline constexpr bool
    is_in_library<Stages<space::Device, space::Host, Queue<space::Device>, space::Device, space::Pinned>> = true;
template <>
inline constexpr bool is_in_library<Stages<space::Device, space::Device>> = true;
#endif

template <class P>
using stages_of = Stages<typename P::array_space, typename P::bytes_space, typename P::queue_type,
                         typename P::array_staging, typename P::bytes_staging>;

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/stages.tpp>
#endif
