// CUB beside what tessera does today, where CUB could replace it: delta's sums, the look for chunks of the fill value,
// and the least and greatest number of an array.
//
//   primitives [MEBIBYTES=256] [REPETITIONS=9]
//
// That many bytes in device memory, in chunks of 64 KiB, 1 MiB and 16 MiB, or else a sixteenth, a quarter and all of
// them. Each call is timed on the host until its result is there. Checks every result. Exits with 77 without a GPU.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <tessera/codec/array_to_array/delta.hpp>
#include <tessera/core/value.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/view/sum.hpp>

#include "measured.cuh"

using namespace tessera;
using namespace measured;

namespace {

using Device = Queue<space::Device>;

// CUB's scratch memory, which is asked for once.
template <class Call>
DeviceBuffer scratch_of(Call const& call, Device& on) {
  std::size_t size = 0;
  good(call(nullptr, size), "CUB");
  return DeviceBuffer{std::max<std::size_t>(size, 1), on};
}
template <class Call>
void run_cub(DeviceBuffer& scratch, Call const& call) {
  auto size = scratch.span().size;
  good(call(scratch.span().data, size), "CUB");
}

void print(std::uint64_t chunk, char const* by, std::vector<double> const& taken, std::uint64_t bytes, bool right) {
  std::printf("| %llu | %s | %s |%s\n", static_cast<unsigned long long>(chunk >> 10), by, cells(taken, bytes).c_str(),
              right ? "" : " WRONG");
}
void head(char const* title) {
  std::printf("\n%s\n\n| KiB in a chunk | by | %s |\n|---|---|---|---|---|\n", title, cell_names);
}

// ---- delta: each element is the sum of its chunk's differences up to it

struct Summed {
  std::uint64_t along;  // elements of a chunk; the k-th has the value k * k
  TESSERA_HOST_DEVICE std::int32_t operator()(std::uint64_t i) const {
    auto const k = static_cast<std::uint32_t>(i % along);
    return static_cast<std::int32_t>(k * k);
  }
};
struct Difference {
  std::int32_t* to;
  std::uint64_t along;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const k = static_cast<std::uint32_t>(i % along);
    to[i] = static_cast<std::int32_t>(k == 0 ? 0 : 2 * k - 1);
  }
};

struct RunningSum {
  std::uint32_t before;
  __device__ std::uint32_t operator()(std::uint32_t of_tile) {
    auto const old = before;
    before += of_tile;
    return old;
  }
};
// A block for each chunk, tile after tile.
template <int threads, int each>
__global__ void sum_up_chunks(std::uint32_t const* from, std::uint32_t* to, std::uint64_t along) {
  using Load = cub::BlockLoad<std::uint32_t, threads, each, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<std::uint32_t, threads, each, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<std::uint32_t, threads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } shared;
  auto const first = blockIdx.x * along;
  RunningSum sum{0};
  for (std::uint64_t at = 0; at < along; at += threads * each) {
    auto const rest = along - at;
    int const count = rest < threads * each ? static_cast<int>(rest) : threads * each;
    std::uint32_t item[each];
    Load(shared.load).Load(from + first + at, item, count, 0);
    __syncthreads();
    Scan(shared.scan).InclusiveSum(item, item, sum);
    __syncthreads();
    Store(shared.store).Store(to + first + at, item, count);
    __syncthreads();
  }
}
struct ChunkOf {
  std::uint64_t along;
  __host__ __device__ std::uint64_t operator()(std::uint64_t i) const { return i / along; }
};

