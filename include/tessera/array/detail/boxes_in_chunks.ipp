#pragma once
#include <tessera/array/detail/boxes_in_chunks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void BoxesInChunks::resolve(BoxList const& boxes, Extents const& shape, Padding const& padding,
                                         bool have_one_shape) {
  auto const padded = padding.padded(shape);
  shape_ = shape;
  has_constant_ = padding.mode == PaddingMode::constant && padded != shape;
  axes_.clear();
  for (std::size_t d = 0; d < shape.rank(); ++d)
    axes_.emplace_back(shape[d], padding.before.rank() == 0 ? 0 : padding.before[d], padding.mode);
  auto const turned = boxes.orientations();
  if (!turned.empty() && turned.size() != boxes.size())
    throw SelectionError{
        to_text({"found ", turned.size(), " orientations, expected ", boxes.size(), ", one for each box"})};
  boxes_.clear();
  boxes_.reserve(boxes.size());
  turns_.clear();
  for (std::size_t i = 0; i < boxes.size(); ++i) try {
      boxes_.push_back(boxes.boxes()[i].resolve(padded));
      if (!turned.empty()) turns_.add(turned[i], shape.rank());
      if (have_one_shape && i > 0 && !have_same_shape(i, 0))
        throw SelectionError{to_text(
            {"found the shape ", to_string(shape_of(i)), ", expected ", to_string(shape_of(0)), ", that of box 0"})};
    } catch (SelectionError const& error) {
      throw SelectionError{to_text({"box ", i, padded != shape ? " of the padded array: " : ": ", error.what()})};
    }
}

TESSERA_DECL bool BoxesInChunks::have_same_shape(std::size_t a, std::size_t b) const {
  return turns_.are_any() ? shape_of(a) == shape_of(b) : boxes_[a].count == boxes_[b].count;
}

TESSERA_DECL Extents BoxesInChunks::shape_of(std::size_t box) const {
  auto result = boxes_[box].count;
  for (std::size_t d = 0; d < rank(); ++d) result[turns_.in_memory(box, d)] = boxes_[box].count[d];
  return result;
}

TESSERA_DECL std::uint64_t BoxesInChunks::elements() const {
  std::uint64_t sum = 0;
  for (auto const& box : boxes_) sum += std::min(element_count(box.count, "a box"), ~std::uint64_t{0} - sum);
  return sum;
}

TESSERA_DECL Extents BoxesInChunks::shape_of_all() const {
  Extents all{boxes_.size()};
  for (auto const n : boxes_.empty() ? Extents::filled(rank(), 0) : shape_of(0)) all.push_back(n);
  return all;
}

TESSERA_DECL void BoxesInChunks::find_chunks(Extents const& chunk_shape, Extents const& group, std::size_t item_size,
                                             std::vector<ChunkAxis> const& axes) {
  chunk_shape_ = chunk_shape;
  grid_ = axes;
  item_size_ = item_size;
  elements_ = element_count(chunk_shape, "a chunk");
  strides_ = Layout::c_order(chunk_shape, item_size).strides;
  find_touches();
  sort(group);
  chunks_.clear();
  wanted_.clear();
  begin_.assign(1, 0);
  wanting_.clear();
  auto const rank = shape_.rank();
  for (auto const i : order_) {
    Extents const chunk{std::span{places_}.subspan(i * rank, rank)};
    if (chunks_.empty() || chunks_.back().chunk != chunk) {
      chunks_.push_back({chunk, chunks_.size() * elements_});
      wanted_.push_back({});
      begin_.push_back(begin_.back());
    }
    extend(wanted_.back(), touching_[i], chunk);
    wanting_.push_back(touching_[i]);
    ++begin_.back();
  }
  auto const bytes = checked_product(elements_, item_size_, "a chunk");
  (void)checked_size(checked_product(bytes, chunks_.size(), "the chunks"), "the chunks");  // places do not overflow
  for (std::size_t i = 0; i < chunks_.size(); ++i) chunks_[i].wanted = &wanted_[i];
}

TESSERA_DECL void BoxesInChunks::find_touches() {
  places_.clear();
  touching_.clear();
  auto const n = rank();
  if (along_.size() < n) along_.resize(n);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    bool touches = true;
    for (std::size_t d = 0; d < n; ++d) touches = find_chunks_along(i, d) && touches;
    for (auto at = Extents::filled(n, 0); touches;) {
      for (std::size_t d = 0; d < n; ++d) places_.push_back(along_[d][at[d]]);
      touching_.push_back(i);
      auto d = n;
      while (d > 0 && ++at[d - 1] == along_[d - 1].size()) at[--d] = 0;
      touches = d != 0;
    }
  }
}

