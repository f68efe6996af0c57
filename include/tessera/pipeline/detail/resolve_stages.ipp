#pragma once
#include <tessera/pipeline/detail/resolve_stages.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/chunk_parts.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ResolvedChunk resolve_stages(StageList list, ChunkSpecification chunk, ResolveShard const* shard,
                                          bool is_of_host) {
  ResolvedChunk form;
  std::vector<ChunkSpecification> before, after;  // of codecs that change values
  std::size_t casts = 0;                          // of elements; the next codec says their size
  bool is_array = true;
  auto const stands_here = [&] {
    for (std::size_t i = 0; i <= casts; ++i) form.bounds.push_back(chunk.size_in_bytes());
    casts = 0;
  };
  AnyStage const* at = nullptr;
  try {
    for (auto const* stage : list) {
      auto const& traits = stage->traits();
      at = stage;
      if (traits.is_cast) {
        if (is_array)
          ++casts;
        else
          form.bounds.push_back(form.bounds.back());
      } else if (traits.writes_array) {
        auto encoded = at->encoded(chunk);
        if (!traits.is_view) {
          stands_here();
          before.push_back(std::move(chunk));
          after.push_back(ChunkSpecification{encoded});
        }
        chunk = std::move(encoded);
      } else {
        if (traits.reads_array) {
          form.decoded_size = chunk.size_in_bytes();  // first: it checks the product that the layout uses
          form.layout = at->layout(chunk);
          form.varying = traits.varying;
          form.chunk = chunk;
          stands_here();
          is_array = false;
        }
        if (!traits.is_view) {
          form.decoders += at->decoding_memory(form.bounds.back());
          form.part_memory += at->part_memory(chunk, form.bounds.back());
          form.bounds.push_back(at->encoded_bound(chunk, form.bounds.back()));
        }
      }
      if (!traits.is_cast && !traits.is_view) form.stores_elements = false;
    }
    at = nullptr;
    if (shard) form = (*shard)(chunk);
    if (form.varying && !is_of_host)
      throw MetadataError{to_text({"member data_type: elements of ", chunk.type.name(),
                                   " can be read into host memory only; open the array in host memory"})};
    for (auto i = list.size(); i-- > 0;) {
      at = list[i];
      if (!at->traits().writes_array) continue;
      if (form.varying && !at->traits().is_view)
        throw MetadataError{
            to_text({"changes values, and elements of ", chunk.type.name(), " have no values that it can change"})};
      if (at->traits().is_view) {
        form.see_through(*at);
      } else {
        form.change(before.back(), std::move(after.back()));
        before.pop_back(), after.pop_back();
      }
    }
    if (!shard) find_parts(list, form);
  } catch (Error& error) {
    error.in_codec(at ? at->name() : "sharding_indexed");
    throw;
  }
  return form;
}

}}}  // namespace tessera::v0::detail
