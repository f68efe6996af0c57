#pragma once
#include <tessera/pipeline/detail/resolved_chunk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL void ResolvedChunk::change(ChunkSpecification const& before, ChunkSpecification after) {
  auto dense = Layout::c_order(after.shape, after.type.size);
  bool const is_dense = layout == dense;
  detail::put_first(changes, {before, std::move(after), std::move(layout), is_dense});
  stores_elements = stores_ranges = false;
  chunk = before;
  decoded_size = before.size_in_bytes();  // first: it checks the product that the layout uses
  layout = Layout::c_order(before.shape, before.type.size);
}

TESSERA_DECL std::uint64_t ResolvedChunk::memory(bool is_changed) const {
  std::uint64_t sum = 0;
  auto const add = [&](std::size_t bound) {
    sum = std::min(sum, most_bytes) + std::min(std::uint64_t{bound}, most_bytes);
  };
  add(decoders);
  for (auto bound : bounds) add(bound);
  for (auto const& change : changes) add(change.encoded_size() * (is_changed ? 2 : 1));
  if (!is_changed) return sum;
  if (is_view()) add(decoded_size);
  for (std::size_t i = 1; i + 1 < bounds.size(); ++i) add(bounds[i]);
  return sum;
}

namespace detail {

TESSERA_DECL void expect_at_most(std::uint64_t found, std::uint64_t most) {
  if (found > most)
    throw CodecError{"a chunk of " + std::to_string(found) + " bytes; expected at most " + std::to_string(most)};
}

TESSERA_DECL void expect_size(std::size_t found, std::size_t expected, std::size_t chunk) {
  if (found == expected) return;
  CodecError error{"found " + std::to_string(found) + " bytes of elements, expected " + std::to_string(expected)};
  error.in_chunk(chunk);
  throw error;
}

}  // namespace detail

}}  // namespace tessera::v0
