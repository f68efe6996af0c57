// Device queues: their order, their memory, their waits.
#include <algorithm>
#include <atomic>
#include <thread>

#include <device/device.hpp>
#include <support/refused.hpp>

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::made, test::text, test::under_seeds;

namespace {

struct Add {
  std::uint8_t* data;
  std::uint8_t n;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { data[i] = static_cast<std::uint8_t>(data[i] + n); }
};

template <class B>
void add(DeviceQueue& on, B& buffer, std::uint8_t n) {
  launch(on, buffer.span().size, Add{reinterpret_cast<std::uint8_t*>(buffer.span().data), n});
}

}  // namespace

TEST_CASE("work goes in the queue's order") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto buffer = made<DeviceBuffer>("aaaaaaaaaa", on);
    add(on, buffer, 1);
    add(on, buffer, 2);
    CHECK(text(buffer.view(), on) == "dddddddddd");
  });
}

TEST_CASE("a queue that is given no host queue has the host threads of an array that is given no queue") {
  under_seeds(2, [] {
    MemoryStore<HostBuffer> const store;
    auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {3}, .chunks = {3}});
    auto const all_of_them = array.untyped().queue().threads();
    CHECK(all_of_them == std::max(1u, std::thread::hardware_concurrency()));
    DeviceQueue some, others;
    CHECK(some.host().threads() == all_of_them);
    auto const most = some.host().most_idle();
    some.host().keep_idle(most + 1);
    CHECK(others.host().most_idle() == most + 1);  // they share their host threads
    some.host().keep_idle(most);
    DeviceQueue const two{HostQueue{2}};
    CHECK(DeviceQueue{two}.host().threads() == 2);
    CHECK(DeviceQueue{two.stream()}.host().threads() == all_of_them);
    CHECK(DeviceQueue{two.stream(), HostQueue{3}}.host().threads() == 3);
  });
}

TEST_CASE("an event orders two device queues") {
  under_seeds(16, [] {
    DeviceQueue first{test::HostQueue{}}, second{test::HostQueue{}};
    auto buffer = made<DeviceBuffer>("aaaa", first);
    add(first, buffer, 1);
    second.after(first.record());
    add(second, buffer, 1);
    CHECK(text(buffer.view(), second) == "cccc");
    first.after(second.record());  // where the buffer is freed
  });
}

TEST_CASE("an event orders a host queue after a device queue, and the other way round") {
  under_seeds(16, [] {
    DeviceQueue device{test::HostQueue{}};
    HostQueue host;
    auto buffer = made<PinnedBuffer>("aaaa", device);
    add(device, buffer, 1);
    host.after(device.record());
    buffer.span().data[0] = std::byte{'z'};
    device.after(host.record());
    add(device, buffer, 1);
    CHECK(text(buffer.view(), device) == "{ccc");
  });
}

TEST_CASE("an event that was never recorded holds nothing back") {
  under_seeds(4, [] {
    DeviceQueue on{test::HostQueue{}};
    Event<space::Device> const none;
    on.after(none);
    CHECK(none.is_done());
    none.wait();
    on.after(Event<space::Host>{});
    on.wait();
  });
}

TEST_CASE("pending work is waited for, by who asks and by who drops it") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto buffer = made<PinnedBuffer>("aaaa", on);
    add(on, buffer, 1);
    auto pending = on.pending("a/key");
    pending.wait();
    CHECK(pending.is_done());
    CHECK(buffer.view().data[3] == std::byte{'b'});
    add(on, buffer, 1);
    { auto const dropped = on.pending(); }
    CHECK(buffer.view().data[3] == std::byte{'c'});
    add(on, buffer, 1);
    auto first = on.pending();
    static_cast<void>(first = Pending{});  // dropped, too
    CHECK(buffer.view().data[3] == std::byte{'d'});
    Pending none;
    CHECK(none.is_done());
    none.wait();
    auto outlives = [] { return DeviceQueue{}.pending(); }();
    outlives.wait();
  });
}