TESSERA_DECL bool BoxesInChunks::find_chunks_along(std::size_t box, std::size_t d) {
  auto& found = along_[d];
  found.clear();
  if (shape_[d] == 0) return false;
  auto const of_box = steps(box, d);
  // Between neighbouring elements there may be a chunk that has none.
  bool const skips = of_box.step > (grid_.empty() ? chunk_shape_[d] : 1);
  std::size_t runs = 0;
  axes_[d].for_each_run(of_box, 0, shape_[d], [&](AxisRun const& run) {
    ++runs;
    auto const reach = run.direction == 0 ? 0 : (run.count - 1) * of_box.step;
    auto const low = run.direction < 0 ? run.first - reach : run.first;
    if (skips)
      for (std::uint64_t at = 0, n = reach == 0 ? 1 : run.count; at < n; ++at)
        found.push_back(chunk_of(d, low + at * of_box.step));
    else
      for (auto at = chunk_of(d, low), last = chunk_of(d, low + reach); at <= last; ++at) found.push_back(at);
  });
  if (runs > 1 || (skips && !grid_.empty())) {
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  return !found.empty();
}

TESSERA_DECL void BoxesInChunks::sort(Extents const& group) {
  order_.resize(touching_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
  auto const rank = shape_.rank();
  std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
    auto const *const x = places_.data() + a * rank, *const y = places_.data() + b * rank;
    for (std::size_t d = 0; d < rank; ++d)
      if (x[d] / group[d] != y[d] / group[d]) return x[d] < y[d];
    for (std::size_t d = 0; d < rank; ++d)
      if (x[d] != y[d]) return x[d] < y[d];
    return a < b;
  });
}

TESSERA_DECL void BoxesInChunks::extend(Part& wanted, std::size_t box, Extents const& chunk) {
  auto first = chunk, count = chunk;
  for (std::size_t d = 0; d < chunk.rank(); ++d) {
    auto const placed = chunk_along(d, chunk[d]);
    first[d] = placed.first;
    count[d] = placed.elements;
  }
  bool const is_new = wanted.count.rank() < chunk.rank();
  if (is_new) wanted.first = wanted.count = wanted.target = chunk;
  find_runs(box, first, count, runs_);  // the box touches the chunk
  for (std::size_t d = 0; d < chunk.rank(); ++d) {
    auto low = is_new ? count[d] : wanted.first[d], end = is_new ? 0 : wanted.first[d] + wanted.count[d];
    for (auto const& run : runs_.along(d)) {
      auto const at = run.first - first[d];
      auto const reach = run.direction == 0 ? 0 : (run.count - 1) * steps(box, d).step;
      low = std::min(low, run.direction < 0 ? at - reach : at);
      end = std::max(end, (run.direction < 0 ? at : at + reach) + 1);
    }
    wanted.first[d] = low;
    wanted.count[d] = end - low;
  }
}

TESSERA_DECL bool BoxesInChunks::find_runs(std::size_t box, Extents const& first, Extents const& count,
                                           BoxRuns& found) const {
  found.clear();
  bool has_elements = true;
  for (std::size_t d = 0; d < rank(); ++d) {
    axes_[d].for_each_run(steps(box, d), first[d], first[d] + count[d], [&](AxisRun const& run) { found.add(run); });
    found.end_axis();
    has_elements = has_elements && !found.along(d).empty();
  }
  return has_elements;
}

TESSERA_DECL std::uint64_t BoxesInChunks::element_along(std::size_t box, std::size_t d, std::uint64_t in_memory) const {
  auto const [first, count, step] = steps(box, d);
  auto const i = first_in_memory(box, d, in_memory, 1);  // flipped twice is not flipped
  std::uint64_t found = 0;
  axes_[d].for_each_run({first + i * step, 1, 1}, 0, shape_[d], [&](AxisRun const& run) { found = run.first; });
  return found;
}

TESSERA_DECL void BoxesInChunks::want_whole(std::size_t chunk) {
  auto& [first, count, target] = wanted_[chunk];
  for (std::size_t d = 0; d < shape_.rank(); ++d) {
    first[d] = 0;
    count[d] = chunk_along(d, chunks_[chunk].chunk[d]).elements;
  }
}

TESSERA_DECL ChunkWindow BoxesInChunks::window(std::uint64_t place) const {
  ChunkWindow result{0, {}, place % item_size_};
  auto element = place / item_size_;
  result.chunk = static_cast<std::size_t>(element / elements_);
  auto const& placed = chunks_[result.chunk];
  result.first = placed.chunk;
  for (auto d = result.first.rank(); d-- > 0; element /= chunk_shape_[d])
    result.first[d] =
        chunk_along(d, placed.chunk[d]).first + placed.wanted->first[d] + element % chunk_shape_[d];
  return result;
}

TESSERA_DECL std::int64_t BoxesInChunks::stride(std::size_t box, std::size_t d, AxisRun const& run) const {
  // A longer step meets a chunk once at most, and its bytes might overflow.
  return run.direction * static_cast<std::int64_t>(std::min(boxes_[box].step[d], chunk_shape_[d]));
}

TESSERA_DECL std::uint64_t BoxesInChunks::held() const {
  auto const bytes = [](auto const& list) { return list.capacity() * sizeof(list[0]); };
  std::uint64_t along = bytes(along_) + runs_.held();
  for (auto const& chunks : along_) along += bytes(chunks);
  return along + bytes(grid_) + bytes(axes_) + bytes(boxes_) + turns_.held() + bytes(places_) + bytes(touching_) +
         bytes(order_) + bytes(chunks_) + bytes(wanted_) + bytes(begin_) + bytes(wanting_);
}

}}}  // namespace tessera::v0::detail