bool measure_delta(std::uint64_t bytes, std::uint64_t chunk, int repetitions, Device& on) {
  auto const along = chunk / 4, count = bytes / chunk * along, chunks = bytes / chunk;
  OwnedArray<std::int32_t, 1, DeviceBuffer> encoded{{count}, on}, decoded{{count}, on};
  OwnedArray<std::int32_t, 1, PinnedBuffer> encoded_here{{count}, on}, decoded_here{{count}, on};
  launch(on, count, Difference{encoded.data(), along});
  good(cudaMemcpyAsync(encoded_here.data(), encoded.data(), bytes, cudaMemcpyDeviceToHost, on.stream()), "a copy");
  on.wait();
  bool all_right = true;
  auto const row = [&](char const* by, auto const& call) {
    spoil({reinterpret_cast<std::byte*>(decoded.data()), bytes}, on);
    auto const taken = seconds(repetitions, [&] { call(), on.wait(); });
    bool const right = all_are(decoded.data(), count, Summed{along}, on);
    all_right &= right;
    print(chunk, by, taken, bytes, right);
  };

  Value const document = parse_json(R"({"dtype": "<i4"})");
  ObjectReader configuration{document, "delta"};
  auto const delta = codec::Delta::from(configuration);
  auto& host = on.host();
  auto const decode_here = [&] {
    host.for_each(chunks, [&](std::size_t i) {
      delta.decode({reinterpret_cast<std::byte const*>(encoded_here.data()) + i * chunk, chunk},
                   {reinterpret_cast<std::byte*>(decoded_here.data()) + i * chunk, chunk}, host);
    });
  };
  row("today: host threads, and a copy of the elements", [&] {
    decode_here();
    good(cudaMemcpyAsync(decoded.data(), decoded_here.data(), bytes, cudaMemcpyHostToDevice, on.stream()), "a copy");
  });
  row("that copy alone", [&] {
    good(cudaMemcpyAsync(decoded.data(), decoded_here.data(), bytes, cudaMemcpyHostToDevice, on.stream()), "a copy");
  });
  auto const* const from = reinterpret_cast<std::uint32_t const*>(encoded.data());
  auto* const to = reinterpret_cast<std::uint32_t*>(decoded.data());
  row("BlockScan, a block for each chunk, 256 threads of 8", [&] {
    sum_up_chunks<256, 8><<<static_cast<unsigned>(chunks), 256, 0, on.stream()>>>(from, to, along);
    good(cudaGetLastError(), "a launch");
  });
  row("BlockScan, a block for each chunk, 1024 threads of 4", [&] {
    sum_up_chunks<1024, 4><<<static_cast<unsigned>(chunks), 1024, 0, on.stream()>>>(from, to, along);
    good(cudaGetLastError(), "a launch");
  });
  auto const one = [&](std::uint64_t i) {
    return [&, i](void* scratch, std::size_t& size) {
      return cub::DeviceScan::InclusiveSum(scratch, size, from + i * along, to + i * along, static_cast<int>(along),
                                           on.stream());
    };
  };
  auto of_one = scratch_of(one(0), on);
  row("DeviceScan, chunk after chunk", [&] {
    for (std::uint64_t i = 0; i < chunks; ++i) run_cub(of_one, one(i));
  });
  auto const keys = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>{0}, ChunkOf{along});
  auto const by_key = [&](void* scratch, std::size_t& size) {
    return cub::DeviceScan::InclusiveSumByKey(scratch, size, keys, from, to, static_cast<int>(count),
                                              ::cuda::std::equal_to<>{}, on.stream());
  };
  auto of_all = scratch_of(by_key, on);
  row("DeviceScan by key, all chunks", [&] { run_cub(of_all, by_key); });
  return all_right;
}

// ---- which chunks hold only the fill value

struct Or {
  __host__ __device__ std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const { return a | b; }
};
struct Differs {
  uint4 const* words;
  std::uint32_t fill;
  __host__ __device__ std::uint8_t operator()(std::uint64_t i) const {
    auto const word = words[i];
    return word.x != fill || word.y != fill || word.z != fill || word.w != fill;
  }
};
struct Times {
  std::uint64_t by;
  __host__ __device__ std::uint64_t operator()(std::uint64_t i) const { return i * by; }
};
// The last element of every second chunk is another one.
struct Filled {
  std::uint32_t* to;
  std::uint64_t along;
  std::uint32_t fill;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    bool const other = i % along == along - 1 && i / along % 2 == 1;
    to[i] = fill + other;
  }
};

