// Placing in device memory, compared with a plain device-to-device copy of the same bytes: the chunks of an array in C
// order are copied into it, or out of it, unchanged, transposed, swapped, or both.
//
//   placement [REPETITIONS=20] [ARRAY CHUNK BATCH]     only an array with that many elements along each side
//
// Prints a table: for each job the median time by events, the spread between the 10th and the 90th percentile, the rate
// of bytes read and written, and the ratio of the copy's time to it. Exits with 77 without a GPU. Every element is
// checked once before the timing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <gpu/measured.cuh>
#include <tessera/tessera.cuh>

using namespace tessera;
using measured::good;

namespace {

/// Times by events, which a queue's own lack.
class Clock {
 public:
  Clock() {
    good(cudaEventCreate(&begin_), "cudaEventCreate");
    good(cudaEventCreate(&end_), "cudaEventCreate");
  }
  Clock(Clock const&) = delete;
  Clock& operator=(Clock const&) = delete;
  ~Clock() {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
  }

  /// Milliseconds of each repetition, in ascending order. The first is not counted.
  template <class F>
  std::vector<float> time(Queue<space::Device>& on, int repetitions, F&& f) {
    std::vector<float> result;
    for (int i = 0; i <= repetitions; ++i) {
      good(cudaEventRecord(begin_, on.stream()), "cudaEventRecord");
      f();
      good(cudaEventRecord(end_, on.stream()), "cudaEventRecord");
      good(cudaEventSynchronize(end_), "cudaEventSynchronize");
      float milliseconds = 0;
      good(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
      if (i > 0) result.push_back(milliseconds);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

using Item = std::uint32_t;  // as float32: four bytes
constexpr std::uint64_t item = sizeof(Item);

struct Job {
  std::uint64_t array, chunk;  // elements along each of three dimensions
  std::uint64_t batch;         // chunks
  bool transposed, swapped, encoded;

  std::uint64_t chunks_along() const { return array / chunk; }
  std::uint64_t chunk_count() const { return chunks_along() * chunks_along() * chunks_along(); }
  std::uint64_t chunk_bytes() const { return chunk * chunk * chunk * item; }
  std::uint64_t bytes() const { return array * array * array * item; }
};

/// Numbers that differ between all neighbours.
struct Number {
  Item* elements;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { elements[i] = static_cast<Item>(i * 2654435761u); }
};

/// Checks element i of the array: whether it is in its place, computed without the code that is measured here.
struct Look {
  Job job;
  Item const *from, *to;
  unsigned char* wrong;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const n = job.array, c = job.chunk, along = n / c;
    auto const x = i % n, y = i / n % n, z = i / n / n;
    auto const slow = job.transposed ? x % c : z % c, fast = job.transposed ? z % c : x % c;
    auto const number = (z / c * along + y / c) * along + x / c;
    auto const in_chunks = ((number * c + slow) * c + y % c) * c + fast;
    auto expected = from[job.encoded ? i : in_chunks];
    if (job.swapped) expected = expected << 24 | (expected & 0xff00) << 8 | (expected >> 8 & 0xff00) | expected >> 24;
    if (to[job.encoded ? in_chunks : i] != expected) *wrong = 1;
  }
};

Strides strides_of(std::uint64_t along, bool transposed) {
  auto const step = static_cast<std::int64_t>(item), n = static_cast<std::int64_t>(along);
  return transposed ? Strides{step, n * step, n * n * step} : Strides{n * n * step, n * step, step};
}

class Placer {
 public:
  Placer(Job const& job, DeviceBuffer& chunks, DeviceBuffer& array) : job_{job} {
    form_.item_size = item;
    form_.swapped = job.swapped ? item : 1;
    form_.from_strides = strides_of(job.chunk, job.transposed);
    form_.to_strides = strides_of(job.array, false);
    if (job.encoded) std::swap(form_.from_strides, form_.to_strides);
    auto const n = job.chunks_along();
    for (std::uint64_t i = 0; i < job.chunk_count(); ++i) {
      auto* const chunk = chunks.span().data + i * job.chunk_bytes();
      auto const x = i % n, y = i / n % n, z = i / n / n;
      auto* const part = array.span().data + ((z * job.array + y) * job.array + x) * job.chunk * item;
      boxes_.push_back({job.encoded ? part : chunk, job.encoded ? chunk : part, {job.chunk, job.chunk, job.chunk}});
    }
  }

  void place(Queue<space::Device>& on) const {
    for (std::size_t first = 0; first < boxes_.size(); first += job_.batch) {
      std::span const all{boxes_};
      placer<space::Device>::place(all.subspan(first, std::min<std::size_t>(job_.batch, boxes_.size() - first)), form_,
                                   on);
    }
  }

 private:
  Job job_;
  PlacementForm form_;
  std::vector<Placement<space::Device>> boxes_;
};

bool is_right(Job const& job, DeviceBuffer const& from, DeviceBuffer const& to, Queue<space::Device>& on) {
  PinnedBuffer wrong(1, on);
  auto* const flag = reinterpret_cast<unsigned char*>(wrong.span().data);
  *flag = 0;
  auto const elements = [](DeviceBuffer const& buffer) { return reinterpret_cast<Item const*>(buffer.view().data); };
  launch(on, job.bytes() / item, Look{job, elements(from), elements(to), flag});
  on.wait();
  return *flag == 0;
}

struct Sizes {
  std::uint64_t array, chunk, batch;
};

/// Whether all elements were in their places.
bool place_all(int repetitions, std::vector<Sizes> const& sizes) {
  Queue<space::Device> on;
  Clock clock;
  std::uint64_t most = 0;
  for (auto const& [array, chunk, batch] : sizes) most = std::max(most, array * array * array * item);
  DeviceBuffer first(most, on), second(most, on);
  std::printf(
      "| array | chunks | batch | job | ms | p10 to p90 | GB/s | of a copy |\n|---|---|---|---|---|---|---|---|\n");
  bool right = true;
  for (auto const& [array, chunk, batch] : sizes) {
    Job job{array, chunk, batch, false, false, false};
    auto const bytes = job.bytes();
    auto const copy = clock.time(on, repetitions, [&] {
      good(cudaMemcpyAsync(second.span().data, first.view().data, bytes, cudaMemcpyDeviceToDevice, on.stream()),
           "cudaMemcpyAsync");
    });
    auto const median = [](std::vector<float> const& sorted) { return static_cast<double>(sorted[sorted.size() / 2]); };
    auto const print = [&](char const* what, std::vector<float> const& times) {
      auto const at = [&](std::size_t tenths) { return static_cast<double>(times[(times.size() - 1) * tenths / 10]); };
      std::printf("| %llu^3 | %llu^3 | %llu | %s | %.3f | %.3f to %.3f | %.0f | %.1f %% |\n",
                  static_cast<unsigned long long>(array), static_cast<unsigned long long>(chunk),
                  static_cast<unsigned long long>(batch), what, median(times), at(1), at(9),
                  2e-6 * static_cast<double>(bytes) / median(times), 100 * median(copy) / median(times));
    };
    print("plain copy", copy);
    for (bool const encoded : {false, true})
      for (bool const transposed : {false, true})
        for (bool const swapped : {false, true}) {
          job = {array, chunk, batch, transposed, swapped, encoded};
          Placer const placing{job, encoded ? second : first, encoded ? first : second};
          launch(on, bytes / item, Number{reinterpret_cast<Item*>(first.span().data)});
          good(cudaMemsetAsync(second.span().data, 0xee, bytes, on.stream()), "cudaMemsetAsync");
          placing.place(on);
          if (!is_right(job, first, second, on)) {
            std::printf("WRONG elements:\n");
            right = false;
          }
          auto const what = std::string{encoded ? "array to chunks" : "chunks to array"} +
                            (transposed ? ", transposed" : "") + (swapped ? ", swapped" : "");
          print(what.c_str(), clock.time(on, repetitions, [&] { placing.place(on); }));
        }
  }
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  return measured::run([&] {
    auto const number = [&](int i) { return std::strtoul(arguments[i], nullptr, 10); };
    std::vector<Sizes> sizes{{1024, 64, 64}, {512, 16, 64}, {512, 16, 4096}};
    if (count > 4) sizes = {{number(2), number(3), number(4)}};
    return place_all(count > 1 ? std::max(std::atoi(arguments[1]), 1) : 20, sizes);
  });
}
