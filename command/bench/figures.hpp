// Results of a measurement: the figures that advice is made from, and both kinds of report.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

#include "timing.hpp"

namespace cli {

struct Figures {
  // The array, and the part of it that was measured.
  std::string path;
  tessera::DataType type{};
  tessera::Extents shape{}, chunk_shape{}, inner_chunk_shape{};  ///< the last two are the same without shards
  std::vector<std::string> codecs{};                             ///< a shard's inner ones
  tessera::Region part{};
  std::uint64_t asked_chunks = 0;                     ///< (inner) chunks of the whole requested region
  bool is_all = true;                                 ///< the part is all of it
  bool is_of_files = true;                            ///< otherwise on a web server, or in a zip file
  bool is_sharded = false, is_encoded_whole = false;  ///< the second: codecs follow the shards
  std::size_t threads = 1, processors = 1, repetitions = 1;
  bool is_cold = false, wants_cold = false;
  std::string space = "host";  ///< or "device": where the elements are placed

  // One read, in bytes unless noted. Chunks are inner ones, if there are shards.
  std::uint64_t chunks = 0, missing = 0;
  std::uint64_t files = 0;        ///< present ones
  std::uint64_t requests = 0;     ///< ranges requested from the store
  std::uint64_t elements = 0;     ///< of the part
  std::uint64_t stored = 0;       ///< values of chunks
  std::uint64_t fetched = 0;      ///< those, and shards' indexes and all other requests
  std::uint64_t decoded = 0;      ///< by codecs that run
  std::uint64_t placed = 0;       ///< element by element; others were fetched or decoded into place
  std::uint64_t chunk_bytes = 0;  ///< of a chunk, decoded

  // nullopt: there is no such work.
  std::optional<Timing> read{}, fetch{}, decode{}, place{};
  std::optional<Timing> files_alone{}, codec_alone{}, copy_alone{};

  static double seconds(std::optional<Timing> const& timing) { return timing ? timing->median : 0; }
  /// The time of a read outside its three parts: planning, waiting, looking up.
  double rest() const {
    auto const parts = seconds(fetch) + seconds(decode) + seconds(place);
    return seconds(read) > parts ? seconds(read) - parts : 0;
  }
  /// Times of files, codec and memory alone, one after the other.
  double roof() const {
    auto const share = elements ? static_cast<double>(placed) / static_cast<double>(elements) : 0;
    return seconds(files_alone) + seconds(codec_alone) + seconds(copy_alone) * share;
  }
};

}  // namespace cli
