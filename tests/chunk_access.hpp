// The chunks of a store and a pipeline, as reads take them: for tests that have no array.
#pragma once
#include <string_view>

#include <tessera/tessera.hpp>

namespace test {

/// What is given outlives this.
template <class S, class P>
class Chunks {
 public:
  using Access = tessera::ChunkAccess<tessera::detail::erased_t<P>>;

  Chunks(S const& store, std::string_view prefix, P const& pipeline, tessera::ResolvedChunk const& form,
         tessera::ByteView<tessera::space::Host> fill)
      : store_{store, locks_}, names_{prefix, {}}, pipeline_{pipeline}, access{store_, names_, pipeline_, form, fill} {}
  Chunks(Chunks const&) = delete;
  Chunks& operator=(Chunks const&) = delete;

 private:
  tessera::KeyLocks locks_;
  tessera::detail::ErasedStoreOf<S> store_;
  tessera::detail::ArrayChunkNames names_;
  tessera::detail::ErasedPipelineOf<P> pipeline_;

 public:
  Access const access;
};

}  // namespace test
