// Times the library's own read from outside: its pipeline and its placer, wrapped in clocks, and a store that notes its
// calls. The host's clock times host work; events in streams time device work.
#include "timed_read.cuh"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace cli {
namespace {

using Device = tessera::space::Device;
using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

/// A point in a stream with a time.
class Mark {
 public:
  explicit Mark(cudaStream_t stream) {
    tessera::detail::check(::cudaEventCreate(&event_), "cudaEventCreate");
    if (auto const status = ::cudaEventRecord(event_, stream); status != cudaSuccess) {
      ::cudaEventDestroy(event_);
      tessera::detail::check(status, "cudaEventRecord");
    }
  }
  Mark(Mark&& other) noexcept : event_{std::exchange(other.event_, nullptr)} {}
  Mark& operator=(Mark&&) = delete;
  ~Mark() {
    if (event_) tessera::detail::succeeds(::cudaEventDestroy(event_));
  }

  void wait() const { tessera::detail::check(::cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  /// Requires: the device has reached both.
  double seconds_since(Mark const& earlier) const {
    float milliseconds = 0;
    tessera::detail::check(::cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// When mini-batches passed. For any thread.
class Passing {
 public:
  struct Batch {
    std::thread::id thread{};
    Clock::time_point begin{}, end{};  // of decoding
    std::uint64_t crossed = 0;
    std::optional<Mark> copied{};
    std::vector<std::pair<Mark, Mark>> placed{};
  };

  explicit Passing(DeviceQueue on) : on_{std::move(on)}, from_(1, on_), to_(1, on_) {
    tessera::detail::check(::cudaStreamCreateWithFlags(&beside_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  Passing(Passing const&) = delete;
  Passing& operator=(Passing const&) = delete;
  ~Passing() {
    on_.shared_stream()->drain();  // where the read threw, too
    tessera::detail::succeeds(::cudaStreamSynchronize(beside_));
    tessera::detail::succeeds(::cudaStreamDestroy(beside_));
  }

  void decoded(Clock::time_point begin, Clock::time_point end, std::uint64_t crossed) {
    std::lock_guard lock{mutex_};
    auto& batch = batches_.emplace_back();
    batch.thread = std::this_thread::get_id();
    batch.begin = begin, batch.end = end, batch.crossed = crossed;
    latest_[batch.thread] = &batch;
    if (crossed == 0) return;
    // Chunks cross in a stream of the queue's own; one more byte crosses after them. Its event has no time: a timed
    // event is recorded in a stream that waits for it.
    tessera::Event<Device> behind;
    on_.shared_stream()->copy_ahead(from_.span().data, to_.span().data, 1, &behind);
    behind.hold_back(beside_);
    batch.copied.emplace(beside_);
  }
  /// Calls `place`, which queues kernels in the queue's stream.
  template <class F>
  std::uint64_t placed(F&& place) {
    std::lock_guard lock{mutex_};
    Mark before{on_.stream()};
    auto const moved = place();
    latest_.at(std::this_thread::get_id())->placed.emplace_back(std::move(before), Mark{on_.stream()});
    return moved;
  }

  /// Requires: the read is over. Waits for the device.
  std::deque<Batch> const& batches() const {
    for (auto const& batch : batches_)
      if (batch.copied) batch.copied->wait();
    return batches_;
  }

 private:
  DeviceQueue on_;
  tessera::PinnedBuffer from_;
  tessera::DeviceBuffer to_;
  cudaStream_t beside_ = nullptr;
  std::mutex mutex_;
  std::deque<Batch> batches_;
  std::map<std::thread::id, Batch*> latest_;
};

using DeviceStages = tessera::detail::stages_of<DevicePipeline>;

/// In the stages that it notes.
class NotedStages : public DeviceStages {
 public:
  NotedStages(DeviceStages const& stages, Passing& passing) : DeviceStages{stages}, passing_{passing} {}

  void decode(tessera::ResolvedChunk const& form, std::span<tessera::DecodeTask<tessera::space::Host, Device>> chunks,
              Decoding& work, DeviceQueue& on) const {
    auto const begin = Clock::now();
    DeviceStages::decode(form, chunks, work, on);
    auto const end = Clock::now();
    std::uint64_t crossed = 0;
    for (auto const& chunk : chunks) crossed += chunk.decoded.size;
    passing_.decoded(begin, end, crossed);
  }

 private:
  Passing& passing_;
};

struct NotedPlacer final : tessera::detail::AnyPlacer<Device> {
  explicit NotedPlacer(Passing& noting) : passing{noting} {}

  std::uint64_t place(std::span<tessera::Placement<Device> const> batch, tessera::PlacementForm const& form,
                      DeviceQueue& on) const override {
    return passing.placed([&] { return tessera::placer<Device>::place(batch, form, on); });
  }
  std::uint64_t place_listed(tessera::ListedBatch<Device> const& batch, tessera::PlacementForm const& form,
                             DeviceQueue& on) const override {
    return passing.placed([&] { return tessera::placer<Device>::place_listed(batch, form, on); });
  }

  Passing& passing;
};

class CudaTimedRead final : public TimedRead {
 public:
  CudaTimedRead(Array const& array, tessera::Region const& region, DeviceQueue const& on)
      : on_{on},
        array_{array.store(), array.path(), array.metadata(), on_},
        selected_{region},
        strides_{tessera::Layout::c_order(region.count, array.type().size).strides},
        there_(size_in_bytes(region.count, array.type()), on_) {}

  void read() override { array_.read(selected_, {there_.span().data, strides_}).wait(); }

  Noted noted(tessera::Traffic& traffic) override {
    ReadLog log;
    Passing passing{on_};
    bool runs_codecs = false;
    on_.wait();
    Mark const zero{on_.stream()};
    zero.wait();
    auto const begin = Clock::now();
    {
      NotedReads const noting{array_.store(), log};
      array_.on(on_)
          .for_chunks(selected_, strides_,
                      [&](tessera::ChunkAccess<DeviceStages> const& chunks) {
                        runs_codecs = !chunks.form.stores_elements;
                        NotedStages const stages{chunks.pipeline, passing};
                        tessera::ChunkAccess<NotedStages> const source{chunks.store, chunks.names,  stages,
                                                                       chunks.form,  chunks.fill,   chunks.shards,
                                                                       chunks.array_shape};
                        NotedPlacer const placer{passing};
                        tessera::StridedSpan<Device> const target{there_.span().data, strides_, &placer,
                                                                  array_.type().size};
                        read_chunks(source, selected_, target, on_, {.traffic = &traffic});
                      })
          .wait();
    }
    Noted noted;
    noted.timeline.seconds = seconds_between(begin, Clock::now());
    noted.calls = log.take();
    add_batches(noted, passing, runs_codecs, begin, zero);
    return noted;
  }

 private:
  static void add_batches(Noted& noted, Passing const& passing, bool runs_codecs, Clock::time_point zero,
                          Mark const& zero_mark) {
    std::map<std::thread::id, std::size_t> threads;
    std::vector<bool> is_taken(noted.calls.size());
    double link_free = 0;  // when the copy before ended
    auto const at = [&](Clock::time_point time) { return seconds_between(zero, time); };
    for (auto const& passed : passing.batches()) {
      MiniBatch batch;
      batch.thread = threads.try_emplace(passed.thread, threads.size()).first->second;
      for (std::size_t i = 0; i < noted.calls.size(); ++i) {
        auto const& call = noted.calls[i];
        if (is_taken[i] || call.thread != passed.thread || call.end > passed.begin) continue;
        is_taken[i] = true;
        batch.fetch.push_back({at(call.begin), at(call.end)});
        for (auto const& read : call.reads) batch.fetched += read.size.value_or(0);
      }
      if (runs_codecs) batch.decode = {at(passed.begin), at(passed.end)};
      if (passed.copied) {
        auto const end = passed.copied->seconds_since(zero_mark);
        batch.copy = {std::min(std::max(at(passed.end), link_free), end), end};
        link_free = std::max(link_free, end);
      }
      for (auto const& [before, after] : passed.placed)
        batch.place.push_back({before.seconds_since(zero_mark), after.seconds_since(zero_mark)});
      batch.crossed = passed.crossed;
      noted.timeline.batches.push_back(std::move(batch));
    }
  }

  DeviceQueue on_;
  DeviceArray array_;
  tessera::ResolvedSelection selected_;
  tessera::Strides strides_;
  tessera::DeviceBuffer there_;
};

}  // namespace

std::unique_ptr<TimedRead> timed_read(Array const& array, tessera::Region const& region, DeviceQueue const& on) {
  return std::make_unique<CudaTimedRead>(array, region, on);
}

}  // namespace cli
