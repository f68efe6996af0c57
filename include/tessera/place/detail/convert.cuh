// ConvertingPlacer on a device: each thread reads, converts and writes a few numbers, in the order of the destination.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/place/detail/placer.cuh>
#include <tessera/place/detail/placing.cuh>
#include <tessera/place/detail/placing_listed.cuh>
#include <tessera/place/detail/word.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Loads, converts and stores one number.
template <class Way>
struct NumberConverter {
  using From = typename Way::From;
  using To = typename Way::To;
  Way way;
  bool is_same, swaps, is_aligned, is_stored;
  std::byte* misfit;  ///< null: not recorded

  TESSERA_HOST_DEVICE From load(std::byte const* from) const {
    constexpr unsigned size = sizeof(From);
    Word<size> word;
    if (is_aligned)
      word = word_at<size>(from);
    else  // possible for a chunk within a shard
      for (unsigned i = 0; i < size; ++i) reinterpret_cast<std::byte*>(&word)[i] = from[i];
    return __builtin_bit_cast(From, swapped(word, swaps && Way::swaps_first ? size : 1));
  }
  TESSERA_HOST_DEVICE void store(std::byte* to, From number) const {
    constexpr unsigned size = sizeof(To);
    bool fits = true;
    auto const result = is_same ? converted<AsItIs>(way, number, fits) : converted<WorkedOut>(way, number, fits);
    if (!fits && misfit) *misfit = std::byte{1};
    if (is_stored) put_word(to, swapped(__builtin_bit_cast(Word<size>, result), swaps && !Way::swaps_first ? size : 1));
  }
  TESSERA_HOST_DEVICE void fill(std::byte* to, std::byte const* element) const {
    put_word(to, word_at<sizeof(To)>(element));
  }
  /// One thread's part of a box of `numbers` numbers, from `first` on: reads `each` by read(n, to), which sets their
  /// destinations, then writes them; or fills, if `element` is given.
  template <unsigned each, unsigned threads, class Read>
  TESSERA_HOST_DEVICE void place(std::uint32_t first, std::uint32_t numbers, std::byte const* element,
                                 Read const& read) const {
    From number[each]{};
    std::byte* to[each]{};
    for_each_below<each>([&](unsigned i) {
      auto const n = first + i * threads;
      if (n < numbers) number[i] = read(n, to[i]);
    });
    for_each_below<each>([&](unsigned i) {
      if (first + i * threads >= numbers) return;
      if (element)
        fill(to[i], element);
      else
        store(to[i], number[i]);
    });
  }
};

/// Boxes. A word of the table is an element.
template <class Way>
struct ConvertBoxes {
  static constexpr unsigned threads = placing_threads, phases = 1, each = words_per_thread(1);
  struct Shared {};
  PlacementTable table;
  NumberConverter<Way> one;

  template <unsigned>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared&) const {
    auto const box = table.box_of(block);
    auto const& shape = table.shape(box.shape);
    auto const first = static_cast<std::uint32_t>(block - box.first_block) * (threads * each) + thread;
    one.template place<each, threads>(first, shape.words, box.from ? nullptr : table.fill(),
                                      [&](std::uint32_t n, std::byte*& to) { return read(box, shape, n, to); });
  }

 private:
  TESSERA_HOST_DEVICE typename Way::From read(PlacedBox const& box, PlacedShape const& shape, std::uint32_t n,
                                              std::byte*& to) const {
    std::int64_t from_offset = 0, to_offset = 0;
    for (auto d = table.rank; d-- > 0;) {
      auto const at = static_cast<std::int64_t>(shape.by_steps[d].remainder(n));
      n = shape.by_steps[d].quotient(n);
      from_offset += table.axes[d].from * at;
      to_offset += table.axes[d].to * at;
    }
    to = box.to + to_offset;
    return box.from ? one.load(box.from + from_offset) : typename Way::From{};
  }
};

