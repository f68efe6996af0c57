// Queue<space::Device>: a stream, the host queue that feeds it, and the memory of its buffers.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/memory/detail/device_lease.cuh>
#include <tessera/memory/detail/event.cuh>  // IWYU pragma: export
#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/memory/detail/stream.cuh>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

/// A handle: copies share the queue, and any thread may use it. A host queue does the work on the host, with one thread
/// for each processor unless you pass another: `Queue<space::Device>{Queue<space::Host>{2}}`. The queue acts in its
/// stream's context, whatever the calling thread's device is, and creates no other context. The calling thread waits
/// only in `wait`, in `trim`, in `lease` as described there, where memory runs out, and in the destructor of the last
/// handle, for what the queue keeps. Work, memory and errors are those of the CUDA runtime: any later call may throw an
/// error of earlier work.
template <>
class Queue<space::Device> {
 public:
  /// A new stream on the calling thread's device. It and the legacy default stream do not wait for each other: that
  /// includes a `cudaMemset`, a `cudaMemcpy` or a kernel launched without a stream. Throws: DeviceError.
  Queue() : Queue{Queue<space::Host>::of_all_processors()} {}
  explicit Queue(Queue<space::Host> host, DeviceResources const& resources = {})
      : Queue{std::make_shared<detail::Stream>(resources), std::move(host)} {}
  /// Uses the caller's stream, which must outlive the queue and all objects made on it. Throws: DeviceError, if it is a
  /// default stream.
  explicit Queue(cudaStream_t stream, Queue<space::Host> host = Queue<space::Host>::of_all_processors(),
                 DeviceResources const& resources = {})
      : Queue{std::make_shared<detail::Stream>(stream, resources), std::move(host)} {}
  /// Like Queue(), but ordered by CUDA with the legacy default stream of the device: the queue's work comes after
  /// earlier work of that stream, and before its later work. Such a queue waits for other code that uses the default
  /// stream. (CUDA C++ Programming Guide, "Default Stream".)
  static Queue ordered_with_default_stream(Queue<space::Host> host = Queue<space::Host>::of_all_processors(),
                                           DeviceResources const& resources = {}) {
    return Queue{std::make_shared<detail::Stream>(resources, cudaStreamDefault), std::move(host)};
  }
  /// Refuses the legacy default stream.
  template <std::same_as<std::nullptr_t> Null>
  explicit Queue(Null, Queue<space::Host> = {}, DeviceResources const& = {}) {
    static_assert(sizeof(Null) == 0,
                  "tessera: a queue cannot use the default stream: pass a stream made by "
                  "cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), or none, for a stream of its own; "
                  "Queue<space::Device>::ordered_with_default_stream() waits for the default stream");
  }

