// tessera diff: where the elements of two arrays differ. As for diff and cmp, status 0 means equal, 1 different, 2 not
// comparable.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "boxes.hpp"
#include "commands.hpp"
#include "element_text.hpp"
#include "progress.hpp"
#include "quantities.hpp"
#include "region.hpp"
#include "source.hpp"

namespace cli {
namespace {

// A real number, whatever its type; complex ones are two of them.
long double number_at(std::byte const* at, tessera::DataType type) {
  if (type.kind == tessera::DataKind::floating) {
    if (type.format != tessera::NumberFormat::usual) {
      tessera::detail::FloatingType const small{type.size, type.format};
      return static_cast<long double>(small.value(small.bits({at, type.size})).value_or(std::nan("")));
    }
    if (type.size == 2) return half_to_float(detail::element_at<std::uint16_t>(at));
    return type.size == 4 ? detail::element_at<float>(at) : detail::element_at<double>(at);
  }
  if (type.kind == tessera::DataKind::boolean || type.format != tessera::NumberFormat::usual)
    return std::stold(type.kind == tessera::DataKind::boolean ? (*at == std::byte{0} ? "0" : "1")
                                                              : detail::integer_text(at, type));
  return tessera::detail::with_integer(type,
                                       [&]<class T>(T) { return static_cast<long double>(detail::element_at<T>(at)); });
}

bool is_number(tessera::DataType type) {
  using tessera::DataKind;
  return type.kind == DataKind::boolean || type.kind == DataKind::signed_integer ||
         type.kind == DataKind::unsigned_integer || type.kind == DataKind::floating || type.kind == DataKind::complex;
}

// How far apart two numbers are; NaN is as far from NaN as a number from itself. nullopt: one of them is NaN.
std::optional<long double> apart(std::byte const* a, std::byte const* b, tessera::DataType type) {
  if (type.kind == tessera::DataKind::complex) {
    auto part = type;
    part.kind = tessera::DataKind::floating;
    part.size /= 2;
    auto const real = apart(a, b, part), imaginary = apart(a + part.size, b + part.size, part);
    return real && imaginary ? std::optional{std::hypot(*real, *imaginary)} : std::nullopt;
  }
  auto const one = number_at(a, type), other = number_at(b, type);
  if (one == other || (std::isnan(one) && std::isnan(other))) return 0;
  auto const distance = std::fabs(one - other);
  return std::isnan(distance) ? std::nullopt : std::optional{distance};
}

struct Place {
  tessera::Extents index;
  std::string one, other;  // the elements
};

class Differences {
 public:
  Differences(tessera::DataType type, std::vector<tessera::Field> fields) : type_{type}, fields_{std::move(fields)} {}

  std::uint64_t count() const { return count_; }
  std::optional<Place> const& first() const { return first_; }
  std::optional<Place> const& largest() const { return largest_; }
  long double distance() const { return distance_; }

  void add(tessera::Region const& region, std::span<std::byte const> one, std::span<std::byte const> other) {
    if (std::ranges::equal(one, other)) return;
    for (std::size_t i = 0; i < one.size() / type_.size; ++i)
      add(region, i, &one[i * type_.size], &other[i * type_.size]);
  }
  void add(tessera::Region const& region, std::vector<std::string> const& one, std::vector<std::string> const& other) {
    for (std::size_t i = 0; i < one.size(); ++i)
      if (one[i] != other[i])
        note(region, i, [&] { return std::pair{tessera::describe(one[i]), tessera::describe(other[i])}; });
  }

 private:
  void add(tessera::Region const& region, std::size_t i, std::byte const* one, std::byte const* other) {
    if (std::memcmp(one, other, type_.size) == 0) return;
    auto const texts = [&] { return std::pair{text_of(one), text_of(other)}; };
    if (!is_number(type_)) {  // padding of a struct has no meaning
      if (type_.kind == tessera::DataKind::structure && text_of(one) == text_of(other)) return;
      return note(region, i, texts);
    }
    auto const distance = apart(one, other, type_);
    if (distance && *distance == 0) return;
    note(region, i, texts);
    if (!distance || *distance <= distance_) return;
    distance_ = *distance;
    auto [a, b] = texts();
    largest_ = Place{index_of(region, i), std::move(a), std::move(b)};
  }
  // Boxes are not in the order of the array, but the elements of one are.
  template <class Texts>
  void note(tessera::Region const& region, std::size_t i, Texts&& texts) {
    ++count_;
    if (first_ && box_ == region.first) return;
    auto index = index_of(region, i);
    box_ = region.first;
    if (first_ && !std::ranges::lexicographical_compare(index, first_->index)) return;
    auto [one, other] = texts();
    first_ = Place{std::move(index), std::move(one), std::move(other)};
  }
  static tessera::Extents index_of(tessera::Region const& region, std::uint64_t i) {
    auto index = region.first;
    for (auto d = index.rank(); d-- > 0; i /= region.count[d]) index[d] += i % region.count[d] * region.step[d];
    return index;
  }
  std::string text_of(std::byte const* element) const { return element_text(element, type_, fields_, Style::numpy); }

