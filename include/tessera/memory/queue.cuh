// The device's queue: a stream, the host queue that feeds it, and the memory that its buffers are made of.
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

#include <tessera/core/cuda_check.cuh>
#include <tessera/memory/device_lease.cuh>
#include <tessera/memory/event.cuh>
#include <tessera/memory/object_pool.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/stream.cuh>

namespace tessera { inline namespace v0 {

/// A handle: copies are the same queue, and any thread may use it. A host queue does the host's part of its work, on
/// one thread for each processor unless you give another: `Queue<space::Device>{Queue<space::Host>{2}}`. It acts in its
/// stream's context, whatever the calling thread's device is, and makes no context on another. The calling thread waits
/// in `wait`, in `trim`, in `lease` as said there, and when the last handle goes, for what the queue keeps; nowhere
/// else. Work, memory and errors are those of the CUDA runtime: any later call may throw an error of earlier work.
template <>
class Queue<space::Device> {
 public:
  /// A stream of its own, on the calling thread's device. Throws: DeviceError.
  Queue() : Queue{Queue<space::Host>::of_all_processors()} {}
  explicit Queue(Queue<space::Host> host, DeviceResources const& resources = {})
      : state_{std::make_shared<State>(std::make_shared<detail::Stream>(resources), std::move(host))} {}
  /// Uses the caller's stream, which outlives the queue and what is made on it. Throws: DeviceError, if it is a default
  /// stream.
  explicit Queue(cudaStream_t stream, Queue<space::Host> host = Queue<space::Host>::of_all_processors(),
                 DeviceResources const& resources = {})
      : state_{std::make_shared<State>(std::make_shared<detail::Stream>(stream, resources), std::move(host))} {}
  /// The legacy default stream.
  template <std::same_as<std::nullptr_t> Null>
  explicit Queue(Null, Queue<space::Host> = {}, DeviceResources const& = {}) {
    static_assert(sizeof(Null) == 0,
                  "tessera: a queue never works on the default stream: give it a stream made by "
                  "cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), or nothing, for one of its own");
  }

  cudaStream_t stream() const { return state_->stream->handle(); }
  int device() const { return state_->stream->device(); }
  /// Bytes of the device's memory that nobody has. Throws: DeviceError.
  std::uint64_t free_memory() const {
    detail::InContext const here{state_->stream->context()};
    std::size_t free = 0, total = 0;
    detail::check(::cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }
  Queue<space::Host>& host() { return state_->host; }

  /// No conversion: where the host's queue is asked for, the compiler finds this and says what to write.
  template <MemorySpace Other>
  requires(!std::same_as<Other, space::Device>) operator Queue<Other>&() const {
    static_assert(sizeof(Other) == 0,
                  "tessera: this is a queue of a device, and the work asked for is the host's: give queue.host()");
    __builtin_unreachable();
  }

  /// Lends a T that this queue keeps and that nothing uses, neither a borrower nor the stream. If all are in use, it
  /// makes a new one; but if `most` are idle that the stream is not done with, it waits for the first of these.
  template <class T>
  DeviceLease<T> lease(std::size_t most = 4) {
    bool idle = false;
    auto lent = state_->kept.lease<detail::InUse<T>>([&](auto& held) { return idle = held.until.is_done(); }, most);
    if (!idle) lent->until.wait();
    return {std::shared_ptr<detail::Stream>{state_, state_->stream.get()}, std::move(lent)};  // which holds the state
  }

  /// Waits for the stream, and frees everything that the queue keeps and has not lent: scratch memory, pinned and
  /// managed memory of buffers that are gone, and what its host queue keeps. The next work makes it anew. For any
  /// thread.
  void trim() const {
    state_->kept.trim();
    state_->stream->trim();
    state_->host.trim();
  }
  /// Limits the scratch memory that the queue keeps when `wait`, here or of a Pending, has returned: about so many
  /// bytes of each kind of memory, and the same in its host queue.
  void keep_idle(std::uint64_t most) const {
    state_->host.keep_idle(most);
    state_->settle();
  }
  std::uint64_t most_idle() const { return state_->host.most_idle(); }

  /// Holds an object until everything that was queued so far is done.
  template <class T>
  void keep(T object) {
    state_->keep(std::move(object));
  }

  /// Returns, or throws, when everything that was queued before is done, and lets go of what was kept for it. Throws:
  /// DeviceError, also of the work.
  void wait() {
    try {
      auto const now = state_->kept.lease<Event<space::Device>>();
      state_->stream->record(*now);
      now->wait();
      state_->let_go();
      state_->settle();
    } catch (...) {  // who waits has memory that is about to go
      state_->stream->drain();
      throw;
    }
  }

  Event<space::Device> record() {
    Event<space::Device> event;
    state_->stream->record(event);
    return event;
  }
  /// Lets work that is queued from now on begin when the event is there; the host does not wait.
  void after(Event<space::Device> const& event) { event.hold_back(stream()); }
  void after(Event<space::Host> const&) {}

  /// The work that was queued so far, to be waited for later; errors that show then name the key.
  Pending pending(std::string key = {}) {
    return pending([key = std::move(key)](Error& error) {
      if (!key.empty()) error.in_key(key);
    });
  }
  /// The same; `say(Error&)` adds to the errors what is known of the work.
  template <std::invocable<Error&> F>
  Pending pending(F say) {
    return Pending{std::make_unique<Work<F>>(record(), std::move(say), state_)};
  }

  /// What buffers hold.
  std::shared_ptr<detail::Stream> const& shared_stream() const { return state_->stream; }

 private:
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
      } catch (...) {  // the object goes now, or what the caller has goes: nothing may use it any more
        stream->drain();
        throw;
      }
    }
    void settle() noexcept {
      kept.trim_to(host.most_idle());
      stream->trim_to(host.most_idle());
    }
    // Of what the stream is done with. Destroyed without the lock: it may be dear.
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
    std::deque<std::unique_ptr<KeptObject>> objects;  // in the stream's order
  };

  template <class F>
  struct Work : Pending::Work {
    Work(Event<space::Device> e, F f, std::shared_ptr<State> s)
        : event{std::move(e)}, say{std::move(f)}, state{std::move(s)} {}
    bool is_done() override {
      try {
        return event.is_done();
      } catch (Error const&) {  // is for wait() to throw
        return true;
      }
    }
    void wait() override {
      try {
        event.wait();
        state->let_go();
        state->settle();
      } catch (Error& error) {  // who waits has memory that is about to go
        state->stream->drain();
        say(error);
        throw;
      }
    }
    Event<space::Device> event;
    F say;
    std::shared_ptr<State> state;  // a stream of its own stays
  };

  std::shared_ptr<State> state_;
};
static_assert(WorkQueue<Queue<space::Device>>);

}}  // namespace tessera::v0
