// Memory whose numbers are of another type than an array's: each is converted where it is placed.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/core/any_conversion.hpp>
#include <tessera/core/function_ref.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/place/convert.hpp>
#include <tessera/transfer/read.hpp>
#include <tessera/transfer/write.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Reads a selection, each number converted where it is placed. As AnyArray::read.
template <class S, class P>
auto read_converted(AnyArray<S, P> const& array, ResolvedSelection const& what,
                    StridedSpan<typename P::array_space> const& to,
                    AnyConvertingPlacer<typename P::array_space>& placer, typename P::queue_type& on,
                    ReadOptions const& options) {
  return array.for_parts(what, to.strides, on, [&](auto const& chunks, auto const& part, std::ptrdiff_t offset) {
    auto source = chunks;
    source.fill = placer.convert_fill(chunks.fill);
    PlacedSpan<typename P::array_space> const there{to.data + offset, to.strides, placer.view()};
    array.with_defaults(options, [&](auto const& used) { read_chunks(source, part, there, on, used); });
  });
}

// Parts of a selection that together are all of it, in the order of the memory: a box by rows of whole chunks, about
// 16 MiB each. Calls f(part, first element of it).
inline void for_each_part_of(ResolvedSelection const& what, Extents const& chunk, std::size_t item_size,
                             FunctionRef<void(ResolvedSelection const&, std::uint64_t)> f) {
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
template <class S, class P>
void expect_fitting(AnyArray<S, P> const& array, Extents const& shape, std::uint64_t first, std::byte const* numbers,
                    std::size_t count, AnyConversion const& conversion) {
  if (auto const i = conversion.first_misfit(numbers, count); i < count)
    throw conversion.misfit(numbers + i * conversion.from_size, place_in(shape, first + i))
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
template <class S, class P>
void find_misfit(AnyArray<S, P> const& array, ResolvedSelection const& what, AnyConversion const& conversion,
                 typename P::queue_type& on, ReadOptions const& options) {
  using Space = typename P::array_space;
  auto const item = conversion.from_size;
  for_each_part_of(what, array.chunk_shape(), item, [&](ResolvedSelection const& part, std::uint64_t first) {
    auto const count = checked_size(element_count(part.shape, "the selection"), "the selection");
    buffer_in_t<Space> there(checked_size(checked_product(count, item, "the selection"), "the selection"),
                             queue_in<Space>(on));
    auto const dense = Layout::c_order(part.shape, item).strides;
    if constexpr (std::same_as<Space, space::Host>)
      array.read(part, {there.span().data, dense}, on, options);
    else
      array.read(part, {there.span().data, dense}, on, options).wait();
    auto const here = cast<HostBuffer>(std::move(there), queue_between<space::Host, Space>(on));
    on.wait();
    expect_fitting(array, what.shape, first, here.view().data, count, conversion);
  });
}

/// Numbers of the host's memory that are to be written. Throws: ConversionError naming the first that does not fit.
template <class S, class P>
void expect_given_fits(AnyArray<S, P> const& array, ResolvedSelection const& what, StridedView<space::Host> const& from,
                       AnyConversion const& conversion, Queue<space::Host>& on) {
  auto const item = conversion.from_size;
  std::vector<std::byte> gathered;
  for_each_part_of(what, array.chunk_shape(), item, [&](ResolvedSelection const& part, std::uint64_t first) {
    auto const count = element_count(part.shape, "the selection");
    auto const* begin = from.data;
    if (first > 0) begin += static_cast<std::int64_t>(first / (count / part.shape[0])) * from.strides[0];
    auto const dense = Layout::c_order(part.shape, item).strides;
    if (dense != from.strides) {
      gathered.resize(checked_size(checked_product(count, item, "the selection"), "the selection"));
      Placement<space::Host> const all_of_it{begin, gathered.data(), part.shape};
      placer<space::Host>::place({&all_of_it, 1}, {item, 1, {}, from.strides, dense}, on);
      begin = gathered.data();
    }
    constexpr std::uint64_t usual = 64 << 10, block = 256;
    std::atomic<bool> fits{true};
    on.for_each(static_cast<std::size_t>((count + usual - 1) / usual), [&](std::size_t i) {
      alignas(std::uint64_t) std::byte made[block * sizeof(std::uint64_t)];
      auto const end = std::min(count, (i + 1) * usual);
      for (auto k = i * usual; k < end; k += block)
        if (!conversion.convert(made, begin + k * item, std::min(block, end - k)))
          fits.store(false, std::memory_order_relaxed);
    });
    if (!fits) expect_fitting(array, what.shape, first, begin, static_cast<std::size_t>(count), conversion);
  });
}

/// How a read into host memory ends: it is done. Throws: ConversionError.
template <class S, class P>
void read_fitting(AnyArray<S, P> const& array, ResolvedSelection const& what, StridedSpan<space::Host> const& to,
                  AnyConvertingPlacer<space::Host>& placer, typename P::queue_type& on, ReadOptions const& options) {
  std::atomic<bool> misfit{true};
  placer.misfits.seen = &misfit;
  while (misfit) {  // until what does not fit is named, or is no more
    misfit = false;
    read_converted(array, what, to, placer, on, options);
    if (misfit) find_misfit(array, what, placer.conversion(), on, unobserved(options));
  }
}

/// A read into other memory: its wait reports what does not fit.
template <class S, class P>
class FittingRead : public Pending::Work {
  using Space = typename P::array_space;
  using FlagSpace = std::conditional_t<Space::host_accessible, space::Host, space::Pinned>;
  using Placer = std::unique_ptr<AnyConvertingPlacer<Space>>;

 public:
  FittingRead(AnyArray<S, P> const& array, ResolvedSelection const& what, StridedSpan<Space> const& to, Placer placer,
              typename P::queue_type& on, ReadOptions const& options)
      : array_{array}, what_{what}, to_{to}, placer_{std::move(placer)}, on_{on}, flag_(1, queue_in<FlagSpace>(on)) {
    placer_->misfits = {&misfit_, flag_.span().data};
    start(options);
  }
  ~FittingRead() override { reading_.detach(); }

  bool is_done() override { return reading_.is_done(); }
  void wait() override {
    for (;;) {
      reading_.wait();
      if (!misfit_ && *flag_.span().data == std::byte{0}) return;
      find_misfit(array_, what_, placer_->conversion(), on_, {});
      start({});
    }
  }

 private:
  void start(ReadOptions const& options) {
    misfit_ = false;
    *flag_.span().data = std::byte{0};
    reading_ = read_converted(array_, what_, to_, *placer_, on_, options);
  }

  AnyArray<S, P> array_;
  ResolvedSelection what_;
  StridedSpan<Space> to_;
  Placer placer_;
  typename P::queue_type on_;
  buffer_in_t<FlagSpace> flag_;
  std::atomic<bool> misfit_{false};
  Pending reading_;
};

/// What is to be written, by the host or, of memory that the device's work reaches too, after that. As above.
template <class S, class P, MemorySpace Space>
requires(Space::host_accessible) void expect_given_fits(AnyArray<S, P> const& array, ResolvedSelection const& what,
                                                        StridedView<Space> const& from,
                                                        AnyConvertingPlacer<Space> const& placer,
                                                        queue_for<Space>& on) {
  StridedView<space::Host> const here{from.data, from.strides};
  if constexpr (std::same_as<Space, space::Host>) {
    expect_given_fits(array, what, here, placer.conversion(), on);
  } else {
    on.wait();
    expect_given_fits(array, what, here, placer.conversion(), on.host());
  }
}
}}}  // namespace tessera::v0::detail
