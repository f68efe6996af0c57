// The steps of a read, each of which can run alone: fetching, decoding and placing the same chunks with the same
// threads. And the best speed of memory and of a codec.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/pipeline/detail/stages.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/read.hpp>

#include "../objects.hpp"
#include "figures.hpp"
#include "requests.hpp"
#include "workers.hpp"

namespace cli {

class Stages {
 public:
  /// Reads the part, and notes the requests to the store; holds the stored values of its chunks, where codecs run.
  /// Requires: the array outlives it, and the part has elements. Throws: tessera::Error.
  Stages(Array const& array, tessera::Region const& part);

  void count(Figures& figures) const;
  Requests& requests() { return *requests_; }
  bool is_of_files() const { return array_.store().is_folder(); }
  bool decodes() const { return !found_.empty() && !form_.is_view(); }
  bool places() const { return traffic_.placed > 0; }

  void read();  ///< all of it, as a program does it
  void decode();
  void place();       ///< from memory in the cache, where a decoded chunk is
  void decode_one();  ///< a chunk of mean size, as often as there are chunks
  void copy();        ///< the size of the part, from the cache
  bool copies() const { return elements_.size > 0; }

 private:
  using Host = tessera::space::Host;
  struct Piece {
    tessera::Piece where;
    tessera::HostBuffer value{};  // as it is stored; none, if no codec runs
    bool is_stored = false;
    tessera::ByteSpan<Host> direct{};  // the elements' own memory, where it can be decoded into that
  };
  struct Memory {  // of one thread
    tessera::Scratch<Host> chunks{};
    Pipeline::Decoding decoding{};
    std::vector<tessera::DecodeTask<Host, Host>> tasks{};
    std::vector<tessera::Placement<Host>> placements{};
    Objects objects{};
  };

  void read(tessera::Traffic& traffic);
  void read_noted();
  void load();
  using Chunks = tessera::ChunkAccess<tessera::detail::stages_of<Pipeline::leaf_type>>;
  void load(Chunks const& chunks, tessera::Plan const& plan);
  void load(Piece& piece, Chunks const& chunks);
  void place_objects();

  Array const& array_;
  tessera::Region part_;
  Workers<Memory> workers_;
  Pipeline pipeline_;
  tessera::ResolvedChunk form_;
  tessera::Layout target_;           // in the elements' memory
  tessera::Strides from_strides_{};  // from one element of the part to the next, in a decoded chunk
  tessera::Scratch<Host> memory_{};
  tessera::ByteSpan<Host> elements_{};  // none, if they vary in size
  Objects objects_{};                   // which are then here
  std::size_t batch_;              // chunks that codecs process together
  std::size_t most_to_place_ = 0;  // bytes from the first element of a chunk that is wanted to the last one
  tessera::Traffic traffic_{};
  std::optional<Requests> requests_{};
  std::vector<Piece> pieces_{};
  std::vector<std::size_t> found_{};  // pieces that are stored
  std::size_t usual_ = 0;             // of those, one of mean size
};

}  // namespace cli
