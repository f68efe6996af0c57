// Placing that converts: one pass over the elements of a box or a list that swaps bytes, converts, transposes and
// copies. This is the host's; the device's is in convert.cuh.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include <tessera/core/convert.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/any_placer.hpp>
#include <tessera/place/copy.hpp>
#include <tessera/place/copy_converted.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Where placing says that a number did not fit; nowhere, if nobody asks.
struct Misfits {
  std::atomic<bool>* seen = nullptr;
  std::byte* on_device = nullptr;  ///< of memory that the host reaches too: becomes 1

  void add() const {
    if (seen) seen->store(true, std::memory_order_relaxed);
  }
};

/// What numbers become, and what is to be known of them.
template <class Way>
struct Converting {
  Way way;
  Misfits misfits{};
  bool fill_fits = true;    ///< the fill of a form is what it has become
  bool only_looks = false;  ///< nothing is written but whether all fit
};

template <MemorySpace S, class Way>
class ConvertingPlacer;

template <MemorySpace S, class Way>
requires(S::host_accessible) class ConvertingPlacer<S, Way> final : public AnyPlacer<S> {
  static constexpr std::size_t item_size = sizeof(typename Way::To);

 public:
  explicit ConvertingPlacer(Converting<Way> const& what) : what_{what} {}
  PlacerView<S> view() const { return {item_size, this}; }

  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, queue_for<S>& on) const override {
    wait_for(on);
    return with_mode(what_.way, [&](auto mode) {
      ConvertedCopy<decltype(mode), Way> copy{what_.way};
      std::optional<BoxPlanes> planes;
      std::uint64_t moved = 0;
      for (auto const& p : batch) {
        if (!p.from) {
          if (!what_.fill_fits) what_.misfits.add();
          Placement<space::Host> const filled{nullptr, p.to, p.count};
          moved += placer<space::Host>::place({&filled, 1}, form, host_of(on));
          continue;
        }
        if (!planes || !planes->is_for(p.count, form)) planes.emplace(p.count, form).choose_column(false);
        moved += planes->for_each(p.to, p.from, copy);
      }
      if (!copy.fits()) what_.misfits.add();
      return moved;
    });
  }

  std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form, queue_for<S>& on) const override {
    wait_for(on);
    PlacementForm const filled{item_size, 1, {}, {}, {}};
    auto const fill = pair_copier(filled);
    return with_mode(what_.way, [&](auto mode) {
      ConvertedCopy<decltype(mode), Way> copy{what_.way};
      std::uint64_t moved = 0;
      for (auto const& box : batch.boxes) {
        if (!box.from && !what_.fill_fits) what_.misfits.add();
        auto const* const first = box.from ? box.from : form.fill.data;
        for_each_row(batch, box, first, [&](std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs) {
          if (box.from)
            copy(to, from, pairs, form);
          else
            fill(to, from, pairs, filled);
          moved += pairs.size() * item_size;
        });
      }
      if (!copy.fits()) what_.misfits.add();
      return moved;
    });
  }

 private:
  static constexpr bool waits = !std::is_same_v<queue_for<S>, Queue<space::Host>>;
  static void wait_for(queue_for<S>& on) {
    if constexpr (waits) on.wait();
  }
  static Queue<space::Host>& host_of(queue_for<S>& on) {
    if constexpr (waits)
      return on.host();
    else
      return on;
  }

  Converting<Way> what_;
};

}}}  // namespace tessera::v0::detail
