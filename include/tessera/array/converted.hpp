// Memory whose numbers are of another type than an array's: each is converted where it is placed.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/core/convert.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/place/convert.hpp>
#include <tessera/transfer/read.hpp>
#include <tessera/transfer/write.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Reads a selection, each number converted where it is placed. As AnyArray::read.
template <class Way, class S, class P>
auto read_converted(AnyArray<S, P> const& array, ResolvedSelection const& what,
                    StridedSpan<typename P::array_space> const& to, Way const& way, Misfits const& misfits,
                    typename P::queue_type& on, ReadOptions const& options) {
  return array.for_parts(what, to.strides, on, [&](auto const& chunks, auto const& part, std::ptrdiff_t offset) {
    typename Way::From fill;
    std::memcpy(&fill, chunks.fill.data, sizeof fill);
    bool fits = true;
    auto const filled = is_same(way) ? converted<AsItIs>(way, fill, fits) : converted<WorkedOut>(way, fill, fits);
    auto source = chunks;
    source.fill = {reinterpret_cast<std::byte const*>(&filled), sizeof filled};
    using Space = typename P::array_space;
    ConvertingPlacer<Space, Way> const placer{{way, misfits, fits}};
    array.with_defaults(options, [&](auto const& used) {
      read_chunks(source, part, PlacedSpan<Space>{to.data + offset, to.strides, placer.view()}, on, used);
    });
  });
}

/// Likewise.
template <class Way, class S, class P>
auto write_converted(AnyArray<S, P> const& array, ResolvedSelection const& what,
                     StridedView<typename P::array_space> const& from, Way const& way, typename P::queue_type& on,
                     WriteOptions const& options) {
  using Space = typename P::array_space;
  ConvertingPlacer<Space, Way> const placer{{way}};
  return array.write_from(what, PlacedView<Space>{from.data, from.strides, placer.view()}, on, options);
}

// Parts of a selection that together are all of it, in the order of the memory: a box by rows of whole chunks, about
// 16 MiB each. Calls f(part, first element of it).
template <class F>
void for_each_part_of(ResolvedSelection const& what, Extents const& chunk, std::size_t item_size, F&& f) {
  constexpr std::uint64_t usual = 16 << 20;
  auto const elements = element_count(what.shape, "the selection");
  if (what.is_points || what.is_mask || !what.lists.empty() || what.shape.rank() == 0 || elements * item_size <= usual)
    return f(what, std::uint64_t{0});
  auto const rows = what.shape[0], of_row = elements / rows, first = what.region.first[0], step = what.region.step[0];
  auto const wanted = std::max<std::uint64_t>(usual / (of_row * item_size), 1);
  auto const start_of = [&](std::uint64_t chunks) {  // the first row of that row of chunks, or of the selection
    auto const at = chunks * chunk[0];
    return at <= first ? 0 : (at - first + step - 1) / step;
  };
  for (std::uint64_t row = 0; row < rows;) {
    auto next = row + wanted;
    if (next < rows) {
      auto const last = (first + next * step) / chunk[0];
      next = start_of(last) > row ? start_of(last) : start_of(last + 1);
    }
    next = std::min(next, rows);
    auto region = what.region;
    region.first[0] = first + row * step;
    region.count[0] = next - row;
    f(ResolvedSelection{region}, row * of_row);
    row = next;
  }
}

// "[3, 4]", of the i-th element of a shape.
inline std::string place_in(Extents const& shape, std::uint64_t i) {
  auto place = shape;
  for (std::size_t d = shape.rank(); d-- > 0; i /= shape[d]) place[d] = i % shape[d];
  return to_string(place);
}

/// Numbers of a selection of that shape, from that one on. Throws: ConversionError naming the first that does not fit.
template <class Way, class S, class P>
void expect_fitting(AnyArray<S, P> const& array, Extents const& shape, std::uint64_t first,
                    typename Way::From const* numbers, std::size_t count, Way const& way) {
  if (auto const i = first_misfit(numbers, count, way); i < count)
    throw does_not_fit(way, numbers[i], place_in(shape, first + i))
        .in_key(array.path())
        .in_store(name_of(array.store()));
}

/// For a second look at a selection: what the first one counted is not counted again.
inline ReadOptions unobserved(ReadOptions options) {
  options.progress = {};
  options.traffic = nullptr;
  return options;
}

/// Reads a selection again, as it is stored, and waits for it. Throws: ConversionError naming the first number that
/// does not fit; nothing, if somebody has replaced it.
template <class Way, class S, class P>
void find_misfit(AnyArray<S, P> const& array, ResolvedSelection const& what, Way const& way, typename P::queue_type& on,
                 ReadOptions const& options) {
  using From = typename Way::From;
  using Space = typename P::array_space;
  for_each_part_of(what, array.chunk_shape(), sizeof(From), [&](ResolvedSelection const& part, std::uint64_t first) {
    auto const count = checked_size(element_count(part.shape, "the selection"), "the selection");
    buffer_in_t<Space> there(checked_size(checked_product(count, sizeof(From), "the selection"), "the selection"),
                             queue_in<Space>(on));
    auto const dense = Layout::c_order(part.shape, sizeof(From)).strides;
    if constexpr (std::same_as<Space, space::Host>)
      array.read(part, {there.span().data, dense}, on, options);
    else
      array.read(part, {there.span().data, dense}, on, options).wait();
    auto const here = cast<HostBuffer>(std::move(there), queue_between<space::Host, Space>(on));
    on.wait();
    auto const* const numbers = reinterpret_cast<From const*>(here.view().data);
    expect_fitting(array, what.shape, first, numbers, count, way);
  });
}

