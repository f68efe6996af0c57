// ConvertingPlacer: one pass over the elements of a box or a list swaps bytes, converts, transposes and copies.
// convert.cuh has the device's.
// ConvertedCopy: copies and converts numbers in blocks, so that intermediate data stays in the first-level cache.
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
#include <tessera/place/detail/copy_elements.hpp>
#include <tessera/place/detail/copy_listed.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/place/detail/plane.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Copies and converts planes and pairs of numbers; swapped bytes are on the array's side. Does not bypass the cache:
/// with conversion that was slower.
class ConvertedCopy {
  static constexpr std::uint64_t block = 2048;  // numbers
  struct Tile {
    alignas(cache_line) std::byte given[block * sizeof(std::uint64_t)];
    alignas(cache_line) std::byte made[block * sizeof(std::uint64_t)];
  };

 public:
  ConvertedCopy(AnyConversion const& conversion, PlacementForm const& form);
  bool fits() const { return fits_; }

  /// As a CopyPlane.
  void operator()(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const&);

  /// As CopyPairs.
  void operator()(std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs, PlacementForm const&);

 private:
  void convert(std::byte* to, std::byte const* from, std::uint64_t count) {
    fits_ &= conversion_.convert(to, from, count);
  }

  // Gathers the source in the order of the destination, then converts, into the destination or into a tile that is
  // copied there.
  void copy_tile(std::byte* to, std::byte const* from, Axis const& column, Axis const& row, bool is_there,
                 bool is_dense, Tile& tile);

  AnyConversion const& conversion_;
  PlacementForm given_, made_;
  CopyPlane gather_{element_copier(given_)}, scatter_{element_copier(made_)};
  CopyPairs gather_pairs_{pair_copier(given_)}, scatter_pairs_{pair_copier(made_)};
  std::int64_t from_size_{static_cast<std::int64_t>(conversion_.from_size)},
      to_size_{static_cast<std::int64_t>(conversion_.to_size)};
  bool fits_ = true;
};

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
  virtual bool fits_always() const { return conversion().fits_always; }
  virtual void record(Misfits to) { misfits = to; }

  /// A fill value that does not fit is a misfit only where it is used.
  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const override {
    fill_fits_ = conversion().convert(fill_, of_array.data, 1);
    return {fill_, conversion().to_size};
  }
  std::size_t placed_size(std::size_t) const override { return conversion().to_size; }
  /// What placed_fill returned.
  ByteView<space::Host> made_fill() const { return {fill_, conversion().to_size}; }
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

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/convert.ipp>
#endif