  cudaStream_t stream() const { return state_->stream->handle(); }
  int device() const { return state_->stream->device(); }
  /// Free bytes of the device's memory. Throws: DeviceError.
  std::uint64_t free_memory() const {
    detail::InContext const here{state_->stream->context()};
    std::size_t free = 0, total = 0;
    detail::check(::cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }
  Queue<space::Host>& host() { return state_->host; }

  /// No conversion: it exists only so that its error says what to write where a host queue is expected.
  template <MemorySpace Other>
  requires(!std::same_as<Other, space::Device>) operator Queue<Other>&() const {
    static_assert(sizeof(Other) == 0,
                  "tessera: found a device queue, expected a host queue: pass queue.host()");
    __builtin_unreachable();
  }

  /// Lends a T that this queue keeps and that neither a borrower nor the stream uses. If none is free, makes a new one;
  /// but if the stream still uses `most` returned ones, waits for the first of them.
  template <class T>
  DeviceLease<T> lease(std::size_t most = 4) {
    bool idle = false;
    auto lent = state_->kept.lease<detail::InUse<T>>([&](auto& held) { return idle = held.until.is_done(); }, most);
    if (!idle) lent->until.wait();
    return {std::shared_ptr<detail::Stream>{state_, state_->stream.get()}, std::move(lent)};  // keeps the state alive
  }

  /// Waits for the stream, and frees everything that the queue and its host queue keep and have not lent, such as
  /// scratch memory, and pinned and managed memory of destroyed buffers. Later work allocates it again. Thread-safe.
  void trim() const {
    state_->kept.trim();
    state_->stream->trim();
    state_->host.trim();
  }
  /// Limits the scratch memory that the queue keeps after `wait`, its own or that of a Pending: to about `most` bytes
  /// of each kind of memory, and the same in its host queue.
  void keep_idle(std::uint64_t most) const {
    state_->host.keep_idle(most);
    state_->settle();
  }
  std::uint64_t most_idle() const { return state_->host.most_idle(); }

  /// Holds an object until all work queued so far is done.
  template <class T>
  void keep(T object) {
    state_->keep(std::move(object));
  }

  /// Waits until all work queued before is done, and releases the objects kept for it. Throws: DeviceError, also for
  /// errors of the work.
  void wait() {
    try {
      auto const now = state_->kept.lease<Event<space::Device>>();
      state_->stream->record(*now);
      now->wait();
      state_->let_go();
      state_->settle();
    } catch (...) {  // the caller may now free memory of the work
      state_->stream->drain();
      throw;
    }
  }

  Event<space::Device> record() {
    Event<space::Device> event;
    state_->stream->record(event);
    return event;
  }
  /// Makes later work of this queue wait for the event; the host does not wait.
  void after(Event<space::Device> const& event) { event.hold_back(stream()); }
  void after(Event<space::Host> const&) {}

  /// The work queued so far, to wait for later; its errors name the key.
  Pending pending(std::string key = {}) {
    return pending([key = std::move(key)](Error& error) {
      if (!key.empty()) error.in_key(key);
    });
  }
  /// The same; `say(Error&)` adds what is known of the work to its errors.
  template <std::invocable<Error&> F>
  Pending pending(F say) {
    return Pending{std::make_unique<Work<F>>(record(), std::move(say), state_)};
  }

  /// The stream that buffers hold.
  std::shared_ptr<detail::Stream> const& shared_stream() const { return state_->stream; }

 private:
  Queue(std::shared_ptr<detail::Stream> stream, Queue<space::Host>&& host)
      : state_{std::make_shared<State>(std::move(stream), std::move(host))} {}

  struct KeptObject {
    virtual ~KeptObject() = default;
    Event<space::Device> until{};
  };
  template <class T>
  struct Holder : KeptObject {
    explicit Holder(T&& o) : object{std::move(o)} {}
    T object;
  };

  struct State {
    State(std::shared_ptr<detail::Stream> s, Queue<space::Host>&& h) : stream{std::move(s)}, host{std::move(h)} {}
    ~State() {
      if (!objects.empty()) stream->drain();
      stream->destroy_after_device();
    }

    template <class T>
    void keep(T&& object) {
      std::unique_ptr<KeptObject> holder;
      try {
        holder = std::make_unique<Holder<T>>(std::move(object));
        stream->record(holder->until);
        {
          std::lock_guard lock{mutex};
          objects.push_back(std::move(holder));
        }
        let_go();
      } catch (...) {  // the object or the caller's memory is freed now: the stream must be done with it
        stream->drain();
        throw;
      }
    }
    void settle() noexcept {
      kept.trim_to(host.most_idle());
      stream->trim_to(host.most_idle());
    }
    // Releases the objects that the stream is done with. Destroys them without the lock: that may be slow.
    void let_go() {
      for (;;) {
        std::unique_ptr<KeptObject> done;
        std::lock_guard lock{mutex};
        if (objects.empty() || !objects.front()->until.is_done()) return;
        done = std::move(objects.front());
        objects.pop_front();
      }
    }

    std::shared_ptr<detail::Stream> stream;
    Queue<space::Host> host;
    ObjectPool kept;
    std::mutex mutex;
    std::deque<std::unique_ptr<KeptObject>> objects;  // in stream order
  };

  template <class F>
  struct Work : Pending::Work {
    Work(Event<space::Device> e, F f, std::shared_ptr<State> s)
        : event{std::move(e)}, say{std::move(f)}, state{std::move(s)} {}
    bool is_done() override {
      try {
        return event.is_done();
      } catch (Error const&) {  // wait() throws it
        return true;
      }
    }
    void wait() override {
      try {
        event.wait();
        state->let_go();
        state->settle();
      } catch (Error& error) {  // the caller may now free memory of the work
        state->stream->drain();
        say(error);
        throw;
      }
    }
    Event<space::Device> event;
    F say;
    std::shared_ptr<State> state;  // keeps the queue's own stream alive
  };

  std::shared_ptr<State> state_;
};
static_assert(WorkQueue<Queue<space::Device>>);

}}  // namespace tessera::v0