/// Numbers of the host's memory that are to be written. Throws: ConversionError naming the first that does not fit.
template <class Way, class S, class P>
void expect_given_fits(AnyArray<S, P> const& array, ResolvedSelection const& what, StridedView<space::Host> const& from,
                       Way const& way, Queue<space::Host>& on) {
  using From = typename Way::From;
  std::vector<From> gathered;
  for_each_part_of(what, array.chunk_shape(), sizeof(From), [&](ResolvedSelection const& part, std::uint64_t first) {
    auto const count = element_count(part.shape, "the selection");
    auto const* begin = from.data;
    if (first > 0) begin += static_cast<std::int64_t>(first / (count / part.shape[0])) * from.strides[0];
    auto const dense = Layout::c_order(part.shape, sizeof(From)).strides;
    if (dense != from.strides) {
      gathered.resize(checked_size(count, "the selection"));
      auto* const data = reinterpret_cast<std::byte*>(gathered.data());
      Placement<space::Host> const all_of_it{begin, data, part.shape};
      placer<space::Host>::place({&all_of_it, 1}, {sizeof(From), 1, {}, from.strides, dense}, on);
      begin = data;
    }
    constexpr std::uint64_t usual = 64 << 10, block = 256;
    std::atomic<bool> fits{true};
    on.for_each(static_cast<std::size_t>((count + usual - 1) / usual), [&](std::size_t i) {
      with_mode(way, [&](auto mode) {
        std::byte made[block * sizeof(typename Way::To)];
        auto const end = std::min(count, (i + 1) * usual);
        for (auto k = i * usual; k < end; k += block)
          if (!convert_dense<decltype(mode)>(made, begin + k * sizeof(From),
                                             static_cast<std::size_t>(std::min(block, end - k)), way))
            fits.store(false, std::memory_order_relaxed);
      });
    });
    if (fits) return;
    expect_fitting(array, what.shape, first, reinterpret_cast<From const*>(begin), static_cast<std::size_t>(count),
                   way);
  });
}

/// How a read into host memory ends: it is done. Throws: ConversionError.
template <class Way, class S, class P>
void read_fitting(AnyArray<S, P> const& array, ResolvedSelection const& what, StridedSpan<space::Host> const& to,
                  Way const& way, typename P::queue_type& on, ReadOptions const& options) {
  for (std::atomic<bool> misfit{true}; misfit;) {  // until what does not fit is named, or is no more
    misfit = false;
    read_converted(array, what, to, way, {&misfit}, on, options);
    if (misfit) find_misfit(array, what, way, on, unobserved(options));
  }
}

/// A read into other memory: its wait reports what does not fit.
template <class Way, class S, class P>
class FittingRead : public Pending::Work {
  using Space = typename P::array_space;
  using FlagSpace = std::conditional_t<Space::host_accessible, space::Host, space::Pinned>;

 public:
  FittingRead(AnyArray<S, P> const& array, ResolvedSelection const& what, StridedSpan<Space> const& to, Way const& way,
              typename P::queue_type& on, ReadOptions const& options)
      : array_{array}, what_{what}, to_{to}, way_{way}, on_{on}, flag_(1, queue_in<FlagSpace>(on)) {
    start(options);
  }
  ~FittingRead() override { reading_.detach(); }

  bool is_done() override { return reading_.is_done(); }
  void wait() override {
    for (;;) {
      reading_.wait();
      if (!misfit_ && *flag_.span().data == std::byte{0}) return;
      find_misfit(array_, what_, way_, on_, {});
      start({});
    }
  }

 private:
  void start(ReadOptions const& options) {
    misfit_ = false;
    *flag_.span().data = std::byte{0};
    reading_ = read_converted(array_, what_, to_, way_, {&misfit_, flag_.span().data}, on_, options);
  }

  AnyArray<S, P> array_;
  ResolvedSelection what_;
  StridedSpan<Space> to_;
  Way way_;
  typename P::queue_type on_;
  buffer_in_t<FlagSpace> flag_;
  std::atomic<bool> misfit_{false};
  Pending reading_;
};

/// Likewise, of memory that the device's work reaches too: after it.
template <class Way, class S, class P, MemorySpace Space>
requires(Space::host_accessible&& Space::device_accessible) void expect_given_fits(AnyArray<S, P> const& array,
                                                                                   ResolvedSelection const& what,
                                                                                   StridedView<Space> const& from,
                                                                                   Way const& way,
                                                                                   queue_for<Space>& on) {
  on.wait();
  expect_given_fits(array, what, StridedView<space::Host>{from.data, from.strides}, way, on.host());
}

}}}  // namespace tessera::v0::detail
