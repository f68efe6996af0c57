// A hand-written loop for one particular array: threads read its chunks' files into page-locked slabs, a slab is copied
// to the device in one piece, and a kernel places its chunks. It checks nothing.
#pragma once
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "measured.cuh"

namespace measured {

/// An array of three dimensions in cubes, one file for each.
struct Cubes {
  std::uint64_t shape[3];
  std::uint64_t chunk;
  bool is_transposed = false, is_compressed = false;

  TESSERA_HOST_DEVICE std::uint64_t along(int d) const { return shape[d] / chunk; }
  TESSERA_HOST_DEVICE std::uint64_t in_chunk() const { return chunk * chunk * chunk; }
  std::uint64_t chunks() const { return along(0) * along(1) * along(2); }
  std::uint64_t size() const { return shape[0] * shape[1] * shape[2]; }
  std::string file(std::uint64_t i) const {
    auto const x = i % along(2), y = i / along(2) % along(1), z = i / along(2) / along(1);
    return "/c/" + std::to_string(z) + '/' + std::to_string(y) + '/' + std::to_string(x);
  }
};

/// Element i of a slab's chunks, in the order of the array's chunks.
template <class T>
struct PlaceCube {
  Cubes cubes;
  std::uint64_t first;
  T const* slab;
  T* array;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const n = cubes.chunk, number = first + i / cubes.in_chunk(), in = i % cubes.in_chunk();
    auto const x = in % n, y = in / n % n, z = in / n / n;
    auto const from = i - in + (cubes.is_transposed ? (x * n + y) * n + z : in);
    auto const cx = number % cubes.along(2), cy = number / cubes.along(2) % cubes.along(1),
               cz = number / cubes.along(2) / cubes.along(1);
    array[((cz * n + z) * cubes.shape[1] + cy * n + y) * cubes.shape[2] + cx * n + x] = slab[from];
  }
};

template <class T>
class DeviceLoop {
 public:
  DeviceLoop(std::string folder, Cubes const& cubes, std::size_t threads, std::uint64_t slab_bytes)
      : folder_{std::move(folder)},
        cubes_{cubes},
        chunks_in_slab_{std::clamp<std::uint64_t>(slab_bytes / (cubes.in_chunk() * sizeof(T)), 1,
                                                  std::max<std::uint64_t>(1, cubes.chunks()))} {
    for (std::size_t i = 0; i < threads; ++i)
      workers_.push_back(std::make_unique<Worker>(chunks_in_slab_ * cubes.in_chunk() * sizeof(T)));
  }

  /// Reads the whole of it. Waits.
  void read(T* array) {
    std::atomic<std::uint64_t> next = 0;
    std::atomic<bool> failed = false;
    std::vector<std::jthread> threads;
    for (auto& worker : workers_)
      threads.emplace_back([&, &one = *worker] {
        try {
          work(one, next, array);
        } catch (std::exception const& error) {
          std::fprintf(stderr, "the loop: %s\n", error.what());
          failed = true;
        }
      });
    threads.clear();
    if (failed) throw tessera::Error{"the loop failed"};
  }

 private:
  using Queue = tessera::Queue<tessera::space::Device>;

  struct Slot {  // filled while the other is copied
    Slot(std::uint64_t bytes, Queue& on) : here(bytes, on), there(bytes, on) {}
    tessera::PinnedBuffer here;
    tessera::DeviceBuffer there;
    tessera::Event<tessera::space::Device> until{};
  };
  struct Worker {
    explicit Worker(std::uint64_t bytes)
        : on{tessera::Queue<tessera::space::Host>{1}}, slots{{bytes, on}, {bytes, on}} {}
    Queue on;
    Slot slots[2];
    std::vector<char> compressed{};
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> decoder{ZSTD_createDCtx(), ZSTD_freeDCtx};
  };

  void work(Worker& worker, std::atomic<std::uint64_t>& next, T* array) {
    auto const chunk_bytes = cubes_.in_chunk() * sizeof(T);
    for (int turn = 0;; turn ^= 1) {
      auto const first = next.fetch_add(chunks_in_slab_);
      if (first >= cubes_.chunks()) break;
      auto const count = std::min(chunks_in_slab_, cubes_.chunks() - first);
      auto& slot = worker.slots[turn];
      slot.until.wait();
      for (std::uint64_t i = 0; i < count; ++i)
        fetch(worker, cubes_.file(first + i), slot.here.span().data + i * chunk_bytes, chunk_bytes);
      good(cudaMemcpyAsync(slot.there.span().data, slot.here.view().data, count * chunk_bytes, cudaMemcpyHostToDevice,
                           worker.on.stream()),
           "cudaMemcpyAsync");
      tessera::launch(worker.on, count * cubes_.in_chunk(),
                      PlaceCube<T>{cubes_, first, reinterpret_cast<T const*>(slot.there.view().data), array});
      slot.until = worker.on.record();
    }
    worker.on.wait();
  }

  void fetch(Worker& worker, std::string const& name, std::byte* to, std::size_t size) const {
    auto const file = ::open((folder_ + name).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw tessera::Error{"cannot open " + name};
    auto const length = cubes_.is_compressed ? static_cast<std::size_t>(::lseek(file, 0, SEEK_END)) : size;
    if (cubes_.is_compressed) worker.compressed.resize(length);
    auto* const at = cubes_.is_compressed ? worker.compressed.data() : reinterpret_cast<char*>(to);
    auto const got = ::pread(file, at, length, 0);
    ::close(file);
    if (got != static_cast<ssize_t>(length)) throw tessera::Error{"cannot read " + name};
    if (cubes_.is_compressed && ZSTD_decompressDCtx(worker.decoder.get(), to, size, at, length) != size)
      throw tessera::Error{"cannot decode " + name};
  }

  std::string folder_;
  Cubes cubes_;
  std::uint64_t chunks_in_slab_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace measured
