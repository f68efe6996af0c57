#pragma once
#include <tessera/array/detail/open_array.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/change_shape.hpp>
#include <tessera/array/detail/chunk_box.hpp>
#include <tessera/array/detail/compact_array.hpp>
#include <tessera/array/detail/open_chunks.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/core/error.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/detail/rectilinear.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/plan/detail/regular_parts.hpp>
#include <tessera/shard/detail/index_cache.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/read.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class P>
OpenArray<P>::OpenArray(std::shared_ptr<SharedArray> const& opened, ResolvedChunk resolved, StageList of)
    : array{opened},
      form{std::move(resolved)},
      stages{of.begin(), of.end()},
      fill_{array->metadata.fill.data(), array->metadata.fill.size()} {}
template <class P>
OpenArray<P>::~OpenArray() = default;

template <class P>
ChunkSpecification OpenArray<P>::specification_of(ArrayMetadata const& metadata, Extents const& chunk) {
  auto found = chunk_of(metadata);
  found.shape = chunk;
  return found;
}

template <class P>
void OpenArray<P>::expect_all_resolve() const {
  auto const& metadata = array->metadata;
  for (std::size_t d = 0; d < metadata.edges.size(); ++d)
    for (auto const& run : metadata.edges[d].runs) {
      auto chunk = metadata.chunk_shape;
      chunk[d] = run.length;
      if (!form.shards.empty()) (void)resolve(specification_of(metadata, chunk));
    }
}

template <class P>
ArrayMetadata OpenArray<P>::present_metadata() const {
  auto present = array->metadata;
  present.shape = array->shape.get();
  return present;
}

template <class P>
Extents OpenArray<P>::grid_of(Extents grid) const {
  auto const& metadata = array->metadata;
  if (has_parts()) {
    auto const axes = chunk_axes(metadata.edges, grid);
    for (std::size_t d = 0; d < grid.rank(); ++d) grid[d] = axes[d].chunks();
    return grid;
  }
  for (std::size_t d = 0; d < grid.rank(); ++d) {
    auto const length = metadata.chunk_shape[d];
    grid[d] = grid[d] / length + (grid[d] % length != 0);
  }
  return grid;
}

template <class P>
Box OpenArray<P>::chunk_box(Extents const& chunk) const {
  return in_document(*this, array->document, [&] {
    auto const now = array->shape.get();
    return box_of_chunk(chunk, grid_of(now), now, array->metadata.chunk_shape, array->metadata.edges);
  });
}

template <class P>
ByteView<space::Host> OpenArray<P>::fill_element() const {
  auto const& metadata = array->metadata;
  if (!metadata.type.varies()) return {metadata.fill.data(), metadata.fill.size()};
  return {reinterpret_cast<std::byte const*>(&fill_), sizeof fill_};
}

template <class P>
void OpenArray<P>::expect_fixed_size() const {
  auto const type = array->metadata.type;
  if (type.varies())
    in_document(*this, array->document, [&] {
      throw MetadataError{to_text({"member data_type: elements of ", type.name(),
                                   " vary in size; read and write them through an Array or ArrayOf of that type"})};
    });
}

template <class P>
void OpenArray<P>::expect_encodes() const {
  in_codecs_of(*this, array->document, [&] { check_encoding(); });
}

template <class P>
Extents OpenArray<P>::expect_inside(ResolvedSelection const& selected, Strides const& strides) const {
  return in_document(*this, array->document, [&] {
    if (strides.rank() != selected.shape.rank())
      throw SelectionError{to_text({"found ", strides.rank(), " strides, expected ", selected.shape.rank()})};
    auto const now = array->shape.get();
    selected.expect_inside(now);
    return now;
  });
}

template <class P>
RegularGrid OpenArray<P>::whole(Extents const& as) const {
  if (has_parts())
    throw MetadataError{"chunk grid \"rectilinear\"",
                        "member chunk_grid: \"rectilinear\" is not supported by this call; read and write support it"};
  return {form, as};
}

template <class P>
void OpenArray<P>::for_each_part(Extents const& as, ResolvedSelection const& selected, Strides const& strides,
                                 UseGrid f) {
  if (!has_parts()) return f(whole(as), selected, 0);
  for_each_regular_part(selected, chunk_axes(array->metadata.edges, as), as,
                        [&](RegularPart const& part, ResolvedSelection const& some, Extents const& target) {
                          std::ptrdiff_t offset = 0;
                          for (std::size_t d = 0; d < target.rank(); ++d)
                            offset += static_cast<std::ptrdiff_t>(target[d]) * strides[d];
                          f(part_of(part), some, offset);
                        });
}