TEST_CASE("a lease is free for the host when it is lent") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto target = made<DeviceBuffer>(std::string(1000, ' '), on);
    for (int i = 0; i < 20; ++i) {
      auto const lent = on.lease<Scratch<space::Pinned>>();
      auto const bytes = lent->take(50, on);
      std::memset(bytes.data, 'a' + i, 50);
      crossing<space::Device, space::Pinned>::copy(bytes, target.span().sub(static_cast<std::size_t>(i) * 50, 50), on);
    }
    std::string expected;
    for (int i = 0; i < 20; ++i) expected += std::string(50, static_cast<char>('a' + i));
    CHECK(text(target.view(), on) == expected);
  });
}

TEST_CASE("a lease may outlive its queue") {
  under_seeds(16, [] {
    auto const lent = DeviceQueue{}.lease<Scratch<space::Pinned>>();
    DeviceQueue other{test::HostQueue{}};
    CHECK(lent->take(100, other).size == 100);
  });
}

TEST_CASE("what is kept goes when the queue is done with it, or with the queue") {
  under_seeds(16, [] {
    auto const object = std::make_shared<int>(7);
    DeviceQueue on{test::HostQueue{}};
    auto buffer = made<DeviceBuffer>("aaaa", on);
    on.keep(object);
    CHECK(object.use_count() > 1 - 1);
    on.wait();  // releases finished objects
    CHECK(object.use_count() == 1);
    on.keep(object);
    on = DeviceQueue{};
    CHECK(object.use_count() == 1);
  });
}

TEST_CASE("a queue works on the caller's stream and leaves it") {
  under_seeds(4, [] {
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    {
      DeviceQueue on{stream, HostQueue{2}};
      CHECK(on.stream() == stream);
      CHECK(on.host().threads() == 2);
      auto buffer = made<DeviceBuffer>("aaaa", on);
      REQUIRE(cudaMemsetAsync(buffer.span().data, 'x', 2, stream) == cudaSuccess);
      CHECK(text(buffer.view(), on) == "xxaa");
    }
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  });
}

TEST_CASE("default streams are refused") {
  for (auto const stream : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread})
    test::check_refused<DeviceError>([&] { DeviceQueue{stream}; },
                                     {"cannot use a default stream", "cudaStreamCreateWithFlags"});
}

TEST_CASE("a queue that is ordered with the default stream needs no event between them") {
  under_seeds(32, [] {
    auto on = DeviceQueue::ordered_with_default_stream(HostQueue{2});
    CHECK(on.host().threads() == 2);
    MemoryStore<HostBuffer> const store;
    using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
    auto const array =
        create_array<std::uint8_t, 1>(store, "a", {.shape = {4}, .chunks = {2}, .fill = 7}, Stored{}, on);
    array.on(on).fill({{0, 2}}, 1).wait();

    DeviceBuffer buffer(8, on);
    auto* const bytes = reinterpret_cast<std::uint8_t*>(buffer.span().data);
    REQUIRE(cudaMemsetAsync(bytes, 'a', 8) == cudaSuccess);
    add(on, buffer, 1);  // after the default stream's work
    auto reading = array.on(on).read(all, ArrayView<std::uint8_t, 1, space::Device>{bytes, {4}, {1}});
    REQUIRE(cudaMemsetAsync(bytes + 6, 'x', 2) == cudaSuccess);  // after the queue's
    CHECK(text(buffer.view(), on) == "\1\1\7\7bbxx");
    reading.wait();
  });
}

TEST_CASE("a queue may be used by many threads") {
  under_seeds(8, [] {
    DeviceQueue const shared{HostQueue{2}};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        auto on = shared;
        for (int i = 0; i < 10; ++i) {
          auto const word = test::long_text(100, static_cast<std::uint32_t>(t * 100 + i));
          auto const lent = on.lease<Scratch<space::Pinned>>();
          auto const bytes = lent->take(100, on);
          std::memcpy(bytes.data, word.data(), 100);
          DeviceBuffer buffer(100, on);
          crossing<space::Device, space::Pinned>::copy(bytes, buffer.span(), on);
          wrong += text(buffer.view(), on) != word;
        }
      });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
  });
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("a lease whose place in the stream is not known is not given back with an earlier one") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto target = made<DeviceBuffer>(std::string(100, ' '), on);
    using Crossing = crossing<space::Device, space::Pinned>;
    {
      auto lent = on.lease<Scratch<space::Pinned>>();
      auto const bytes = lent->take(100, on);
      std::memset(bytes.data, 'a', 100);
      Crossing::copy(bytes.sub(0, 50), target.span().sub(0, 50), on);
      lent.record();
      lent.wait();
      Crossing::copy(bytes.sub(50, 50), target.span().sub(50, 50), on);
      emulation::fail(0);
      test::check_refused<DeviceError>([&] { lent.record(); }, {"cudaEventRecord"});
      emulation::fail_nothing();
    }
    auto const again = on.lease<Scratch<space::Pinned>>();
    std::memset(again->take(100, on).data, 'b', 100);
    CHECK(text(target.view(), on) == std::string(100, 'a'));
  });
}