  tessera::DataType type_;
  std::vector<tessera::Field> fields_;
  std::uint64_t count_ = 0;
  std::optional<Place> first_, largest_;
  tessera::Extents box_;  // whose first difference is noted
  long double distance_ = 0;
};

constexpr std::size_t usual_length = 64;  // estimated bytes of an element that varies in size

Differences compare(Diff const& command, Array const& one, Array const& other, tessera::Region const& region) {
  auto const type = one.type();
  auto const item = type.varies() ? usual_length : type.size;
  BoxShape box{region.count, one.inner_chunk_shape(), item, (std::uint64_t{command.memory} << 20) / 2};
  for (auto d = region.count.rank(); d-- > 0;) box.grow(d);
  Differences found{type, one.metadata().fields};
  tessera::Traffic traffic, traffic_of_other;
  std::vector<std::byte> elements, others;
  Progress const progress{"comparing", traffic.chunks, chunks_touched(region, one.chunk_shape())};
  each_box(region.count, box.shape(), [&](tessera::Region part) {
    for (std::size_t d = 0; d < part.first.rank(); ++d)
      part.first[d] = region.first[d] + part.first[d] * region.step[d], part.step[d] = region.step[d];
    if (type.varies())
      return found.add(part, read_texts(one, part, traffic), read_texts(other, part, traffic_of_other));
    elements.resize(size_in_bytes(part.count, type));
    others.resize(elements.size());
    read_elements(one, part, elements, traffic);
    read_elements(other, part, others, traffic_of_other);
    found.add(part, elements, others);
  });
  return found;
}

// Integers to the last digit.
std::string distance_text(long double distance) {
  return distance == std::floor(distance) ? number_text(distance) : number_text(static_cast<double>(distance));
}

std::string named_place(tessera::ArrayMetadata const& array, Place const& place) {
  std::string text;
  for (std::size_t d = 0; d < place.index.rank(); ++d) {
    auto const& names = array.dimension_names;
    text += (d == 0 ? "" : ",") + (!names.empty() && names[d] ? *names[d] + '=' : "") + std::to_string(place.index[d]);
  }
  return '[' + text + "]: " + place.one + ", " + place.other;
}

Status compare(Diff const& command) {
  auto const one = open_source(command.one, command.threads, command);
  auto const other = open_source(command.other, command.threads, command);
  auto const names = shown_path(command.one) + " and " + shown_path(command.other);
  auto const of = [](Array const& array) { return array.type().name() + ' ' + tessera::to_string(array.shape()); };
  auto const a = one.metadata(), b = other.metadata();
  if (a.type != b.type || a.fields != b.fields || a.shape != b.shape) {
    std::cout << printable(names + " differ: " + of(one) + ", " + of(other)) << '\n';
    return wrong_data;
  }
  auto const region = region_of(command.region, a);
  auto const found = compare(command, one, other, region);
  auto const elements = count(tessera::element_count(region.count, "the region"), "element");
  if (found.count() == 0) {
    std::cout << printable(names + " are the same: " + of(one) + ", " + elements) << '\n';
    return done;
  }
  std::cout << printable(names) << " differ in " << found.count() << " of " << elements << '\n';
  std::cout << printable("first    " + named_place(a, *found.first())) << '\n';
  if (found.largest())
    std::cout << printable("largest  " + named_place(a, *found.largest())) << "; " << distance_text(found.distance())
              << " apart\n";
  return wrong_data;
}

}  // namespace

Status run(Diff const& command) {
  try {
    return compare(command);
  } catch (tessera::Error const& error) {  // 1 means different
    report(error.what());
    return wrong_usage;
  }
}

}  // namespace cli
