// VaryingPlacer: places elements of varying size. Chunks hold references to them, the caller's memory holds objects
// that own bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include <tessera/core/detail/element_reference.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/copy_listed.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Copies an element by `copy(to, from)`, or fills it by `fill(to, the form's element)`. `size`: that of an element
/// where it is placed, which is the form's `item_size`.
template <void (*copy)(std::byte*, std::byte const*), void (*fill)(std::byte*, std::byte const*), std::size_t size>
class VaryingPlacer final : public AnyPlacer<space::Host> {
  using Host = space::Host;

 public:
  std::uint64_t place(std::span<Placement<Host> const> batch, PlacementForm const& form, Queue<Host>&) const override {
    PlacementForm const filled{form.item_size, 1, {}, Strides::filled(form.to_strides.rank(), 0), form.to_strides};
    std::optional<BoxPlanes> planes;
    std::uint64_t moved = 0;
    for (auto const& p : batch) {
      auto const& way = p.from ? form : filled;
      if (!planes || !planes->is_for(p.count, way)) planes.emplace(p.count, way).choose_column(false);
      moved += planes->for_each(p.to, p.from ? p.from : form.fill.data, p.from ? plane<copy> : plane<fill>);
    }
    return moved;
  }

  std::uint64_t place_listed(ListedBatch<Host> const& batch, PlacementForm const& form, Queue<Host>&) const override {
    std::uint64_t moved = 0;
    for (auto const& box : batch.boxes) {
      auto const one = box.from ? copy : fill;
      auto const* const first = box.from ? box.from : form.fill.data;
      for_each_row(batch, box, first, [&](std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs) {
        for (auto const& pair : pairs) one(to + pair.to, from + pair.from);
        moved += pairs.size() * form.item_size;
      });
    }
    return moved;
  }

  std::size_t placed_size(std::size_t) const override { return size; }

 private:
  template <void (*one)(std::byte*, std::byte const*)>
  static void plane(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const&) {
    for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from) {
      auto* to_element = to;
      auto const* from_element = from;
      for (std::uint64_t r = 0; r < row.count; ++r, to_element += row.to, from_element += row.from)
        one(to_element, from_element);
    }
  }
};

inline void copy_reference(std::byte* to, std::byte const* from) { std::memcpy(to, from, sizeof(ElementReference)); }

/// Copies the bytes into the object.
template <class T>
void take_element(std::byte* to, std::byte const* from) {
  auto const element = reference_at(from);
  auto const* const first = reinterpret_cast<typename T::value_type const*>(element.data);
  reinterpret_cast<T*>(to)->assign(first, first + element.size);
}
/// Makes a reference to the object's bytes.
template <class T>
void give_element(std::byte* to, std::byte const* from) {
  auto const& object = *reinterpret_cast<T const*>(from);
  ElementReference const element{reinterpret_cast<std::byte const*>(object.data()), object.size()};
  std::memcpy(to, &element, sizeof element);
}

/// From chunks, including missing ones; and into chunks.
template <class T>
inline constexpr VaryingPlacer<take_element<T>, take_element<T>, sizeof(T)> taking_placer{};
template <class T>
inline constexpr VaryingPlacer<give_element<T>, copy_reference, sizeof(ElementReference)> giving_placer{};

}}}  // namespace tessera::v0::detail
