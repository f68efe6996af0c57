// The kernels that move elements: in words, in tiles where the source and the destination are dense along different
// axes; and the one that looks for chunks that hold nothing but the fill value. They hold integers, pointers and plain
// arrays, and call nothing of std::, whose functions nvcc compiles for the host alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/place/placement_table.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// W bytes that are read and written at once, whatever they are.
template <unsigned W>
struct alignas(W) [[gnu::may_alias]] Word {
  using Part = std::conditional_t<(W >= 4), std::uint32_t, std::conditional_t<W == 2, std::uint16_t, std::uint8_t>>;
  static constexpr unsigned parts = W / sizeof(Part);
  Part part[parts];
};

template <unsigned W>
TESSERA_HOST_DEVICE bool are_equal(Word<W> const& a, Word<W> const& b) {
  typename Word<W>::Part differs = 0;
  for (unsigned i = 0; i < Word<W>::parts; ++i)
    differs = static_cast<typename Word<W>::Part>(differs | (a.part[i] ^ b.part[i]));
  return differs == 0;
}

/// The word with each `size` bytes of it reversed.
template <unsigned W>
TESSERA_HOST_DEVICE Word<W> swapped(Word<W> word, unsigned size) {
  if (size == 1) return word;
  if constexpr (W == 2) {
    word.part[0] = static_cast<std::uint16_t>(word.part[0] << 8 | word.part[0] >> 8);
  } else if constexpr (W > 2) {
    for (auto& x : word.part) {
      x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
      if (size > 2) x = x << 16 | x >> 16;
    }
    if (size == 8) {
      for (unsigned i = 0; i + 1 < Word<W>::parts; i += 2) {
        auto const first = word.part[i];
        word.part[i] = word.part[i + 1];
        word.part[i + 1] = first;
      }
    }
  }
  return word;
}

template <unsigned W>
TESSERA_HOST_DEVICE Word<W> word_at(std::byte const* at) {
  return *reinterpret_cast<Word<W> const*>(at);
}
template <unsigned W>
TESSERA_HOST_DEVICE void put_word(std::byte* at, Word<W> const& word) {
  *reinterpret_cast<Word<W>*>(at) = word;
}

/// Where a kernel's words are read: `source.of(box.from).word<W>(address)`. Here, where the address says. What is
/// filled has no box.from.
struct BytesInPlace {
  TESSERA_HOST_DEVICE BytesInPlace of(std::byte const*) const { return {}; }
  template <unsigned W>
  TESSERA_HOST_DEVICE Word<W> word(std::byte const* at) const {
    return word_at<W>(at);
  }
};

/// f(0), f(1), ... each with a number that the compiler knows, so that arrays of words stay in registers.
template <class F, unsigned... I>
TESSERA_HOST_DEVICE void for_each_below(std::integer_sequence<unsigned, I...>, F const& f) {
  (f(I), ...);
}
template <unsigned N, class F>
TESSERA_HOST_DEVICE void for_each_below(F const& f) {
  for_each_below(std::make_integer_sequence<unsigned, N>{}, f);
}

/// Each thread moves a few words, which come in the order of the destination.
template <unsigned W, class Source = BytesInPlace>
struct PlaceWords {
  static constexpr unsigned threads = placing_threads, phases = 1, each = words_per_thread(W);
  static constexpr unsigned together = 5;  // blocks on a processor: 51 registers for a thread
  struct Shared {};
  PlacementTable table;
  Source source{};

