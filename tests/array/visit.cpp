// Arrays of any element type and rank, by a function that is compiled for each.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using InMemory = MemoryStore<HostBuffer>;

namespace {

template <class T, std::size_t Rank>
InMemory store_of(Extents const& shape, T const& fill) {
  InMemory const store;
  (void)create_array<T, Rank>(store, "a", {.shape = shape, .chunks = shape, .fill = fill});
  return store;
}

template <class T>
void check_type() {
  CAPTURE(data_type_of<T>().name());
  auto const store = store_of<T, 2>({2, 3}, T(1));
  auto const array = open_any(store, "a");
  CHECK(array.template fill_value<T>() == T(1));
  bool const is_right = visit(array, [](auto const& typed) {
    using MemberValue = typename std::remove_cvref_t<decltype(typed)>::element_type;
    if constexpr (std::is_same_v<MemberValue, T>) {
      T const values[]{T(1), T(0), T(1), T(1), T(0), T(0)};
      typed.write(all, values);
      auto const whole = typed.read(all);
      static_assert(std::is_same_v<decltype(whole.elements()), std::span<T const>>);
      T column[2]{T(1), T(1)};
      typed.read({all, 1}, column);
      return typed.fill_value() == T(1) && typed.rank() == 2 && typed.size() == 6 && whole.shape() == Extents{2, 3} &&
             whole.strides() == Strides{3, 1} && std::ranges::equal(whole.elements(), values) && column[0] == T(0) &&
             column[1] == T(0);
    } else {
      return false;
    }
  });
  CHECK(is_right);
}

}  // namespace

TEST_CASE("every element type is visited as itself") {
  [&]<class... Ts>(Types<Ts...>) { (check_type<Ts>(), ...); }(ElementTypes{});
  check_type<float16>();
}

TEST_CASE("float16_bits and other types of one's own are visited where they are named") {
  auto const store = store_of<float16_bits, 1>({2}, {0x3c00});
  bool is_right = false;
  visit<Types<std::array<std::byte, 3>, float16_bits>>(open_any(store, "a"), [&](auto const& typed) {
    if constexpr (std::is_same_v<decltype(typed.fill_value()), float16_bits>)
      is_right = typed.fill_value() == float16_bits{0x3c00};
  });
  CHECK(is_right);
}

TEST_CASE("numbers of dimensions, if they are asked for") {
  for (std::size_t rank = 0; rank < 4; ++rank) {
    auto const shape = Extents::filled(rank, 2);
    auto const array = create_any(InMemory{}, "a",
                                  {.shape = shape,
                                   .type = data_type_of<float>(),
                                   .chunk_shape = shape,
                                   .key_encoding = {},
                                   .fill = std::vector<std::byte>(4),
                                   .codecs = Pipeline<space::Host, codec::Bytes>{}.specifications()});
    auto const found = visit<Ranks<0, 1, 2, 3>, Types<int, float>>(array, [](auto const& typed) {
      auto const whole = typed.read(all);
      CHECK(whole.view().layout().shape == typed.shape());
      return std::remove_cvref_t<decltype(typed)>::rank;
    });
    CHECK(found == rank);
    CHECK(visit(array, [](auto const& typed) { return typed.read(all).size(); }) == std::size_t{1} << rank);
  }
}

TEST_CASE("what is not among them is refused by name, and so is as<T, Rank>()") {
  auto const array = open_any(store_of<std::complex<float>, 2>({2, 3}, {1, 0}), "a");
  auto const nothing = [](auto const&) {};
  test::check_refused<MetadataError>(
      [&] { visit<Types<float, int>>(array, nothing); },
      {"key \"a/zarr.json\"", "data_type: found complex64, expected one of float32, int32"});
  test::check_refused<MetadataError>([&] { (visit<Ranks<1, 3>>(array, nothing)); },
                                     {"key \"a/zarr.json\"", "shape: found 2 dimensions, expected one of 1, 3"});
  CHECK(array.as<std::complex<float>, 2>().shape() == Extents{2, 3});
  test::check_refused<MetadataError>([&] { (void)array.as<float, 2>(); },
                                     {"key \"a/zarr.json\"", "found complex64, expected float32"});
  test::check_refused<MetadataError>([&] { (void)array.as<std::complex<float>, 3>(); },
                                     {"key \"a/zarr.json\"", "found 2 dimensions, expected 3"});
  test::check_refused<MetadataError>([&] { (void)array.fill_value<double>(); },
                                     {"key \"a/zarr.json\"", "found complex64, expected float64"});
}

TEST_CASE("points and masks have one dimension; memory that does not fit is refused") {
  auto const array = open_any(store_of<std::int32_t, 2>({2, 3}, 5), "a");
  visit<RealTypes>(array, [](auto const& typed) {
    auto const two = typed.read(Points{std::vector{1, 0}, std::vector{0, 2}});
    CHECK(two.shape() == Extents{2});
    CHECK(double(two.elements()[1]) == 5);
    typename std::remove_cvref_t<decltype(typed)>::element_type few[4];
    CHECK_THROWS_WITH_AS(typed.read(all, few), doctest::Contains("holds 4 elements, expected 6"), SelectionError);
  });
}