TEST_CASE("a queue acts on the device of its stream, and puts the current device back") {
  emulation::set({.devices = 2});
  under_seeds(4, [] {
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    DeviceQueue on{test::HostQueue{}};
    CHECK(on.device() == 1);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    auto buffer = made<DeviceBuffer>("aaaa", on);
    add(on, buffer, 1);
    auto const pinned = made<PinnedBuffer>("bb", on);
    auto const managed = made<ManagedBuffer>("cc", on);
    on.keep(0);
    CHECK(text(buffer.view(), on) == "bbbb");
    cudaPointerAttributes where{};
    REQUIRE(cudaPointerGetAttributes(&where, buffer.view().data) == cudaSuccess);
    CHECK(where.device == 1);
    int current = -1;
    REQUIRE(cudaGetDevice(&current) == cudaSuccess);
    CHECK(current == 0);
    DeviceQueue other{test::HostQueue{}};  // on device 0, ordered after device 1's work
    add(on, buffer, 1);
    other.after(on.record());
    other.wait();
    CHECK(text(buffer.view(), on) == "cccc");
  });
  emulation::set({});
}

// wait(queue) returns an object that waits for the queue's work so far, in each of the program's ways to wait.
template <class F>
void check_waiting_in_vain(F prepare) {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);  // late
    {
      DeviceQueue on{test::HostQueue{}};
      on.keep(0);
      auto const from = made<DeviceBuffer>("late", on);
      auto to = made<PinnedBuffer>("....", on);
      on.wait();
      crossing<space::Pinned, space::Device>::copy(from.view(), to.span(), on);
      on.keep(0);
      auto wait = prepare(on);
      emulation::fail(k);
      try {
        wait();
      } catch (DeviceError const&) {  // none if only an event's destruction fails
      }
      bool const failed = emulation::has_failed();
      emulation::fail_nothing();
      if (!failed) break;
      std::memcpy(to.span().data, "mine", 4);
      emulation::run_all();
      CHECK(std::memcmp(to.view().data, "mine", 4) == 0);
    }
    REQUIRE(k < 20);
  }
}

TEST_CASE("who waits in vain is left nothing that is still written to") {
  check_waiting_in_vain([](DeviceQueue& on) { return [&on] { on.wait(); }; });
  check_waiting_in_vain([](DeviceQueue& on) { return [pending = on.pending()]() mutable { pending.wait(); }; });
}

TEST_CASE("the first error of pending work is thrown, with its key, and the device is of no use until it is reset") {
  emulation::seed(15);  // late: the error appears at a wait
  {
    DeviceQueue on{test::HostQueue{}};
    auto buffer = made<DeviceBuffer>("aaaa", on);
    launch(on, 1, Add{reinterpret_cast<std::uint8_t*>(buffer.span().data) + (std::size_t{1} << 30), 1});
    auto pending = on.pending("t1/c/0/0");
    auto const dropped = on.pending();
    test::check_refused<DeviceError>([&] { pending.wait(); }, {"key \"t1/c/0/0\"", "cudaErrorIllegalAddress"});
    pending.wait();  // it was thrown once
    test::check_refused<DeviceError>([&] { on.wait(); }, {"cudaErrorIllegalAddress"});
  }
  REQUIRE(cudaDeviceReset() == cudaSuccess);
  CHECK(emulation::alive().events == 0);
}
#endif
