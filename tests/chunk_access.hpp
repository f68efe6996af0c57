// The chunks of a store and a pipeline, as reads use them: for tests without an array.
#pragma once
#include <string_view>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>

namespace test {

/// The arguments outlive this.
template <class S, class P>
class Chunks {
 public:
  using Access = tessera::ChunkAccess<tessera::detail::stages_of<P>>;

  Chunks(S const& store, std::string_view prefix, P const& pipeline, tessera::ResolvedChunk const& form,
         tessera::ByteView<tessera::space::Host> fill)
      : store_{store, locks_},
        names_{prefix, {}},
        list_{list_of(pipeline.stages())},
        stages_{list_},
        access{store_, names_, stages_, form, fill} {}
  Chunks(Chunks const&) = delete;
  Chunks& operator=(Chunks const&) = delete;

 private:
  static std::vector<tessera::detail::AnyStage const*> list_of(auto const& stages) {
    return {stages.begin(), stages.end()};
  }

  tessera::KeyLocks locks_;
  tessera::detail::ErasedStoreOf<S> store_;
  tessera::detail::ArrayChunkNames names_;
  std::vector<tessera::detail::AnyStage const*> list_;
  tessera::detail::stages_of<P> stages_;

 public:
  Access const access;
};

}  // namespace test
