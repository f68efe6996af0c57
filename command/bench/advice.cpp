#include "advice.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <tessera/core/error.hpp>

#include "../quantities.hpp"

namespace cli {
namespace {

using tessera::to_text;
using Advices = std::vector<Advice>;

std::uint64_t bytes_of(tessera::Extents const& chunk, std::size_t item) {
  std::uint64_t bytes = item;
  for (auto n : chunk) bytes *= n;
  return bytes;
}

// Doubles the shortest dimension that can grow, until the size is reached.
tessera::Extents grown(tessera::Extents chunk, Figures const& f, std::uint64_t bytes) {
  while (bytes_of(chunk, f.type.size) < bytes) {
    auto shortest = chunk.rank();
    for (std::size_t d = 0; d < chunk.rank(); ++d)
      if (chunk[d] < f.shape[d] && (shortest == chunk.rank() || chunk[d] < chunk[shortest])) shortest = d;
    if (shortest == chunk.rank()) break;
    chunk[shortest] *= 2;
  }
  return chunk;
}

// Halves the longest dimension, until each thread has four.
tessera::Extents cut(tessera::Extents chunk, Figures const& f) {
  auto chunks = f.asked_chunks;
  while (chunks < 4 * f.threads && bytes_of(chunk, f.type.size) > threshold::good_chunk) {
    auto const longest = static_cast<std::size_t>(std::max_element(chunk.begin(), chunk.end()) - chunk.begin());
    chunk[longest] = (chunk[longest] + 1) / 2;  // at least 2: the chunk has many bytes
    chunks *= 2;
  }
  return chunk;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}
// Both were measured separately: a part may have taken a little longer than the whole.
double share(std::optional<Timing> const& part, std::optional<Timing> const& whole) {
  return Figures::seconds(whole) > 0 ? std::min(Figures::seconds(part) / Figures::seconds(whole), 1.0) : 0;
}

std::string each(double seconds, std::uint64_t chunks) {
  return microseconds(chunks ? seconds / static_cast<double>(chunks) : 0);
}

bool has(Figures const& f, std::string const& codec) {
  return std::find(f.codecs.begin(), f.codecs.end(), codec) != f.codecs.end();
}

// From the counts.

void about_small_chunks(Figures const& f, Advices& all) {
  auto const small = f.is_sharded ? threshold::small_inner_chunk : threshold::small_chunk;
  if (f.chunk_bytes >= small || f.asked_chunks < threshold::many_chunks) return;
  auto const better =
      comma_list(grown(f.inner_chunk_shape, f, f.is_sharded ? threshold::small_chunk : threshold::good_chunk));
  auto const why = to_text({"chunks of ", human(f.chunk_bytes), " are small: fetching one and what surrounds it takes ",
                            each(Figures::seconds(f.fetch) + f.rest(), f.chunks), " of the ",
                            each(Figures::seconds(f.read), f.chunks), " that it takes in all. "});
  if (f.is_sharded)
    all.push_back({"larger-inner-chunks", to_text({why, "Larger ones in the shards are better, as of ", better})});
  else
    all.push_back({"larger-chunks-or-shards",
                   to_text({why, "Larger ones are better: tessera copy PATH NEW --chunks ", better,
                            "; or these in shards: --chunks ", comma_list(f.chunk_shape), " --shards ", better})});
}

void about_few_chunks(Figures const& f, Advices& all) {
  if (f.asked_chunks >= f.threads || f.chunk_bytes < threshold::large_chunk) return;
  all.push_back(
      {"smaller-chunks",
       to_text({count(f.asked_chunks, "chunk"), " of ", human(f.chunk_bytes), " for ", count(f.threads, "thread"),
                ": the others wait. tessera copy PATH NEW --chunks ", comma_list(cut(f.inner_chunk_shape, f))})});
}

void about_unused_elements(Figures const& f, Advices& all) {
  auto const used = share(f.elements, f.chunks * f.chunk_bytes);
  if (used >= threshold::little_used) return;
  all.push_back({"chunks-like-the-region", to_text({"of the chunks' elements ", percent(used),
                                                    " are wanted. Chunks that are shaped as the region is, here ",
                                                    to_string(f.part.count), ", or smaller ones, have fewer others"})});
}

void about_whole_shards(Figures const& f, Advices& all) {
  if (f.is_encoded_whole)
    all.push_back({"codecs-in-the-shards",
                   "codecs stand behind the shards, so that all of a shard is decoded before any chunk of it, which is "
                   "in the rest: they are better among the codecs of its chunks"});
}

void about_indexes(Figures const& f, Advices& all) {
  auto const besides = share(f.fetched - std::min(f.fetched, f.stored), f.fetched);
  if (!f.is_sharded || besides <= threshold::much_besides) return;
  all.push_back(
      {"shard-indexes", to_text({percent(besides),
                                 " of the bytes read are none of a chunk: shards' indexes, which a program "
                                 "keeps by AnyArray::keep_shard_indexes, or what tessera compact takes away"})});
}

// From the times.

void about_decoding(Figures const& f, Advices& all) {
  auto const part = share(f.decode, f.read), smaller = share(f.stored, f.decoded);
  if (f.decoded == 0 || part < threshold::limits) return;
  auto const why = to_text({"decoding takes ", percent(part), " of the time"});
  if (smaller > threshold::hardly_smaller)
    all.push_back({"store-raw", to_text({why, ", and stored chunks have ", percent(smaller),
                                         " of the elements' bytes: store them without compression"})});
  else if (f.threads < f.processors)
    all.push_back({"more-threads", to_text({why, ": --threads ", f.processors, " use every processor"})});
  else
    all.push_back({"faster-codec", to_text({why, ", by all processors: ",
                                            has(f, "gzip")   ? "zstd decodes faster than gzip"
                                            : has(f, "zstd") ? "blosc with lz4 decodes faster than zstd, and packs less"
                                                             : "another codec or level may decode faster",
                                            "; try it on a copy: tessera copy PATH NEW --codecs JSON"})});
}

void about_fetching(Figures const& f, Advices& all) {
  auto const part = share(f.fetch, f.read), of_roof = share(f.files_alone, f.fetch);
  if (f.fetched == 0 || part < threshold::limits) return;
  auto const why = to_text({"fetching takes ", percent(part), " of the time, "});
  auto const file = f.fetched / std::max<std::uint64_t>(f.files, 1);
  if (file < threshold::good_chunk && f.files >= threshold::many_chunks)
    all.push_back({"larger-files", to_text({why, each(Figures::seconds(f.fetch), f.files), " a file of ", human(file),
                                            ": larger chunks, or shards of them, are fewer files"})});
  else if (of_roof >= threshold::at_roof)
    all.push_back({"fewer-bytes", to_text({why, "and files alone take ", percent(of_roof),
                                           " of it: only fewer bytes are faster, by a codec or a stronger level"})});
  else
    all.push_back({"larger-reads", to_text({why, "in ", count(f.requests, "range"), " of ",
                                            human(f.fetched / std::max<std::uint64_t>(f.requests, 1)),
                                            "; files alone, in large pieces, take ", percent(of_roof),
                                            " of it: larger chunks, or regions of whole ones"})});
}

void about_placing(Figures const& f, Advices& all) {
  auto const part = share(f.place, f.read);
  if (f.placed == 0 || part < threshold::limits || f.type.varies()) return;  // objects allow nothing else
  auto const why = to_text({"placing takes ", percent(part), " of the time: "});
  auto const rank = f.inner_chunk_shape.rank();
  auto const row = rank == 0 ? f.type.size : f.inner_chunk_shape[rank - 1] * f.type.size;
  if (has(f, "transpose"))
    all.push_back({"c-order", to_text({why, "the elements of a chunk are stored transposed, and turned by it"})});
  else if (row < threshold::short_row)
    all.push_back(
        {"longer-rows", to_text({why, "rows of chunks have ", row,
                                 " bytes; chunks that are longer along the last dimension are placed faster"})});
  else
    all.push_back({"whole-rows", to_text({why,
                                          "chunks that have all of every dimension but the first are decoded into "
                                          "place"})});
}

void about_the_rest(Figures const& f, Advices& all) {
  auto const roof = std::min(f.roof() / Figures::seconds(f.read), 1.0), rest = f.rest() / Figures::seconds(f.read);
  if (roof >= threshold::at_roof)
    all.push_back({"at-the-roof", to_text({"files, codec and memory alone take ", percent(roof),
                                           " of the time: with these chunks and ", count(f.threads, "thread"),
                                           " there is nothing to gain"})});
  else if (rest >= threshold::limits)
    all.push_back({"larger-chunks", to_text({percent(rest), " of the time is none of the three, ",
                                             each(f.rest(), f.chunks), " a chunk: larger chunks are fewer"})});
  else
    all.push_back({"none", "no part takes most of the time, and no chunk size would change that much"});
}

}  // namespace

std::string limit_of(Figures const& f) {
  std::array<std::pair<double, char const*>, 4> const parts{{{Figures::seconds(f.fetch), "fetch"},
                                                             {Figures::seconds(f.decode), "decode"},
                                                             {Figures::seconds(f.place), "placement"},
                                                             {f.rest(), "rest"}}};
  return std::max_element(parts.begin(), parts.end())->second;
}

std::vector<Advice> advise(Figures const& f) {
  if (f.elements == 0) return {{"nothing-selected", "the region has no elements: nothing was measured"}};
  if (f.chunks == f.missing)
    return {{"nothing-stored", "none of these chunks is stored: give --region of elements that are"}};
  std::vector<Advice> all;
  if (!f.is_all && f.chunks < f.threads && f.asked_chunks >= f.threads)
    all.push_back({"more-memory", "fewer chunks than threads were measured: give more --memory"});
  for (auto* about : {about_small_chunks, about_few_chunks, about_unused_elements, about_whole_shards, about_indexes,
                      about_decoding, about_fetching, about_placing})
    about(f, all);
  if (all.empty()) about_the_rest(f, all);
  return all;
}

std::string advice_help() {
  using namespace threshold;
  return to_text({"The advice uses these figures. Chunks below ",
                  human(small_chunk),
                  ", or in shards below ",
                  human(small_inner_chunk),
                  ", are small if there are at least ",
                  many_chunks,
                  " of them. Chunks of ",
                  human(large_chunk),
                  " or more are large if there are fewer chunks than threads. A kind of work limits the read if it "
                  "takes ",
                  percent(limits),
                  " of the time. There is advice if fewer than ",
                  percent(little_used),
                  " of the decoded elements are wanted; if more than ",
                  percent(much_besides),
                  " of the bytes that are read from a shard are of no chunk; if stored chunks have more than ",
                  percent(hardly_smaller),
                  " of the bytes of their elements; and if files below ",
                  human(good_chunk),
                  ", or rows below ",
                  short_row,
                  " bytes, limit the read. If files, codec and memory alone take ",
                  percent(at_roof),
                  " of the measured time, there is nothing to gain."});
}

}  // namespace cli
