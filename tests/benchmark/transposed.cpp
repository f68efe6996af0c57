// Placing, compared with loops written by hand for the same job: one thread copies big-endian and transposed chunks
// into an array of the machine's order.
//
//   transposed [REPETITIONS=9]
//
// An array of 512^3 elements of 4 bytes (or as many bytes of 2 or 8) in chunks of 64^3 and of 128^3. The chunk is
// already decoded and in the same place as the one before it, as in a mini-batch. The loop has the type, the chunk's
// shape and the order as constants, uses tiles over the two axes that are contiguous on one side, and swaps with the
// compiler's intrinsic; every shape of tile is tried, and the best one is the rival. Prints milliseconds, the medians,
// and the median of the ratios of one repetition. Exits with 1 if one is above 1.1.
#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/place/detail/placer.hpp>

#include "mapped.hpp"

using namespace tessera;

namespace {

inline std::uint16_t swapped(std::uint16_t w) { return __builtin_bswap16(w); }
inline std::uint32_t swapped(std::uint32_t w) { return __builtin_bswap32(w); }
inline std::uint64_t swapped(std::uint64_t w) { return __builtin_bswap64(w); }

// Axis d of the chunk is axis order[d] of the array, as in codec::Transpose.
using Order = std::array<std::size_t, 3>;

template <std::size_t Edge>
constexpr std::array<std::size_t, 3> chunk_strides(Order order) {
  std::array<std::size_t, 3> result{};
  std::size_t stride = 1;
  for (std::size_t d = 3; d-- > 0; stride *= Edge) result[order[d]] = stride;
  return result;
}

// One chunk. The middle loop and the inner one are over a tile, of Rows of the chunk's contiguous elements and Columns
// of the array's.
template <class T, std::size_t Edge, std::size_t O0, std::size_t O1, std::size_t O2, std::size_t Rows,
          std::size_t Columns>
void by_hand(T const* from, T* to, std::size_t n) {
  constexpr auto strides = chunk_strides<Edge>({O0, O1, O2});
  std::array<std::size_t, 3> const target{n * n, n, 1};
  if constexpr (O2 == 2) {
    for (std::size_t x = 0; x < Edge; ++x)
      for (std::size_t y = 0; y < Edge; ++y)
        for (std::size_t z = 0; z < Edge; ++z)
          to[x * target[0] + y * target[1] + z] = swapped(from[x * strides[0] + y * strides[1] + z]);
  } else {
    constexpr std::size_t dense = O2, other = 1 - O2;  // the chunk's contiguous axis, and the one that is neither
    for (std::size_t k = 0; k < Edge; ++k)
      for (std::size_t d = 0; d < Edge; d += Rows)
        for (std::size_t z = 0; z < Edge; z += Columns)
          for (std::size_t i = d; i < d + Rows; ++i)
            for (std::size_t j = z; j < z + Columns; ++j)
              to[k * target[other] + i * target[dense] + j] = swapped(from[k * strides[other] + i + j * strides[2]]);
  }
}

// This thread's time, not the wall clock's: the machine may have other work.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}
template <class F>
double milliseconds(F&& f) {
  auto const start = now();
  f();
  return now() - start;
}
double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

template <class T>
struct Destination {
  std::size_t n;
  std::span<T> chunk, array, other;
};

template <class T, std::size_t Edge, std::size_t O0, std::size_t O1, std::size_t O2>
bool measure(Destination<T>& destination, int repetitions) {
  auto const n = destination.n;
  for (std::size_t i = 0; i < Edge * Edge * Edge; ++i) destination.chunk[i] = static_cast<T>(i * 2654435761u);
  // The chunks of one plane of the grid.
  auto const for_each_chunk = [&](std::span<T> array, std::size_t x, auto&& f) {
    for (std::size_t y = 0; y < n; y += Edge)
      for (std::size_t z = 0; z < n; z += Edge) f(array.data() + (x * n + y) * n + z);
  };
  auto const loop = [&](auto* copy, std::size_t x) {
    return milliseconds(
        [&] { for_each_chunk(destination.array, x, [&](T* to) { copy(destination.chunk.data(), to, n); }); });
  };
  Queue<space::Host> on;
  constexpr auto strides = chunk_strides<Edge>({O0, O1, O2});
  PlacementForm form{sizeof(T), sizeof(T), {}, {}, {}};
  form.non_temporal = true;  // as for any read of that size
  for (std::size_t d = 0; d < 3; ++d) {
    form.from_strides.push_back(static_cast<std::int64_t>(strides[d] * sizeof(T)));
    form.to_strides.push_back(static_cast<std::int64_t>((d == 0 ? n * n : d == 1 ? n : 1) * sizeof(T)));
  }
  auto const tessera = [&](std::span<T> array, std::size_t x) {
    return milliseconds([&] {
      for_each_chunk(array, x, [&](T* to) {
        std::array const one{Placement<space::Host>{reinterpret_cast<std::byte const*>(destination.chunk.data()),
                                                    reinterpret_cast<std::byte*>(to),
                                                    {Edge, Edge, Edge}}};
        placer<space::Host>::place(one, form, on);
      });
    });
  };

  using Copy = void (*)(T const*, T*, std::size_t);
  constexpr std::pair<char const*, Copy> tiles[] = {
      {"8 x 8", by_hand<T, Edge, O0, O1, O2, 8, 8>},       {"8 x 16", by_hand<T, Edge, O0, O1, O2, 8, 16>},
      {"8 x 32", by_hand<T, Edge, O0, O1, O2, 8, 32>},     {"16 x 8", by_hand<T, Edge, O0, O1, O2, 16, 8>},
      {"16 x 16", by_hand<T, Edge, O0, O1, O2, 16, 16>},   {"16 x 32", by_hand<T, Edge, O0, O1, O2, 16, 32>},
      {"32 x 8", by_hand<T, Edge, O0, O1, O2, 32, 8>},     {"32 x 16", by_hand<T, Edge, O0, O1, O2, 32, 16>},
      {"32 x 32", by_hand<T, Edge, O0, O1, O2, 32, 32>},   {"64 x 8", by_hand<T, Edge, O0, O1, O2, Edge, 8>},
      {"64 x 16", by_hand<T, Edge, O0, O1, O2, Edge, 16>}, {"64 x 64", by_hand<T, Edge, O0, O1, O2, 64, 64>}};
  std::array<double, std::size(tiles)> taken{};
  for (int r = 0; r < 2; ++r)
    for (std::size_t x = 0; x < n; x += Edge)
      for (std::size_t t = 0; t < taken.size(); ++t) taken[t] += loop(tiles[t].second, x);
  auto const best = tiles[std::min_element(taken.begin(), taken.end()) - taken.begin()];

  std::vector<double> ours, theirs, ratios;
  for (int r = 0; r < repetitions; ++r) {
    ours.push_back(0);
    theirs.push_back(0);
    // In turn and into the same memory, so that both see the same machine and the same pages, and each is first equally
    // often.
    for (std::size_t x = 0; x < n; x += Edge) {
      bool const first = (x / Edge + static_cast<std::size_t>(r)) % 2 == 0;
      if (first) ours.back() += tessera(destination.array, x);
      theirs.back() += loop(best.second, x);
      if (!first) ours.back() += tessera(destination.array, x);
    }
    ratios.push_back(ours.back() / theirs.back());
  }
  for (std::size_t x = 0; x < n; x += Edge) {
    loop(best.second, x);
    tessera(destination.other, x);
  }
  if (!std::ranges::equal(destination.array, destination.other)) throw Error{"tessera and the loop differ"};
  auto const ratio = median(ratios);
  std::printf(
      "%zu bytes, %3zu^3, order (%zu, %zu, %zu): loop of %-7s %6.1f ms   tessera %6.1f ms   ratio %.2f, at most 1.1: "
      "%s\n",
      sizeof(T), Edge, O0, O1, O2, O2 == 2 ? "rows" : best.first, median(theirs), median(ours), ratio,
      ratio <= 1.1 ? "yes" : "NO");
  std::fflush(stdout);
  return ratio <= 1.1;
}

template <class T>
bool measure_all(std::size_t n, int repetitions) {
  Destination<T> destination{n, mapped<T>(128 * 128 * 128), mapped<T>(n * n * n), mapped<T>(n * n * n)};
  bool good = true;
  good &= measure<T, 64, 2, 1, 0>(destination, repetitions);
  good &= measure<T, 64, 0, 2, 1>(destination, repetitions);
  good &= measure<T, 64, 1, 0, 2>(destination, repetitions);
  good &= measure<T, 128, 2, 1, 0>(destination, repetitions);
  good &= measure<T, 128, 0, 2, 1>(destination, repetitions);
  good &= measure<T, 128, 1, 0, 2>(destination, repetitions);
  return good;
}

}  // namespace

int main(int argc, char** argv) try {
  int const repetitions = argc > 1 ? std::atoi(argv[1]) : 9;
  bool good = measure_all<std::uint16_t>(512, repetitions);
  good &= measure_all<std::uint32_t>(512, repetitions);
  good &= measure_all<std::uint64_t>(384, repetitions);
  return good ? 0 : 1;
} catch (std::exception const& error) {
  return std::fprintf(stderr, "transposed: %s\n", error.what()), 2;
}
