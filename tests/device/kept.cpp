// Kept objects stay until the queue is done with them, and are freed then.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include <device/arrays.hpp>

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::made, test::put, test::text, test::under_seeds, test::value;

TEST_CASE("what is kept stays as long as the work that was queued before, whatever is kept after it") {
  emulation::seed(15);  // late: nothing is done before a wait
  auto const object = std::make_shared<int>(7);
  DeviceQueue on{test::HostQueue{}};
  auto const buffer = made<DeviceBuffer>("some bytes", on);
  on.keep(object);
  on.keep(0);
  CHECK(object.use_count() == 2);
  on.wait();
  on.keep(0);
  CHECK(object.use_count() == 1);
}

TEST_CASE("a buffer of one queue that is cast on another is freed when that one is done") {
  under_seeds(16, [] {
    DeviceQueue first{test::HostQueue{}}, second{test::HostQueue{}};
    auto from = made<DeviceBuffer>("some bytes", first);
    second.after(first.record());
    auto const to = copy_to<PinnedBuffer>(std::move(from), second);
    second.keep(0);
    auto const other = made<DeviceBuffer>("other bytes", first);  // where the freed one was, if it was
    CHECK(text(to.view(), second) == "some bytes");
    CHECK(text(other.view(), first) == "other bytes");
  });
}

TEST_CASE("a value that is replaced stays for those who read it") {
  under_seeds(16, [] {
    DeviceQueue writer{test::HostQueue{}}, reader{test::HostQueue{}};
    MemoryStore<DeviceBuffer> const store;
    put(store, "key", "the old value", writer);
    DeviceBuffer room(13, reader), again(13, reader);
    CHECK(get_into(store, {"key"}, room.span(), reader) == 13);
    CHECK(get_into(store, {"key"}, again.span(), reader) == 13);
    reader.keep(0);
    put(store, "key", "the new value", writer);
    auto const other = made<DeviceBuffer>("another value", writer);
    CHECK(text(room.view(), reader) == "the old value");
    CHECK(text(again.view(), reader) == "the old value");
    CHECK(value(store, "key", writer) == "the new value");
    CHECK(text(other.view(), writer) == "another value");
  });
}

TEST_CASE("a value grows behind those who read it and who wrote it") {
  under_seeds(16, [] {
    DeviceQueue writer{test::HostQueue{}}, other{test::HostQueue{}}, reader{test::HostQueue{}};
    MemoryStore<DeviceBuffer> const store;
    put(store, "key", "the old value", writer);
    auto const more = made<DeviceBuffer>(", and more", other);
    CHECK(store.append({"key"}, more.view(), 13, other));
    other.keep(0);
    auto const elsewhere = made<DeviceBuffer>("another value", writer);  // where the old one was, if that was freed
    CHECK(value(store, "key", reader) == "the old value, and more");
    CHECK(text(elsewhere.view(), writer) == "another value");
  });
}

TEST_CASE("a chunk that is replaced stays for the array that reads it") {
  under_seeds(16, [] {
    DeviceQueue writer{test::HostQueue{}}, reader{test::HostQueue{}};
    auto const store = test::in_device_memory();
    auto const written =
        create_array<float, 1>(store, "a", {.shape = {64}, .chunks = {64}}, test::OnDevice{}, writer);
    auto const old = test::numbers_from(1.f, 64), newer = test::numbers_from(100.f, 64);
    auto const first_content = test::on_device<float, 1>(old, {64}, writer);
    auto const next_content = test::on_device<float, 1>(newer, {64}, writer);
    written.write(all, first_content.view()).wait();
    auto const read = open_array<float, 1, test::OnDevice>(store, "a", reader);
    OwnedArray<float, 1, DeviceBuffer> room{{64}, reader}, again{{64}, reader};
    auto first = read.read(all, room.view());
    auto second = read.read(all, again.view());
    reader.keep(0);
    auto third = written.write(all, next_content.view());
    auto const other = test::on_device<float, 1>(newer, {64}, writer);  // where the freed one was, if it was
    CHECK(test::on_host(room, reader) == old);
    CHECK(test::on_host(again, reader) == old);
  });
}

