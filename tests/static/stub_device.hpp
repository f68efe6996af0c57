// A device of which only the interface is real, as small as possible. Its memory is host memory at addresses that fault
// when accessed, and its queue runs nothing before a wait: work that the host does not wait for, or that is freed too
// early, shows.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/place/detail/placer.hpp>

namespace stub {

// Device addresses are host addresses moved to where no memory is.
inline constexpr std::uintptr_t distance = std::uintptr_t{1} << 55;
template <class T>
T* to_device(T* p) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + distance);
}
template <class T>
T* to_host(T* p) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) - distance);
}

// Requests to the device since the last reset.
struct Counts {
  std::atomic<int> copies{0}, crossings{0}, launches{0}, waits{0}, allocations{0};
  void reset() { copies = crossings = launches = waits = allocations = 0; }
};
inline Counts counts;

// Work in order, done at a wait.
class Stream {
 public:
  ~Stream() { wait(queued_); }
  void push(std::function<void()> work) {
    std::lock_guard lock{mutex_};
    work_.push_back(std::move(work));
    ++queued_;
  }
  std::uint64_t queued() {
    std::lock_guard lock{mutex_};
    return queued_;
  }
  void wait(std::uint64_t until) {
    std::lock_guard lock{mutex_};
    for (; done_ < until; ++done_, work_.pop_front()) work_.front()();
  }

 private:
  std::recursive_mutex mutex_;  // work may free objects that free more
  std::deque<std::function<void()>> work_;
  std::uint64_t queued_ = 0, done_ = 0;
};

// An object on loan that its lender waits for: it is free when it is lent again.
template <class T>
struct Held {
  T object;
  std::uint64_t used_until = 0;
};
template <class T>
class Lease {
 public:
  Lease(std::shared_ptr<Stream> stream, tessera::Lease<Held<T>> held)
      : stream_{std::move(stream)}, held_{std::move(held)} {
    stream_->wait(held_->used_until);
  }
  Lease(Lease&&) = default;
  ~Lease() {
    if (stream_) held_->used_until = stream_->queued();
  }
  T& operator*() const { return held_->object; }
  T* operator->() const { return &held_->object; }

 private:
  std::shared_ptr<Stream> stream_;
  tessera::Lease<Held<T>> held_;
};

}  // namespace stub

namespace tessera { inline namespace v0 {

template <>
class Event<space::Device> {
 public:
  Event() = default;
  explicit Event(std::shared_ptr<stub::Stream> stream) : stream_{std::move(stream)}, place_{stream_->queued()} {}
  void wait() const {
    if (stream_) stream_->wait(place_);
  }

 private:
  std::shared_ptr<stub::Stream> stream_;
  std::uint64_t place_ = 0;
};

template <>
class Queue<space::Device> {
 public:
  explicit Queue(Queue<space::Host> host = {}) : host_{std::move(host)} {}

  Queue<space::Host>& host() { return host_; }
  template <class T>
  stub::Lease<T> lease(std::size_t = 4) {
    return {stream_, kept_->template lease<stub::Held<T>>()};
  }
  void wait() {
    ++stub::counts.waits;
    stream_->wait(stream_->queued());
  }
  template <class T>
  void keep(T object) {
    stream_->push([kept = std::make_shared<T>(std::move(object))]() mutable { kept.reset(); });
  }

  Pending pending() { return Pending{std::make_unique<Work>(record())}; }
  template <class F>
  Pending pending(F const&) {
    return pending();
  }
  Event<space::Device> record() { return Event<space::Device>{stream_}; }
  void after(Event<space::Device> const& event) {
    stream_->push([event] { event.wait(); });
  }

  std::shared_ptr<stub::Stream> const& stream() const { return stream_; }

 private:
  struct Work : Pending::Work {
    explicit Work(Event<space::Device> e) : event{std::move(e)} {}
    bool is_done() override { return false; }
    void wait() override {
      ++stub::counts.waits;
      event.wait();
    }
    Event<space::Device> event;
  };

  Queue<space::Host> host_;
  std::shared_ptr<stub::Stream> stream_ = std::make_shared<stub::Stream>();
  std::shared_ptr<ObjectPool> kept_ =
      std::make_shared<ObjectPool>();  // destroyed before the stream: its objects are freed in its order
};
static_assert(WorkQueue<Queue<space::Device>>);

}}  // namespace tessera::v0

namespace stub {

// Memory of a space that only a device queue orders, allocated and freed in that order.
template <class Space>
class Buffer {
 public:
  using space_type = Space;