/// Lists and points: Table is a ListedTable or a PointTable, with words that are elements.
template <class Table, class Way>
struct ConvertListed {
  static constexpr unsigned threads = placing_threads, phases = 1, each = words_per_thread(1);
  struct Shared {};
  Table table;
  NumberConverter<Way> one;

  template <unsigned>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared&) const {
    auto const box = table.box_of(block);
    auto const first = static_cast<std::uint32_t>(block - box.first_block) * (threads * each) + thread;
    auto const read = [&](std::uint32_t n, std::byte*& to) {
      auto const offset = table.offsets_of(box, n);
      to = box.to + offset.to;
      return box.from ? one.load(box.from + offset.from) : typename Way::From{};
    };
    one.template place<each, threads>(first, box.words, box.from ? nullptr : table.fill(), read);
  }
};

/// One launch per batch, and a copy of its table, if that is long; nothing waits.
template <MemorySpace S, class Way>
requires std::same_as<S, space::Device>
class ConvertingPlacer<S, Way> final : public AnyConvertingPlacer<S> {
  static constexpr std::size_t item_size = sizeof(typename Way::To);

 public:
  /// `only_looks`: checks whether all numbers fit, and writes none.
  explicit ConvertingPlacer(Way const& way, bool only_looks = false) : conversion_{way}, only_looks_{only_looks} {}
  AnyConversion const& conversion() const override { return conversion_; }
  Way const& way() const { return conversion_.way(); }

  /// Throws: DeviceError; Error, if boxes have more than eight dimensions that cannot be joined.
  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form,
                      Queue<space::Device>& on) const override {
    if constexpr (check_kernels<S>()) {
      auto lent = on.lease<Placing>();
      auto& plan = lent->plan;
      PlacementForm const elements{1, 1, form.fill, form.from_strides, form.to_strides};
      plan.make(batch, elements, most_words, true);
      if (plan.blocks == 0) return 0;
      std::uint64_t together = 0;
      for (auto const& p : batch) {
        together |= reinterpret_cast<std::uintptr_t>(p.from);
        if (!p.from && !this->fill_fits()) this->misfits.add();
      }
      for (auto stride : form.from_strides) together |= static_cast<std::uint64_t>(stride);
      auto const one = converter(form, together);
      auto const table = table_of(lent, on);
      launch_blocks(on, plan.blocks, ConvertBoxes<Way>{table, one});
      return plan.moved * item_size;
    } else {
      return 0;
    }
  }

  /// Throws: DeviceError.
  std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form,
                             Queue<space::Device>& on) const override {
    if constexpr (check_kernels<S>()) {
      if (batch.boxes.empty()) return 0;
      auto lent = on.lease<PlacingLists>();
      auto& plan = lent->plan;
      plan.make(batch, {1, 1, form.fill, {}, {}}, most_words);
      std::uint64_t together = 0;
      for (auto const& box : batch.boxes) {
        together |= reinterpret_cast<std::uintptr_t>(box.from);
        if (!box.from && !this->fill_fits()) this->misfits.add();
      }
      for (auto const& axis : batch.axes) together |= static_cast<std::uint64_t>(axis.step.from);
      for (auto const& pair : batch.pairs) together |= static_cast<std::uint64_t>(pair.from);
      auto const one = converter(form, together);
      auto const table = table_of(lent, batch, on);
      launch_blocks(on, plan.blocks, ConvertListed<ListedTable, Way>{table, one});
      return plan.moved * item_size;
    } else {
      return 0;
    }
  }

  /// For a kernel whose sources have these bits in their addresses and distances together.
  NumberConverter<Way> converter(PlacementForm const& form, std::uint64_t together) const {
    return {way(),        is_same(way()),         form.swapped != 1, together % sizeof(typename Way::From) == 0,
            !only_looks_, this->misfits.on_device};
  }

 private:
  ConversionOf<Way> conversion_;
  bool only_looks_;
};

}}}  // namespace tessera::v0::detail
