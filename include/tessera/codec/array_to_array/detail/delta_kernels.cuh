// numcodecs' delta in device memory: a thread for each difference, a block for the sums of each chunk.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/array_to_array/delta.hpp>
#include <tessera/codec/detail/kernels_of.cuh>
#include <tessera/codec/detail/numbers.hpp>
#include <tessera/memory/launch.cuh>

namespace tessera { inline namespace v0 { namespace detail {

struct Difference {
  DataType dtype, astype;

  TESSERA_HOST_DEVICE bool operator()(std::byte const* from, std::byte* to, std::uint64_t i) const {
    if (dtype.kind == DataKind::floating)
      dtype.size == 2   ? fraction<float16>(from, to, i)
      : dtype.size == 4 ? fraction<float>(from, to, i)
                        : fraction<double>(from, to, i);
    else
      with_integer_of(dtype, [&](auto one) {
        using T = decltype(one);
        auto const* const elements = reinterpret_cast<T const*>(from) + i;
        auto const difference = static_cast<std::uint64_t>(static_cast<T>(
            static_cast<std::uint64_t>(elements[0]) - (i == 0 ? 0 : static_cast<std::uint64_t>(elements[-1]))));
        store_integers(&difference, false, 1, astype, to + i * astype.size);
      });
    return true;
  }

 private:
  template <class T>
  TESSERA_HOST_DEVICE static void fraction(std::byte const* from, std::byte* to, std::uint64_t i) {
    auto const* const elements = reinterpret_cast<T const*>(from) + i;
    reinterpret_cast<T*>(to)[i] = static_cast<T>(elements[0] - (i == 0 ? T(0.0f) : elements[-1]));
  }
};

/// Each thread sums a piece of the chunk; one thread sums these sums; each thread sums its piece again, from the sum
/// before it. Sums of fractions depend on the order: one thread computes them.
struct SumDifferences {
  static constexpr unsigned threads = 256, phases = 3;
  struct Shared {
    std::uint64_t before[threads];  ///< the sum before each piece; at first its own sum
  };

  DataType dtype, astype;
  std::uint64_t count;
  LaunchedChunks all;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t i, unsigned thread, Shared& shared) const {
    auto const& chunk = all.chunks[i];
    if (dtype.kind == DataKind::floating) {
      if (Phase == 0 && thread == 0) {
        dtype.size == 2   ? fractions<float16>(chunk)
        : dtype.size == 4 ? fractions<float>(chunk)
                          : fractions<double>(chunk);
      }
    } else if constexpr (Phase == 0) {
      shared.before[thread] = 0;
      shared.before[thread] = add_piece(chunk.from, nullptr, thread, 0);
    } else if constexpr (Phase == 1) {
      if (thread > 0) return;
      std::uint64_t sum = 0;
      for (unsigned t = 0; t < threads; ++t) {
        auto const piece = shared.before[t];
        shared.before[t] = sum;
        sum += piece;
      }
    } else {
      (void)add_piece(chunk.from, chunk.to, thread, shared.before[thread]);
    }
  }

 private:
  TESSERA_HOST_DEVICE std::uint64_t add_piece(std::byte const* from, std::byte* to, unsigned thread,
                                              std::uint64_t sum) const {
    auto const length = (count + threads - 1) / threads, begin = thread * length;
    for (auto i = begin; i < begin + length && i < count; ++i) {
      std::uint64_t difference;
      load_integers(astype, from + i * astype.size, 1, &difference);
      sum += difference;
      if (to) store_integers(&sum, false, 1, dtype, to + i * dtype.size);
    }
    return sum;
  }
  template <class T>
  TESSERA_HOST_DEVICE void fractions(LaunchedChunks::Chunk const& chunk) const {
    auto const* const from = reinterpret_cast<T const*>(chunk.from);
    auto* const to = reinterpret_cast<T*>(chunk.to);
    auto sum = T(-0.0f);  // so that a sum of -0 is -0
    for (std::uint64_t i = 0; i < count; ++i) to[i] = sum = static_cast<T>(sum + from[i]);
  }
};

template <>
struct KernelsOf<codec::Delta> {
  template <class DeviceQueue>
  static void decode(codec::Delta const& codec, ChunkSpecification const&, std::span<CodecTask<space::Device>> batch,
                     DeviceQueue& on) {
    if constexpr (check_kernels<DeviceQueue>()) {
      static_assert(sizeof(SumDifferences) <= 4096, "a kernel's arguments may have at most 4096 bytes");
      for_each_launch(batch, [&](LaunchedChunks const& chunks, auto part, std::size_t first) {
        std::uint64_t count = 0;
        auto const size_up = [&](CodecTask<space::Device>& task) {
          count = codec::Delta::count(task.from.size, codec.astype.type, task.to.size, codec.dtype.type);
          task.size = count * codec.dtype.type.size;
        };
        for (std::size_t i = 0; i < part.size(); ++i) of_chunk(part, first, i, size_up);
        launch_blocks(on, part.size(), SumDifferences{codec.dtype.type, codec.astype.type, count, chunks});
      });
    }
  }
  template <class DeviceQueue>
  static void encode(codec::Delta const& codec, ChunkSpecification const&, std::span<CodecTask<space::Device>> batch,
                     DeviceQueue& on) {
    launch_places(batch, on, [&](CodecTask<space::Device>& task) {
      auto const count = codec::Delta::count(task.from.size, codec.dtype.type, task.to.size, codec.astype.type);
      task.size = count * codec.astype.type.size;
      return PlacesOfChunk<Difference>{{codec.dtype.type, codec.astype.type}, count};
    });
  }
};

}}}  // namespace tessera::v0::detail