  Buffer() = default;
  Buffer(std::size_t size, tessera::Queue<tessera::space::Device>& on) : stream_{on.stream()}, size_{size} {
    ++counts.allocations;
    data_ = static_cast<std::byte*>(std::malloc(size ? size : 1));
    std::memset(data_, 0xcd, size);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer{std::move(other)}.swap(*this);
    return *this;
  }
  ~Buffer() {
    if (data_)
      stream_->push([data = data_, size = size_] {
        std::memset(data, 0xdd, size);
        std::free(data);
      });
  }

  tessera::ByteView<Space> view() const { return {address(), size_}; }
  tessera::ByteSpan<Space> span() { return {address(), size_}; }

 private:
  std::byte* address() const { return Space::host_accessible || !data_ ? data_ : to_device(data_); }
  void swap(Buffer& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::shared_ptr<Stream> stream_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

using DeviceBuffer = Buffer<tessera::space::Device>;
using PinnedBuffer = Buffer<tessera::space::Pinned>;
using ManagedBuffer = Buffer<tessera::space::Managed>;

template <class Space, class T>
T* real(T* p) {
  return Space::host_accessible ? p : to_host(p);
}

// One asynchronous copy, which reads its source as late as it can.
template <class To, class From>
struct copying {
  static void copy(tessera::ByteView<From> from, tessera::ByteSpan<To> to, tessera::Queue<tessera::space::Device>& on) {
    ++counts.copies;
    if (!std::is_same_v<To, From>) ++counts.crossings;
    on.stream()->push([=] {
      if (from.size != 0) std::memcpy(real<To>(to.data), real<From>(from.data), from.size);
    });
  }
};

// One launch places a whole batch.
template <class Space>
struct placing {
  static std::uint64_t place(std::span<tessera::Placement<Space> const> batch, tessera::PlacementForm form,
                             tessera::Queue<tessera::space::Device>& on) {
    ++counts.launches;
    std::uint64_t moved = 0;
    std::vector<tessera::Placement<tessera::space::Host>> boxes;
    for (auto const& p : batch) {
      boxes.push_back({p.from ? real<Space>(p.from) : nullptr, real<Space>(p.to), p.count});
      std::uint64_t bytes = form.item_size;
      for (auto n : p.count) bytes *= n;
      moved += bytes;
    }
    std::vector<std::byte> fill(form.fill.data, form.fill.data + form.fill.size);  // as a kernel takes it: by value
    on.stream()->push([boxes = std::move(boxes), fill = std::move(fill), form]() mutable {
      form.fill = {fill.data(), fill.size()};
      tessera::Queue<tessera::space::Host> here;
      tessera::placer<tessera::space::Host>::place(boxes, form, here);
    });
    return moved;
  }

  static std::uint64_t place_listed(tessera::ListedBatch<Space> const& batch, tessera::PlacementForm form,
                                    tessera::Queue<tessera::space::Device>& on) {
    ++counts.launches;
    tessera::ListedBatch<tessera::space::Host> there;
    there.pairs = batch.pairs, there.axes = batch.axes;
    for (auto box : batch.boxes)
      there.boxes.push_back({box.from ? real<Space>(box.from) : nullptr, real<Space>(box.to), box.first_axis,
                             box.axes, box.chunk});
    std::vector<std::byte> fill(form.fill.data, form.fill.data + form.fill.size);
    on.stream()->push([there = std::move(there), fill = std::move(fill), form]() mutable {
      form.fill = {fill.data(), fill.size()};
      tessera::Queue<tessera::space::Host> here;
      tessera::placer<tessera::space::Host>::place_listed(there, form, here);
    });
    return 0;
  }
};

}  // namespace stub

namespace tessera { inline namespace v0 {

template <>
struct buffer_in<space::Device> {
  using type = stub::DeviceBuffer;
};
template <>
struct buffer_in<space::Pinned> {
  using type = stub::PinnedBuffer;
};

template <>
struct crossing<space::Device, space::Device> : stub::copying<space::Device, space::Device> {};
template <>
struct crossing<space::Device, space::Host> : stub::copying<space::Device, space::Host> {};
template <>
struct crossing<space::Host, space::Device> : stub::copying<space::Host, space::Device> {};
template <>
struct crossing<space::Pinned, space::Pinned> : stub::copying<space::Pinned, space::Pinned> {};
template <>
struct crossing<space::Pinned, space::Host> : stub::copying<space::Pinned, space::Host> {};
template <>
struct crossing<space::Host, space::Pinned> : stub::copying<space::Host, space::Pinned> {};
template <>
struct crossing<space::Device, space::Pinned> : stub::copying<space::Device, space::Pinned> {};
template <>
struct crossing<space::Pinned, space::Device> : stub::copying<space::Pinned, space::Device> {};

template <>
struct placer<space::Device> : stub::placing<space::Device> {};
template <>
struct placer<space::Pinned> : stub::placing<space::Pinned> {};

}}  // namespace tessera::v0