  template <unsigned>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared&) const {
    auto const box = table.box_of(block);
    auto const& shape = table.shape(box.shape);
    auto const bytes = source.of(box.from);
    auto const first = static_cast<std::uint32_t>(block - box.first_block) * (threads * each) + thread;
    Word<W> word[each]{};
    std::byte* to[each]{};
    for_each_below<each>([&](unsigned i) {
      auto const n = first + i * threads;
      if (n < shape.words) word[i] = read(bytes, box, shape, n, to[i]);
    });
    for_each_below<each>([&](unsigned i) {
      if (first + i * threads < shape.words) put_word(to[i], box.from ? swapped(word[i], table.swapped) : word[i]);
    });
  }

 private:
  template <class Bytes>
  TESSERA_HOST_DEVICE Word<W> read(Bytes const& bytes, PlacedBox const& box, PlacedShape const& shape, std::uint32_t n,
                                   std::byte*& to) const {
    std::int64_t from_offset = 0, to_offset = 0;
    auto rest = n;
    for (auto d = table.rank; d-- > 0;) {
      auto const& axis = table.axes[d];
      auto const at = shape.by_steps[d].remainder(rest);
      rest = shape.by_steps[d].quotient(rest);
      from_offset += axis.from * static_cast<std::int64_t>(at ^ axis.mirror);
      to_offset += axis.to * static_cast<std::int64_t>(at);
    }
    to = box.to + to_offset;
    if (box.from) return bytes.template word<W>(box.from + from_offset);
    auto const in_row = table.rank == 0 ? 0 : shape.by_steps[table.rank - 1].remainder(n);
    return word_at<W>(table.fill() + table.fill_words.remainder(in_row) * W);
  }
};

/// A tile is read in the order of the source and written in that of the destination; in between it is in shared memory,
/// its lines so far apart that threads of both orders find them in different banks.
template <unsigned W, class Source = BytesInPlace>
struct PlaceTiles {
  static constexpr unsigned threads = placing_threads, phases = 2;
  static constexpr unsigned words = 1u << tile_bits(W), padding = W < 4 ? 4 / W : 1;
  static constexpr unsigned each = W < 8 ? 8 : words / threads, rounds = words / threads / each;
  static constexpr unsigned together = 4;  // blocks on a processor: 64 registers for a thread
  struct Shared {
    Word<W> word[words + words * (W < 4 ? 4 : W) / 32];  // lines of 32 bytes have the most padding
  };
  PlacementTable table;
  Source source{};

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    auto const box = table.box_of(block);
    auto const tile = tile_of(static_cast<std::uint32_t>(block - box.first_block), table.shape(box.shape));
    for (unsigned round = 0; round < rounds; ++round) {
      auto const first = round * each * threads + thread;
      if constexpr (Phase == 0) {
        auto const bytes = source.of(box.from);
        Word<W> word[each]{};
        for_each_below<each>([&](unsigned i) {
          auto const spot = spot_of<Phase>(tile, first + i * threads);
          if (spot.is_inside)
            word[i] = bytes.template word<W>(box.from ? box.from + tile.from + spot.from : table.fill());
        });
        for_each_below<each>([&](unsigned i) {
          auto const spot = spot_of<Phase>(tile, first + i * threads);
          if (spot.is_inside) shared.word[spot.slot] = box.from ? swapped(word[i], table.swapped) : word[i];
        });
      } else {
        for_each_below<each>([&](unsigned i) {
          auto const spot = spot_of<Phase>(tile, first + i * threads);
          if (spot.is_inside) put_word(box.to + tile.to + spot.to, shared.word[spot.slot]);
        });
      }
    }
  }

 private:
  // Where a tile begins in its box, in bytes, and how much of the box is left from there on.
  struct Tile {
    std::int64_t from, to;
    std::uint32_t rows, columns, depth;
  };
  TESSERA_HOST_DEVICE Tile tile_of(std::uint32_t n, PlacedShape const& shape) const {
    Tile tile{};
    for (auto d = table.rank; d-- > 0;) {
      auto const& axis = table.axes[d];
      auto const at = shape.by_steps[d].remainder(n) << axis.step;
      n = shape.by_steps[d].quotient(n);
      tile.from += axis.from * static_cast<std::int64_t>(at);
      tile.to += axis.to * static_cast<std::int64_t>(at);
      auto const left = shape.count[d] - at;
      if (d == table.row) tile.rows = left;
      if (d == table.column) tile.columns = left;
      if (d == table.depth) tile.depth = left;
    }
    return tile;
  }

  struct Spot {
    bool is_inside;
    unsigned slot;
    std::int64_t from, to;
  };
  template <unsigned Phase>
  TESSERA_HOST_DEVICE Spot spot_of(Tile const& tile, unsigned n) const {
    auto const& rows = table.axes[table.row];
    auto const& columns = table.axes[table.column];
    auto const& depth = table.axes[table.depth];
    auto const first = Phase == 0 ? columns.step : rows.step;  // of which neighbours are threads
    auto const low = n & ((1u << first) - 1), high = (n >> first) & ((1u << (rows.step + columns.step - first)) - 1);
    auto const row = Phase == 0 ? high : low, column = Phase == 0 ? low : high, deep = n >> (rows.step + columns.step);
    auto const slot = ((deep << rows.step) + row) * ((1u << columns.step) + padding) + column;
    auto const r = static_cast<std::int64_t>(row), c = static_cast<std::int64_t>(column),
               d = static_cast<std::int64_t>(deep);
    return {row < tile.rows && column < tile.columns && deep < tile.depth, slot,
            r * rows.from + c * columns.from + d * depth.from, r * rows.to + c * columns.to + d * depth.to};
  }
};

