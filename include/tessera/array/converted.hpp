// A pipeline whose elements are converted after they are decoded: what reads chunks reads numbers of another type.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/buffer/scratch.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/core/convert.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera::inline v0::detail {

/// The chunks of a form with elements of another size, each where it was. Throws: MetadataError, if they lie apart by
/// parts of an element.
inline ChunkForm converted(ChunkForm form, DataType to) {
  auto& layout = form.layout;
  auto const from_size = layout.item_size;
  for (std::size_t d = 0; d < layout.shape.rank(); ++d) {
    auto const items = layout.strides[d] / static_cast<std::int64_t>(from_size);
    if (items * static_cast<std::int64_t>(from_size) != layout.strides[d])
      throw MetadataError{"elements that lie apart by parts of an element cannot be converted"};
    layout.strides[d] = items * static_cast<std::int64_t>(to.size);
  }
  layout.item_size = to.size;
  layout.swapped = 1;
  form.chunk.type = to;
  form.decoded_size = checked_size(checked_product(form.decoded_size / from_size, to.size, "a chunk"), "a chunk");
  form.bounds.insert(form.bounds.begin(), form.decoded_size);
  return form;
}

/// What P decodes, converted. All of a chunk is converted, selected or not; `misfit` becomes true where a number does
/// not fit, and it is the nearest then.
template <class P, class To, class From>
class Converted {
  static_assert(P::array_space::host_accessible);

 public:
  using array_space = typename P::array_space;
  using bytes_space = typename P::bytes_space;
  using queue_type = typename P::queue_type;
  using bytes_staging = typename P::bytes_staging;
  using array_staging = typename P::array_staging;

  Converted(P const& pipeline, ChunkForm const& form, ToProgram<To, From> way, std::atomic<bool>& misfit)
      : pipeline_{pipeline}, form_{form}, way_{way}, misfit_{misfit} {}

  struct Decoding {
    std::size_t most = 0;
    bool apart = false;
    typename P::Decoding decoding;
    std::vector<DecodeTask<bytes_space, array_space>> tasks;
    Scratch<array_staging> scratch;
  };

  void decode(ChunkForm const& form, std::span<DecodeTask<bytes_space, array_space>> chunks, Decoding& work,
              queue_type& on) const {
    auto const size = form_.decoded_size;
    auto const most = std::max(work.most, chunks.size());
    work.tasks.clear();
    if (form_.is_view()) {  // what is stored are the elements
      for (auto const& chunk : chunks) work.tasks.push_back({chunk.encoded});
    } else {
      auto const bytes = checked_size(checked_product(most, size, "a mini-batch"), "a mini-batch");
      auto const room = seen_in<array_space>(work.scratch.take(bytes, queue_in<array_staging>(on)));
      for (std::size_t i = 0; i < chunks.size(); ++i)
        work.tasks.push_back({chunks[i].encoded, room.sub(i * size, size)});
    }
    work.decoding.most = work.most;
    work.decoding.apart = work.apart;
    pipeline_.decode(form_, std::span{work.tasks}, work.decoding, on);
    on.wait();  // the host's work begins
    bool const swapped = form_.layout.swapped > 1;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      expect_size(work.tasks[i].decoded.size, size, i);
      if (!convert(work.tasks[i].decoded.data, chunks[i].to.data, size / sizeof(From), swapped, way_))
        misfit_.store(true, std::memory_order_relaxed);
      chunks[i].decoded = chunks[i].to.sub(0, form.decoded_size);
    }
  }

 private:
  P const& pipeline_;
  ChunkForm const& form_;
  ToProgram<To, From> way_;
  std::atomic<bool>& misfit_;
};

}  // namespace tessera::inline v0::detail
