// How the shards of an open array lose the bytes that nothing in them uses.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/array/array_state.hpp>
#include <tessera/array/open_chunks.hpp>
#include <tessera/array/under_way.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/plan/plan.hpp>
#include <tessera/transfer/compact_shards.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// AnyArray::compact; null: all shards that there are.
template <class S, class P>
std::uint64_t compact_array(ArrayState<S, P>& array, ResolvedSelection const* selected, typename P::queue_type& on,
                            CompactOptions const& options) {
  auto const held = array.shape.hold();
  auto const now = array.shape.get();
  auto const& document = array.array->document;
  if (selected) in_document(array.store, document, [&] { selected->expect_inside(now); });
  if (array.form.shards.empty()) return 0;
  auto const compact_each = [&](std::uint64_t count, auto const& place) {
    return in_document(array.store, document, [&] {
      WritableChunks<S, P> const chunks{array, array.whole(now)};
      auto const won = compact_shards(chunks.access(), count, place, on, options);
      on.wait();
      return won;
    });
  };
  auto const& metadata = array.metadata;
  try {
    if (selected) {
      Plan const plan{*selected, metadata.chunk_shape};
      return compact_each(plan.size(), [&](std::uint64_t i) { return plan.piece(i).chunk; });
    }
    auto const places =
        shards_of(array.store, array.path, metadata.key_encoding, now, metadata.chunk_shape, on.host(), options.stop);
    return compact_each(places.size(), [&](std::uint64_t i) { return places[static_cast<std::size_t>(i)]; });
  } catch (...) {
    wait_and_throw(on);
  }
}

}}}  // namespace tessera::v0::detail