/// Which chunks are one element again and again: a byte for each, that is 1 before.
template <unsigned W>
struct FindFilled {
  static constexpr unsigned threads = placing_threads, phases = 3, each = words_per_thread(W), rounds = 4;
  static constexpr unsigned words_per_block = threads * each * rounds, most_shared = 1024 / W;
  struct Shared {
    Word<W> element[most_shared];
    bool differs[threads];
  };
  std::byte const* chunks;
  std::uint64_t words;  ///< of a chunk
  std::uint64_t blocks_per_chunk;
  std::byte const* element;  ///< as many words as make whole elements
  Division element_words;
  std::uint8_t* filled;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    bool const is_shared = element_words.divisor <= most_shared;  // what lies in the host's memory is dear to read
    if constexpr (Phase == 0) {
      if (is_shared)
        for (auto i = thread; i < element_words.divisor; i += threads) shared.element[i] = word_at<W>(element + i * W);
    } else if constexpr (Phase == 1) {
      shared.differs[thread] = differs(block, thread, is_shared ? shared.element : nullptr);
    } else {
      constexpr unsigned asking = 32;  // whose writes the link carries as one
      bool any = false;
      if (thread < asking)
        for (auto i = thread; i < threads; i += asking) any = any || shared.differs[i];
      if (any) filled[block / blocks_per_chunk] = 0;
    }
  }

 private:
  // Goes on to the next words only where the last were those of the element.
  TESSERA_HOST_DEVICE bool differs(std::uint64_t block, unsigned thread, Word<W> const* shared_element) const {
    auto const* const chunk = chunks + block / blocks_per_chunk * words * W;
    auto const first = block % blocks_per_chunk * words_per_block;
    auto const left = words - first;
    auto const first_in_element = static_cast<std::uint32_t>(first % element_words.divisor);
    for (unsigned round = 0; round < rounds; ++round) {
      auto const start = round * each * threads + thread;
      Word<W> word[each]{};
      for_each_below<each>([&](unsigned i) {
        if (start + i * threads < left) word[i] = word_at<W>(chunk + (first + start + i * threads) * W);
      });
      bool same = true;
      for_each_below<each>([&](unsigned i) {
        if (start + i * threads >= left) return;
        auto const at = element_words.remainder(first_in_element + start + i * threads);
        same =
            same && are_equal(word[i], shared_element ? shared_element[at] : word_at<W>(element + std::size_t{at} * W));
      });
      if (!same) return true;
    }
    return false;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
