// What a queue keeps stays until the queue is done with it, and goes then.
#include <memory>

#include <device/device.hpp>

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::made, test::put, test::text, test::under_seeds, test::value;

TEST_CASE("what is kept stays as long as the work that was queued before, whatever is kept after it") {
  emulation::seed(15);  // late: nothing is done before somebody waits
  auto const object = std::make_shared<int>(7);
  DeviceQueue on;
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
    DeviceQueue first, second;
    auto from = made<DeviceBuffer>("some bytes", first);
    second.after(first.record());
    auto const to = cast<PinnedBuffer>(std::move(from), second);
    second.keep(0);
    auto const other = made<DeviceBuffer>("other bytes", first);  // where the freed one was, if it was
    CHECK(text(to.view(), second) == "some bytes");
    CHECK(text(other.view(), first) == "other bytes");
  });
}

TEST_CASE("a value that is replaced stays for those who read it") {
  under_seeds(16, [] {
    DeviceQueue writer, reader;
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
#endif