bool measure_fill(std::uint64_t bytes, std::uint64_t chunk, int repetitions, Device& on) {
  auto const chunks = bytes / chunk, along = chunk / 4, count = chunks * along, words = chunk / 16;
  std::uint32_t const fill = 0x3f8ccccd;
  OwnedArray<std::uint32_t, 1, DeviceBuffer> elements{{count}, on};
  launch(on, count, Filled{elements.data(), along, fill});
  on.wait();
  std::vector<std::uint8_t> found(chunks);
  PinnedBuffer answers(chunks, on);
  bool all_right = true;
  auto const row = [&](char const* by, auto const& call) {
    std::fill(found.begin(), found.end(), std::uint8_t{7});
    auto const taken = seconds(repetitions, call);
    bool right = true;
    for (std::uint64_t i = 0; i < chunks; ++i) right &= found[i] == (i % 2 == 0);
    all_right &= right;
    print(chunk, by, taken, bytes, right);
  };
  ByteView<space::Device> const all_of_it{reinterpret_cast<std::byte const*>(elements.data()), bytes};
  row("today: placer::find_filled", [&] {
    placer<space::Device>::find_filled(all_of_it, chunk, {reinterpret_cast<std::byte const*>(&fill), 4}, found, on);
  });
  DeviceBuffer differ(chunks, on);
  auto* const to = reinterpret_cast<std::uint8_t*>(differ.span().data);
  Differs const question{reinterpret_cast<uint4 const*>(elements.data()), fill};
  auto const differs = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>{0}, question);
  auto const begins = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>{0}, Times{words});
  auto const bring = [&] {
    good(cudaMemcpyAsync(answers.span().data, to, chunks, cudaMemcpyDeviceToHost, on.stream()), "a copy");
    on.wait();
    for (std::uint64_t i = 0; i < chunks; ++i) found[i] = answers.view().data[i] == std::byte{0};
  };
  auto const segmented = [&](void* scratch, std::size_t& size) {
    return cub::DeviceSegmentedReduce::Reduce(scratch, size, differs, to, static_cast<int>(chunks), begins, begins + 1,
                                              Or{}, std::uint8_t{0}, on.stream());
  };
  auto of_all = scratch_of(segmented, on);
  row("DeviceSegmentedReduce", [&] { run_cub(of_all, segmented), bring(); });
  auto const one = [&](std::uint64_t i) {
    return [&, i](void* scratch, std::size_t& size) {
      return cub::DeviceReduce::Reduce(scratch, size, differs + static_cast<std::ptrdiff_t>(i * words), to + i,
                                       static_cast<int>(words), Or{}, std::uint8_t{0}, on.stream());
    };
  };
  auto of_one = scratch_of(one(0), on);
  row("DeviceReduce, chunk after chunk", [&] {
    for (std::uint64_t i = 0; i < chunks; ++i) run_cub(of_one, one(i));
    bring();
  });
  return all_right;
}

// ---- the least and the greatest number

using Ends = MinMax<float>;
struct Wider {
  TESSERA_HOST_DEVICE Ends operator()(Ends const& a, Ends const& b) const {
    return {b.least < a.least ? b.least : a.least, a.most < b.most ? b.most : a.most};
  }
};
struct BothEnds {
  float const* numbers;
  __host__ __device__ Ends operator()(std::uint64_t i) const { return {numbers[i], numbers[i]}; }
};
struct Scattered {
  float* to;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { to[i] = static_cast<float>(number(i) & 0xffffff); }
};
// A kernel as the library's are: a block's result is written, and one more block looks at these.
struct EndsOfBlocks {
  static constexpr unsigned threads = 256, phases = 2;
  struct Shared {
    Ends of_thread[threads];
  };
  float const* numbers;
  Ends const* given;  // of earlier blocks, instead of numbers
  std::uint64_t count, of_block;
  Ends* found;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    if constexpr (Phase == 0) {
      auto const begin = block * of_block, rest = count - begin, end = begin + (rest < of_block ? rest : of_block);
      auto ends = at(begin);
      for (auto i = begin + thread; i < end; i += threads) ends = Wider{}(ends, at(i));
      shared.of_thread[thread] = ends;
    } else if (thread == 0) {
      auto ends = shared.of_thread[0];
      for (unsigned i = 1; i < threads; ++i) ends = Wider{}(ends, shared.of_thread[i]);
      found[block] = ends;
    }
  }

 private:
  TESSERA_HOST_DEVICE Ends at(std::uint64_t i) const { return given ? given[i] : Ends{numbers[i], numbers[i]}; }
};