template <class P>
void OpenArray<P>::for_each_part(Extents const& as, std::span<PlacedChunk const> listed, UseListed f) {
  if (!has_parts()) return f(whole(as), listed);
  auto const inner = form.shards.empty() ? Extents{} : form.layout.shape;
  for_each_regular_part(listed, chunk_axes(array->metadata.edges, as), inner,
                        [&](RegularPart const& part, std::span<PlacedChunk const> some) { f(part_of(part), some); });
}

// Computes the form of a part once per chunk shape.
template <class P>
RegularGrid OpenArray<P>::part_of(RegularPart const& part) {
  std::lock_guard lock{forms_mutex_};
  auto const name = to_string(part.chunk_shape);
  auto found = forms_.find(name);
  if (found == forms_.end())
    found = forms_.emplace(name, resolve(specification_of(array->metadata, part.chunk_shape))).first;
  return {found->second, part.shape, &part.first_chunk};
}

template <class P>
std::shared_ptr<ShardIndexCache> OpenArray<P>::indexes(RegularGrid const& of) const {
  if (of.form.shards.empty()) return nullptr;
  if (!of.first_chunk)
    if (auto kept = array->indexes()) return kept;
  constexpr auto most = std::uint64_t{64} << 20;  // bytes of indexes: some shards at a time
  return std::make_shared<ShardIndexCache>(of.form.shards, most);
}

template <class P>
void OpenArray<P>::keep_indexes(std::uint64_t most) {
  if (most == 0 || form.shards.empty()) return array->keep(nullptr);
  struct Kept {  // owns its levels: handles with other pipelines may outlive this state
    Kept(std::vector<ShardLevel> const& of, std::uint64_t bytes) : levels{of}, indexes{levels, bytes} {}
    std::vector<ShardLevel> const levels;
    ShardIndexCache indexes;
  };
  auto kept = std::make_shared<Kept>(form.shards, most);
  auto* const indexes = &kept->indexes;
  array->keep({std::move(kept), indexes});
}

template <class P>
FolderLock OpenArray<P>::hold_shape(Writable const& store, Stop stop) {
  if (!store.locks_folders()) return {};
  auto const open = array->shape.get();
  bool is_cut = has_parts();
  for (std::size_t d = 0; d < open.rank(); ++d) is_cut = is_cut || open[d] % array->metadata.chunk_shape[d] != 0;
  if (!is_cut) return {};
  auto held = store.lock_folder(array->path, Sharing::shared, stop);
  store.read_shape(*array);
  return held;
}

template <class P>
ResolvedSelection OpenArray<P>::surrounding_of(std::span<PlacedChunk const> listed) const {
  return in_document(*this, array->document, [&] {
    auto const now = array->shape.get();
    bool const has_edges = has_parts() && form.shards.empty();  // inner chunks have one shape
    return box_of_chunks(listed, now, form.layout.shape,
                         has_edges ? chunk_axes(array->metadata.edges, now) : std::vector<ChunkAxis>{});
  });
}

/// Reads a selection of a grid, or a plan of it.
template <class P, class What>
void read_grid(OpenArray<P>& array, typename OpenArray<P>::Readable const& store, RegularGrid const& grid,
               What const& selected, StridedSpan<typename P::array_space> const& to, typename P::queue_type& on,
               ReadOptions const& options) {
  OpenChunks<P, typename OpenArray<P>::Readable> const chunks{array, store, grid};
  auto source = chunks.access();
  if (to.placer) source.fill = to.placer->placed_fill(source.fill);
  read_chunks(source, selected, to, on, options);
}

template <class P>
auto OpenArray<P>::read(ResolvedSelection const& selected, StridedSpan<array_space> const& to, queue_type& queue,
                        ReadOptions const& options, OptionDefaults const& usual) -> Completion {
  auto const used = usual.used_for(options);
  auto const now = expect_inside(selected, to.strides);
  in_document(*this, array->document, [&] { expect_apart(selected.shape, to.strides); });
  try {
    if (has_parts())
      for_each_part(now, selected, to.strides,
                    [&](RegularGrid const& grid, ResolvedSelection const& some, std::ptrdiff_t offset) {
                      auto there = to;
                      there.data += offset;
                      read_grid(*this, readable(), grid, some, there, queue, used.get());
                    });
    else  // most arrays, without a callback
      read_grid(*this, readable(), whole(now), selected, to, queue, used.get());
    return finish(*this, "a read", selected, queue);
  } catch (...) {
    fail(*this, "a read", selected, queue);
  }
}

