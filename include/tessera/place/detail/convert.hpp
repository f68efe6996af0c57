// ConvertingPlacer: one pass over the elements of a box or a list swaps bytes, converts, transposes and copies.
// convert.cuh has the device's.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/copy_converted.hpp>
#include <tessera/place/detail/placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Where to record that a number did not fit; null: not recorded.
struct Misfits {
  std::atomic<bool>* seen = nullptr;
  std::byte* on_device = nullptr;  ///< set to 1; in memory that the host can access

  void add() const {
    if (seen) seen->store(true, std::memory_order_relaxed);
  }
};

/// Places and converts numbers of any types.
template <MemorySpace S>
class AnyConvertingPlacer : public AnyPlacer<S> {
 public:
  Misfits misfits{};

  virtual ~AnyConvertingPlacer() = default;
  virtual AnyConversion const& conversion() const = 0;

  /// A fill value that does not fit is a misfit only where it is used.
  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const override {
    fill_fits_ = conversion().convert(fill_, of_array.data, 1);
    return {fill_, conversion().to_size};
  }
  std::size_t placed_size(std::size_t) const override { return conversion().to_size; }

 protected:
  bool fill_fits() const { return fill_fits_; }

 private:
  alignas(std::uint64_t) mutable std::byte fill_[sizeof(std::uint64_t)]{};  // set before any placing
  mutable bool fill_fits_ = true;
};

/// The placer of one conversion. In memory that the host can access, all but `conversion` is compiled once.
template <MemorySpace S, class Way>
class ConvertingPlacer;

template <MemorySpace S>
requires(S::host_accessible) class HostConvertingPlacer : public AnyConvertingPlacer<S> {
 public:
  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, queue_for<S>& on) const override {
    wait_for(on);
    ConvertedCopy copy{this->conversion(), form};
    std::optional<BoxPlanes> planes;
    std::uint64_t moved = 0;
    for (auto const& p : batch) {
      if (!p.from) {
        if (!this->fill_fits()) this->misfits.add();
        Placement<space::Host> const filled{nullptr, p.to, p.count};
        moved += placer<space::Host>::place({&filled, 1}, form, host_of(on));
        continue;
      }
      if (!planes || !planes->is_for(p.count, form)) planes.emplace(p.count, form).choose_column(false);
      moved += planes->for_each(p.to, p.from, copy);
    }
    if (!copy.fits()) this->misfits.add();
    return moved;
  }

  std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form, queue_for<S>& on) const override {
    wait_for(on);
    auto const item_size = this->conversion().to_size;
    PlacementForm const filled{item_size, 1, {}, {}, {}};
    auto const fill = pair_copier(filled);
    ConvertedCopy copy{this->conversion(), form};
    std::uint64_t moved = 0;
    for (auto const& box : batch.boxes) {
      if (!box.from && !this->fill_fits()) this->misfits.add();
      auto const* const first = box.from ? box.from : form.fill.data;
      for_each_row(batch, box, first, [&](std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs) {
        if (box.from)
          copy(to, from, pairs, form);
        else
          fill(to, from, pairs, filled);
        moved += pairs.size() * item_size;
      });
    }
    if (!copy.fits()) this->misfits.add();
    return moved;
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
};

template <MemorySpace S, class Way>
requires(S::host_accessible) class ConvertingPlacer<S, Way> final : public HostConvertingPlacer<S> {
 public:
  explicit ConvertingPlacer(Way const& way) : conversion_{way} {}
  AnyConversion const& conversion() const override { return conversion_; }

 private:
  ConversionOf<Way> conversion_;
};
}}}  // namespace tessera::v0::detail