namespace kept_tests {
namespace {

struct Write {
  std::byte* to;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { to[i] = std::byte{1}; }
};

// Page-locked memory that is released as soon as it is freed, one block at a time.
struct GoneAtOnce {
  int blocks = 0, at_work = 0;
  void* allocate(std::size_t size, std::size_t) {
    void* data = nullptr;
    if (blocks > 0 || cudaHostAlloc(&data, size, cudaHostAllocDefault) != cudaSuccess) throw std::bad_alloc{};
    ++blocks;
    std::memset(data, 0, size);
    return data;
  }
  void deallocate(void* data, std::size_t, std::size_t) {
    at_work += static_cast<std::byte*>(data)[63] != std::byte{1};
    --blocks;
    cudaFreeHost(data);
  }
};

// A lent object: reports whether the stream was done with it when it was freed.
struct Lent {
  cudaStream_t stream = nullptr;
  int* at_work = nullptr;
  Lent() = default;
  Lent(cudaStream_t s, int& count) : stream{s}, at_work{&count} {}
  Lent(Lent&& from) noexcept : stream{std::exchange(from.stream, nullptr)}, at_work{from.at_work} {}
  Lent& operator=(Lent&&) = delete;
  ~Lent() {
    if (stream) *at_work += cudaStreamQuery(stream) != cudaSuccess;
  }
};

}  // namespace

TEST_CASE("memory that a resource frees at once goes back when the stream is done with it") {
  under_seeds(16, [] {
    GoneAtOnce resource;
    {
      DeviceQueue on{test::HostQueue{}, DeviceResources{.pinned = resource}};
      // The second finds the first one's block still in use.
      for (auto const size : {std::size_t{64}, std::size_t{1} << 20}) {
        PinnedBuffer buffer(size, on);
        launch(on, 64, Write{buffer.span().data});
      }
      CHECK(resource.at_work == 0);
    }
    CHECK(resource.at_work == 0);
    CHECK(resource.blocks == 0);
  });
}

TEST_CASE("what a queue lent goes with the queue, when the stream is done with it") {
  under_seeds(16, [] {
    int at_work = 0;
    auto const stream = [&] {
      DeviceQueue on{test::HostQueue{}};
      auto const lent = on.lease<Lent>();
      lent->stream = on.stream();
      lent->at_work = &at_work;
      DeviceBuffer buffer(64, on);
      launch(on, 64, Write{buffer.span().data});
      return on.shared_stream();
    }();
    CHECK(at_work == 0);
  });
}

TEST_CASE("what a queue kept goes with the queue, when the stream is done with it") {
  under_seeds(16, [] {
    int at_work = 0;
    auto const stream = [&] {
      DeviceQueue on{test::HostQueue{}};
      {
        DeviceBuffer buffer(64, on);
        launch(on, 64, Write{buffer.span().data});
      }
      on.keep(Lent{on.stream(), at_work});
      return on.shared_stream();
    }();
    CHECK(at_work == 0);
  });
}

TEST_CASE("a block whose place in the stream cannot be recorded is waited for") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    {
      PinnedBuffer buffer(64, on);
      on.wait();
      launch(on, 64, Write{buffer.span().data});
      emulation::fail(0);
    }
    CHECK(emulation::has_failed());
    emulation::fail_nothing();
    PinnedBuffer again(64, on);  // the same block
    std::memset(again.span().data, 7, 64);
    on.wait();
    CHECK(std::count(again.span().data, again.span().data + 64, std::byte{7}) == 64);
  });
}

TEST_CASE("the k-th call of trim fails: blocks that the stream still uses are waited for") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);  // late
    DeviceQueue on{test::HostQueue{}};
    auto to = made<DeviceBuffer>(std::string(100, ' '), on);
    for (int blocks = 0; blocks < 2; ++blocks) {
      PinnedBuffer from(100, on);
      std::memset(from.span().data, 'a', 100);
      crossing<space::Device, space::Pinned>::copy(from.view(), to.span(), on);
    }
    emulation::fail(k);
    on.trim();  // the emulation ends the program if memory is freed too early
    bool const failed = emulation::has_failed();
    emulation::fail_nothing();
    CHECK(text(to.view(), on) == std::string(100, 'a'));
    if (!failed) {
      CHECK(k > 2);
      break;
    }
  }
}

namespace {

// Calls f(fails) for each k, up to the first one without a failure: fails(call) makes the k-th call of CUDA in `call`
// fail, and returns whether there was one.
template <class F>
void for_each_failing_call(F f) {
  under_seeds(16, [&] {
    bool failed = true;
    for (std::size_t k = 0; failed; ++k) {
      failed = false;
      CAPTURE(k);
      f([&](auto&& call) {
        emulation::fail(k);
        try {
          call();
        } catch (DeviceError const&) {
          CHECK(emulation::has_failed());
        }
        emulation::fail_nothing();
        return failed = emulation::has_failed();
      });
    }
  });
}

}  // namespace

TEST_CASE("the k-th call of a read fails: the value that it was lent may go") {
  for_each_failing_call([](auto const& fails) {
    DeviceQueue writer{test::HostQueue{}}, reader{test::HostQueue{}};
    MemoryStore<DeviceBuffer> const store;
    put(store, "key", "the old value", writer);
    DeviceBuffer room(13, reader);
    if (!fails([&] { get_into(store, {"key"}, room.span(), reader); })) return;
    store.erase({"key"}, writer);
    auto const other = made<DeviceBuffer>("another value", writer);
    CHECK_NOTHROW(reader.wait());
    CHECK(text(other.view(), writer) == "another value");
  });
}

TEST_CASE("the k-th call of an append fails: the value that it began to copy may go") {
  for_each_failing_call([](auto const& fails) {
    DeviceQueue writer{test::HostQueue{}}, other{test::HostQueue{}};
    MemoryStore<DeviceBuffer> const store;
    put(store, "key", "the old value", writer);
    auto const more = made<DeviceBuffer>(", and more", other);
    if (!fails([&] { store.append({"key"}, more.view(), 13, other); })) return;
    store.erase({"key"}, writer);
    auto const elsewhere = made<DeviceBuffer>("another value", writer);
    CHECK_NOTHROW(writer.wait());
    CHECK_NOTHROW(other.wait());
    CHECK(text(elsewhere.view(), writer) == "another value");
  });
}

TEST_CASE("the k-th call of a cast fails: the buffer that it took may go") {
  for_each_failing_call([](auto const& fails) {
    DeviceQueue first{test::HostQueue{}}, second{test::HostQueue{}};
    auto from = made<DeviceBuffer>("some bytes", first);
    second.after(first.record());
    fails([&] { auto const to = copy_to<PinnedBuffer>(std::move(from), second); });
    { auto const gone = std::move(from); }
    auto const other = made<DeviceBuffer>("other bytes", first);
    CHECK_NOTHROW(second.wait());
    CHECK(text(other.view(), first) == "other bytes");
  });
}

}  // namespace kept_tests
#endif