template <class P>
auto OpenArray<P>::read_listed(Readable const& store, std::span<PlacedChunk const> listed,
                               StridedSpan<array_space> const& to, queue_type& queue, ReadOptions const& options,
                               OptionDefaults const& usual) -> Completion {
  auto const used = usual.used_for(options);
  ResolvedSelection const surrounding = surrounding_of(listed);
  auto const now = expect_inside(surrounding, to.strides);
  try {
    for_each_part(now, listed, [&](RegularGrid const& grid, std::span<PlacedChunk const> some) {
      read_grid(*this, store, grid, Plan{some, grid.shape, grid.form.layout.shape}, to, queue, used.get());
    });
    return finish(*this, "a read", surrounding, queue);
  } catch (...) {
    fail(*this, "a read", surrounding, queue);
  }
}

template <class P>
auto OpenArray<P>::for_chunks(ResolvedSelection const& selected, Strides const& strides, queue_type& queue,
                              UseChunks f) -> Completion {
  auto const now = expect_inside(selected, strides);
  try {
    OpenChunks<P, Readable> const chunks{*this, readable(), whole(now)};
    f(chunks.access());
    return finish(*this, "a read", selected, queue);
  } catch (...) {
    fail(*this, "a read", selected, queue);
  }
}

template <class P>
auto OpenArray<P>::write(Writable const& store, ResolvedSelection const& selected,
                         StridedView<array_space> const& from, queue_type& queue, WriteOptions const& options,
                         OptionDefaults const& usual) -> Completion {
  expect_encodes();
  auto const used = usual.used_for(options);
  auto const held = array->shape.hold(used.get().stop);
  auto const shared = hold_shape(store, used.get().stop);
  auto const now = expect_inside(selected, from.strides);
  try {
    write_parts(*this, store, now, selected, from, queue, used.get());
    return finish(*this, "a write", selected, queue);
  } catch (...) {
    fail(*this, "a write", selected, queue);
  }
}

template <class P>
auto OpenArray<P>::write_as(Writable const& store, Extents const& as, ResolvedSelection const& selected,
                            StridedView<array_space> const& from, queue_type& queue, WriteOptions const& options,
                            OptionDefaults const& usual) -> Completion {
  expect_encodes();
  auto const used = usual.used_for(options);
  auto const held = array->shape.hold(used.get().stop);
  in_document(*this, array->document, [&] { selected.expect_inside(as); });
  try {
    write_parts(*this, store, as, selected, from, queue, used.get());
    return finish(*this, "a write", selected, queue);
  } catch (...) {
    fail(*this, "a write", selected, queue);
  }
}

template <class P>
auto OpenArray<P>::write_listed(Writable const& store, std::span<PlacedChunk const> listed,
                                StridedView<array_space> const& from, queue_type& queue, WriteOptions const& options,
                                OptionDefaults const& usual) -> Completion {
  expect_encodes();
  auto const used = usual.used_for(options);
  auto const held = array->shape.hold(used.get().stop);
  auto const shared = hold_shape(store, used.get().stop);
  ResolvedSelection const surrounding = surrounding_of(listed);
  auto const now = expect_inside(surrounding, from.strides);
  try {
    for_each_part(now, listed, [&](RegularGrid const& grid, std::span<PlacedChunk const> some) {
      write_grid(*this, store, grid, Plan{some, grid.shape, grid.form.layout.shape}, from, queue, used.get());
    });
    return finish(*this, "a write", surrounding, queue);
  } catch (...) {
    fail(*this, "a write", surrounding, queue);
  }
}

template <class P>
void OpenArray<P>::for_written_chunks(Writable const& store, queue_type& queue, UseWritten f, Stop stop) {
  auto const held = array->shape.hold(stop);
  auto const shared = hold_shape(store, stop);
  auto const now = array->shape.get();
  in_document(*this, array->document, [&] {
    OpenChunks<P, Writable> const chunks{*this, store, whole(now)};
    f(chunks.access(), now);
    queue.wait();
  });
}

template <class P>
void OpenArray<P>::resize(Writable const& store, Extents const& shape, queue_type& queue) {
  change_shape(*this, store, shape, queue);
}
template <class P>
auto OpenArray<P>::append(Writable const& store, std::size_t axis, Extents const& block,
                          StridedView<array_space> const& from, queue_type& queue, WriteOptions const& options,
                          OptionDefaults const& usual) -> Completion {
  expect_encodes();
  return append_block(*this, store, axis, block, from, queue, usual.used_for(options).get());
}
template <class P>
std::uint64_t OpenArray<P>::compact(Writable const& store, ResolvedSelection const* selected, queue_type& queue,
                                    CompactOptions const& options) {
  return compact_array(*this, store, selected, queue, options);
}

}}}  // namespace tessera::v0::detail
