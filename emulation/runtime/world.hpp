// The state of the emulated machine: its devices, streams, events and pools. One world, under one lock, never
// destroyed.
#pragma once
#include <cuda_runtime_api.h>

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <emulation/emulation.hpp>

#include "lock.hpp"
#include "regions.hpp"
#include "sanitizer.hpp"
#include "worker.hpp"

namespace emulation {

struct Stream;
struct SharedEvent;

/// A place in a stream's order: after its first `count` operations.
struct Point {
  Stream* stream = nullptr;
  std::uint64_t count = 0;
  std::shared_ptr<char const> token{};  ///< of a recorded event: its identity for ThreadSanitizer
};

struct Range {
  std::byte const* begin = nullptr;
  std::size_t size = 0;
};

/// An operation of a stream.
struct Operation {
  std::function<void()>
      prepare{};                ///< for ThreadSanitizer, the work itself: touches ranges, runs user code
  std::function<void()> run{};  ///< the work, under the world's lock
  cudaHostFn_t host_function = nullptr;  ///< instead: run by the stream's own thread, without the lock
  void* argument = nullptr;
  std::vector<Point> after{};    ///< its dependencies beyond the stream's order
  std::vector<Range> touches{};  ///< page-locked memory that must not be freed before
  void* caller = nullptr;
  bool late = false;
};

struct Stream {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  int number = 0;  ///< in the order of creation
  int turn = 0;    ///< in the order of creation since the seed was set: which bit of the seed
  bool legacy = false;
  bool destroyed = false;
  bool lost = false;  ///< with its context
  bool busy = false;  ///< its thread runs a host function
  int polls = 0;      ///< queries in a row that found it busy
  std::list<Operation> queue{};
  std::uint64_t enqueued = 0;
  std::uint64_t done = 0;
  std::uint64_t told = 0;    ///< the part that the host knows to be done, here and in the next two: see managed.hpp
  std::uint64_t kernel = 0;  ///< after the last kernel
  std::vector<std::pair<std::uint64_t, Point>> behind{};  ///< which operation begins after which point
  std::unique_ptr<Worker> worker{};
  void* made_at = nullptr;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  std::thread::id captured_by{};

  bool blocking() const { return !legacy && (flags & cudaStreamNonBlocking) == 0; }
};

struct Event {
  int device = 0;
  unsigned flags = 0;
  bool destroyed = false;
  bool lost = false;
  bool recorded = false;
  Point latest{};
  std::shared_ptr<std::uint64_t> when{};  ///< how many operations the machine had done; 0: not yet
  int polls = 0;
  void* made_at = nullptr;
  SharedEvent* shared = nullptr;  ///< the part that other processes see
  pid_t exporter = 0;             ///< the owning process, if it is another
};

struct Pool {
  int device = 0;
  bool standard = false;  ///< a device's own, never destroyed
  bool destroyed = false;
  std::uint32_t accessible = 0;
  std::uint64_t threshold = 0;
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  std::uint64_t limit = 0;      ///< 0: none
  int flags[4] = {0, 1, 1, 1};  ///< by attribute: reuse flags, stored but not used
  bool exportable = false;      ///< by a file descriptor
  std::uint64_t exporter = 0;   ///< the mark of the owning process, if it is another, and its number there
  int number = -1;
  void* made_at = nullptr;
};

struct Device {
  cudaError_t error = cudaSuccess;  ///< sticky
  bool context = false;             ///< whether its context exists
  unsigned contexts = 0;            ///< how many of them were destroyed
  std::size_t used = 0;
  std::uint32_t peers = 0;  ///< bit d: kernels here may access memory of device d
  Stream* legacy = nullptr;
  Pool* standard_pool = nullptr;
  Pool* pool = nullptr;
};

/// Handles are numbers with a mark, never reused: a destroyed handle is recognised, and so is an invalid one.
template <class T, class Handle, std::uintptr_t mark>
class Handles {
 public:
  static Handle handle(std::size_t number) { return reinterpret_cast<Handle>(mark + 16 * number); }

  Handle add(T*& made) {
    all_.push_back(std::make_unique<T>());
    made = all_.back().get();
    return handle(all_.size() - 1);
  }
  T* find(Handle wanted) const {
    auto const value = reinterpret_cast<std::uintptr_t>(wanted);
    if (value < mark || (value - mark) % 16 != 0 || (value - mark) / 16 >= all_.size()) return nullptr;
    return all_[(value - mark) / 16].get();
  }
  Handle handle_of(T const& wanted) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].get() == &wanted) return handle(i);
    }
    return nullptr;
  }
  std::vector<std::unique_ptr<T>> const& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<T>> all_;
};

struct World {
  Lock lock;
  Change change;  ///< signalled whenever a host function has ended
  Machine machine;
  std::uint64_t seed = 0;
  int streams_made = 0;
  int turns_given = 0;
  std::uint64_t operations_done = 0;
  Device devices[most_devices];
  std::size_t page_locked = 0;  ///< bytes
  bool managed_closed = false;  ///< to the host
  Handles<Stream, cudaStream_t, 0x57ea0000000> streams;
  Handles<Event, cudaEvent_t, 0xe7e00000000> events;
  Handles<Pool, cudaMemPool_t, 0x9001000000> pools;
  std::map<int, Stream*> active;                       ///< those with queued operations, by number
  std::map<std::byte const*, std::size_t> registered;  ///< by cudaHostRegister
};

World& world();

/// The world's lock, taken so that ThreadSanitizer does not see it.
class Held {
 public:
  Held() { world().lock.lock(); }
  Held(Held const&) = delete;
  Held& operator=(Held const&) = delete;
  ~Held() { world().lock.unlock(); }

 private:
  sanitizer::Hidden hidden_{};
};

}  // namespace emulation