bool measure_ends(std::uint64_t bytes, int repetitions, Device& on) {
  auto const count = bytes / 4;
  OwnedArray<float, 1, DeviceBuffer> elements{{count}, on};
  OwnedArray<float, 1, PinnedBuffer> here{{count}, on};
  launch(on, count, Scattered{elements.data()});
  good(cudaMemcpyAsync(here.data(), elements.data(), bytes, cudaMemcpyDeviceToHost, on.stream()), "a copy");
  on.wait();
  auto const expected = minmax(here.elements());
  Ends found{};
  bool all_right = true;
  auto const row = [&](char const* by, auto const& call) {
    found = {};
    auto const taken = seconds(repetitions, call);
    all_right &= found == expected;
    print(bytes, by, taken, bytes, found == expected);
  };
  row("today: a copy to the host, and minmax there", [&] {
    good(cudaMemcpyAsync(here.data(), elements.data(), bytes, cudaMemcpyDeviceToHost, on.stream()), "a copy");
    on.wait();
    found = minmax(here.elements());
  });
  PinnedBuffer answer(sizeof(Ends), on);
  DeviceBuffer result(sizeof(Ends), on);
  auto const bring = [&] {
    good(cudaMemcpyAsync(answer.span().data, result.span().data, sizeof(Ends), cudaMemcpyDeviceToHost, on.stream()),
         "a copy");
    on.wait();
    found = *reinterpret_cast<Ends const*>(answer.view().data);
  };
  constexpr std::uint64_t of_block = 256 * 64;
  auto const blocks = (count - 1) / of_block + 1;
  DeviceBuffer of_blocks(blocks * sizeof(Ends), on);
  auto* const ends = reinterpret_cast<Ends*>(of_blocks.span().data);
  row("two kernels of the project's kind", [&] {
    launch_blocks(on, blocks, EndsOfBlocks{elements.data(), nullptr, count, of_block, ends});
    launch_blocks(on, 1, EndsOfBlocks{nullptr, ends, blocks, blocks, reinterpret_cast<Ends*>(result.span().data)});
    bring();
  });
  auto const first = here.data()[0];
  auto const pairs = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>{0},
                                                     BothEnds{elements.data()});
  auto const reduce = [&](void* scratch, std::size_t& size) {
    return cub::DeviceReduce::Reduce(scratch, size, pairs, reinterpret_cast<Ends*>(result.span().data),
                                     static_cast<int>(count), Wider{}, Ends{first, first}, on.stream());
  };
  auto scratch = scratch_of(reduce, on);
  row("DeviceReduce of both at once", [&] { run_cub(scratch, reduce), bring(); });
  return all_right;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t const bytes = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 256) << 20;
  auto const repetitions = argc > 2 ? std::atoi(argv[2]) : 9;
  return measured::run([&] {
    Device on{Queue<space::Host>{std::thread::hardware_concurrency()}};
    std::uint64_t const sizes[] = {std::min(bytes / 16, std::uint64_t{64} << 10),
                                   std::min(bytes / 4, std::uint64_t{1} << 20),
                                   std::min(bytes, std::uint64_t{16} << 20)};
    bool right = true;
    head("Delta of int32");
    for (auto const chunk : sizes) right &= measure_delta(bytes, chunk, repetitions, on);
    head("The look for the fill value, of which every second chunk differs in its last element");
    for (auto const chunk : sizes) right &= measure_fill(bytes, chunk, repetitions, on);
    head("The least and the greatest of an array of float32");
    for (auto const size : {bytes / 256, bytes / 16, bytes}) right &= measure_ends(size, repetitions, on);
    return right;
  });
}
