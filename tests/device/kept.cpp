// What a queue keeps stays until the queue is done with it, and goes then.
#include <memory>

#include <device/arrays.hpp>

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

TEST_CASE("a chunk that is replaced stays for the array that reads it") {
  under_seeds(16, [] {
    DeviceQueue writer, reader;
    auto const store = test::in_device_memory();
    auto const written =
        create_array<float, 1>(store, "a", {.shape = {64}, .chunk_shape = {64}}, test::OnDevice{}, writer);
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
#endif
