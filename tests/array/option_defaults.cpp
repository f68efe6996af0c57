// Options that a handle has for all its calls: what a call says goes before them, member by member.
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/array/convert.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

auto made_in(MemoryStore<HostBuffer> const& store) {
  auto const array =
      create_array<std::int16_t, 1>(store, "a", {.shape = {40}, .chunk_shape = {4}}, {}, Queue<space::Host>{});
  array.write(all, std::vector<std::int16_t>(40, 3));
  return array;
}

// How many chunks each piece of progress had: those of a mini-batch.
auto counting_into(std::vector<std::uint64_t>& calls) {
  return [&calls](std::uint64_t done, std::uint64_t) { calls.push_back(done); };
}

}  // namespace

TEST_CASE("reads have the options of their handle, and those of the call before them") {
  MemoryStore<HostBuffer> const store;
  auto const array = made_in(store);
  std::atomic<bool> const stop{true}, go{false};
  Traffic usual, given;
  auto const stopped = array.with(ReadOptions{.stop = &stop, .traffic = &usual});
  CHECK_THROWS_AS(stopped.read(all), Cancelled);
  CHECK(stopped.read(all, {.stop = &go})(39) == 3);
  CHECK(usual.chunks == 10);
  CHECK(stopped.read(all, {.stop = &go, .traffic = &given})(39) == 3);
  CHECK(usual.chunks == 10);
  CHECK(given.chunks == 10);
  CHECK(array.read(all)(39) == 3);  // the handle that it was made of is as it was
  CHECK(usual.chunks == 10);

  auto const copy = stopped;
  std::vector<std::int16_t> memory(40);
  CHECK_THROWS_AS(copy.read(all, memory), Cancelled);
  CHECK_THROWS_AS((stopped.untyped().as<std::int16_t, 1>().read(all)), Cancelled);
  CHECK_THROWS_AS(read_as<float>(stopped, all), Cancelled);
  CHECK_THROWS_AS(visit(stopped.untyped(), [](auto const& typed) { (void)typed.read(all); }), Cancelled);
  CHECK_THROWS_AS(
      visit(array.untyped(), [&](auto const& typed) { (void)typed.with(ReadOptions{.stop = &stop}).read(all); }),
      Cancelled);
  auto const gone_on = stopped.with(WriteOptions{.stop = &stop}).with(ReadOptions{});
  CHECK(gone_on.read(all)(39) == 3);
  CHECK_THROWS_AS(gone_on.write(all, memory), Cancelled);
}

TEST_CASE("writes have the options of their handle, and those of the call before them") {
  Queue<space::Host> on;
  MemoryStore<HostBuffer> const store;
  auto const array = made_in(store);
  std::vector<std::uint64_t> usual, given;
  auto const slow = array.with(WriteOptions{.mini_batch = 1, .progress = counting_into(usual)});
  std::vector<std::int16_t> const values(40, 0);
  slow.write(all, values);
  CHECK(usual.size() == 10);
  CHECK_FALSE(get(store, {"a/c/3"}, on));
  slow.with(WriteOptions{.store_fill_chunks = true}).write(all, values);
  CHECK(get(store, {"a/c/3"}, on));
  CHECK(usual.size() == 10);
  slow.write(all, values, {.progress = counting_into(given)});
  CHECK(given.size() == 10);  // of the handle's mini-batch still
  CHECK(usual.size() == 10);
  slow.write(all, values, {.mini_batch = every_chunk, .progress = counting_into(given)});
  CHECK(given.size() == 11);
  slow.fill({{0, 8}}, 1);
  slow.append(std::vector<std::int16_t>(8, 1));
  CHECK(usual.size() == 14);
}

TEST_CASE("every option is the handle's where a call does not say it, and the call's where it does") {
  std::atomic<bool> const stop{false}, other{false};
  Traffic traffic;
  auto const nothing = [](std::uint64_t, std::uint64_t) {};
  ReadOptions const read{1, 2, 3, 4, 5, 6, &stop, nothing, &traffic};
  auto const from_handle = detail::completed(ReadOptions{}, read);
  CHECK(from_handle.mini_batch == 1);
  CHECK(from_handle.mini_batch_bytes == 2);
  CHECK(from_handle.in_flight == 3);
  CHECK(from_handle.memory == 4);
  CHECK(from_handle.max_gap == 5);
  CHECK(from_handle.max_request_bytes == 6);
  CHECK(from_handle.stop == &stop);
  CHECK(from_handle.progress);
  CHECK(from_handle.traffic == &traffic);
  auto const from_call = detail::completed(ReadOptions{0, 7, 8, 9, 0, 10, &other, {}, nullptr}, read);
  CHECK(from_call.mini_batch == 0);
  CHECK(from_call.mini_batch_bytes == 7);
  CHECK(from_call.in_flight == 8);
  CHECK(from_call.memory == 9);
  CHECK(from_call.max_gap == 0);
  CHECK(from_call.max_request_bytes == 10);
  CHECK(from_call.stop == &other);

  WriteOptions const write{1, 2, 3, 4, &stop, nothing, true, true};
  auto const usual = detail::completed(WriteOptions{}, write);
  CHECK(usual.mini_batch == 1);
  CHECK(usual.mini_batch_bytes == 2);
  CHECK(usual.in_flight == 3);
  CHECK(usual.memory == 4);
  CHECK(usual.stop == &stop);
  CHECK(usual.progress);
  CHECK(usual.store_fill_chunks);
  CHECK(usual.append_to_shards);
}
