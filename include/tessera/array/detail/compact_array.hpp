// compact_array: removes unused bytes from the shards of an open array.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/array/detail/open_array.hpp>
#include <tessera/array/detail/open_chunks.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/compact_shards.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// AnyArray::compact; null `selected`: all shards.
template <class P>
std::uint64_t compact_array(OpenArray<P>& array, typename OpenArray<P>::Writable const& store,
                            ResolvedSelection const* selected, typename P::queue_type& on,
                            CompactOptions const& options) {
  auto const held = array.array->shape.hold(options.stop);
  auto const now = array.array->shape.get();
  auto const& document = array.array->document;
  if (selected) in_document(array, document, [&] { selected->expect_inside(now); });
  if (array.form.shards.empty()) return 0;
  auto const compact_each = [&](std::uint64_t count, auto const& place) {
    return in_document(array, document, [&] {
      OpenChunks<P, typename OpenArray<P>::Writable> const chunks{array, store, array.whole(now), false};
      auto const won = compact_shards(chunks.access(), count, place, on, options);
      on.wait();
      return won;
    });
  };
  auto const& metadata = array.array->metadata;
  try {
    if (selected) {
      Plan const plan{*selected, metadata.chunk_shape};
      return compact_each(plan.size(), [&](std::uint64_t i) { return plan.piece(i).chunk; });
    }
    auto const places =
        shards_of(store, array.array->path, metadata.key_encoding, now, metadata.chunk_shape, on.host(), options.stop);
    return compact_each(places.size(), [&](std::uint64_t i) { return places[static_cast<std::size_t>(i)]; });
  } catch (...) {
    wait_and_throw(on);
  }
}

}}}  // namespace tessera::v0::detail
