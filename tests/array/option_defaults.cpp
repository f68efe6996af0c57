// Options of a handle for all its calls: those of a call override them, member by member.
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/array/convert.hpp>
#include <tessera/array/read_async.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace option_defaults_tests {
namespace {

auto made_in(MemoryStore<HostBuffer> const& store) {
  auto const array =
      create_array<std::int16_t, 1>(store, "a", {.shape = {40}, .chunks = {4}}, {}, Queue<space::Host>{});
  array.write(all, std::vector<std::int16_t>(40, 3));
  return array;
}

// The numbers of chunks in each progress report: those of a mini-batch.
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
  CHECK(array.read(all)(39) == 3);  // the original handle is unchanged
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
  CHECK_FALSE(get_value(store, {"a/c/3"}, on));
  slow.with(WriteOptions{.store_fill_chunks = true}).write(all, values);
  CHECK(get_value(store, {"a/c/3"}, on));
  CHECK(usual.size() == 10);
  slow.write(all, values, {.progress = counting_into(given)});
  CHECK(given.size() == 10);  // still of the handle's mini-batch
  CHECK(usual.size() == 10);
  slow.write(all, values, {.mini_batch = every_chunk, .progress = counting_into(given)});
  CHECK(given.size() == 11);
  slow.fill({{0, 8}}, 1);
  slow.append(std::vector<std::int16_t>(8, 1));
  CHECK(usual.size() == 14);
}

TEST_CASE("a scope's options come after those of calls and handles, and an outer scope's after them") {
  MemoryStore<HostBuffer> const store;
  auto const array = made_in(store);
  std::atomic<bool> const stop{true}, go{false};
  Traffic of_scope, of_handle, outer;
  with_defaults(ReadOptions{.stop = &stop, .traffic = &outer}, [&] {
    CHECK_THROWS_AS(array.read(all), Cancelled);
    CHECK_THROWS_AS(read_as<float>(array, all), Cancelled);
    CHECK(array.read(all, {.stop = &go})(39) == 3);
    CHECK(outer.chunks == 10);
    auto const told = with_defaults(ReadOptions{.stop = &go, .traffic = &of_scope}, [&] { return array.read(all)(39); });
    CHECK(told == 3);
    CHECK(of_scope.chunks == 10);
    CHECK(array.with(ReadOptions{.stop = &go, .traffic = &of_handle}).read(all)(39) == 3);
    CHECK(of_handle.chunks == 10);
    with_defaults(WriteOptions{.stop = &stop}, [&] {
      CHECK_THROWS_AS(array.read(all), Cancelled);  // of the scope around it
      CHECK_THROWS_AS(array.write(all, std::vector<std::int16_t>(40, 4)), Cancelled);
    });
  });
  CHECK(outer.chunks == 10);
  CHECK(array.read(all)(39) == 3);
  CHECK_THROWS_AS(with_defaults(ReadOptions{.stop = &stop}, [&]() -> void { throw std::runtime_error{"of f"}; }),
                  std::runtime_error);
  CHECK(array.read(all)(39) == 3);  // the scope has ended
  CHECK(of_scope.chunks == 10);
}

TEST_CASE("threads and asynchronous reads take a scope over") {
  MemoryStore<HostBuffer> const store;
  auto const array = made_in(store);
  std::atomic<bool> const stop{true};
  std::vector<std::int16_t> first(40), second(40);
  std::optional<Pending> pending;
  Defaults taken;
  with_defaults(ReadOptions{.stop = &stop}, [&] {
    pending.emplace(read_async(array, all, first));
    std::thread{[&] { array.read(all, second); }}.join();  // which has none
    taken = defaults();
  });
  CHECK_THROWS_AS(pending->wait(), Cancelled);
  CHECK(second[39] == 3);
  std::thread{[&] { with_defaults(taken, [&] { CHECK_THROWS_AS(array.read(all), Cancelled); }); }}.join();
  CHECK_FALSE(defaults().read.stop.is_given());
}

TEST_CASE("what a call gives goes first, false too") {
  Queue<space::Host> on;
  MemoryStore<HostBuffer> const store;
  auto const array = made_in(store).with(WriteOptions{.store_fill_chunks = true});
  std::vector<std::int16_t> const zeros(40, 0);
  array.write(all, zeros, {.store_fill_chunks = false});
  CHECK_FALSE(get_value(store, {"a/c/3"}, on));
  array.write(all, zeros, {.memory = 1 << 20});
  CHECK(get_value(store, {"a/c/3"}, on));
  std::atomic<bool> const stop{true};
  auto const stopped = array.with(ReadOptions{.stop = &stop});
  CHECK_THROWS_AS(stopped.read(all), Cancelled);
  CHECK(stopped.read(all, {.stop = nullptr})(0) == 0);
  std::vector<std::uint64_t> calls;
  auto const telling = array.with(ReadOptions{.progress = counting_into(calls)});
  telling.read(all, {.progress = nullptr});
  CHECK(calls.empty());
}

namespace {

// All members: these do not compile when there is another one.
auto members_of(ReadOptions& options) {
  auto& [batch, bytes, in_flight, memory, gap, request, stop, progress, traffic] = options;
  return std::tie(batch, bytes, in_flight, memory, gap, request, stop, progress, traffic);
}
auto members_of(WriteOptions& options) {
  auto& [batch, bytes, in_flight, memory, stop, progress, fill_chunks, append] = options;
  return std::tie(batch, bytes, in_flight, memory, stop, progress, fill_chunks, append);
}

std::atomic<bool> const not_stopped{false};
Traffic counted;

template <class T>
Option<T> some() {
  if constexpr (std::same_as<T, Progress>)
    return [](std::uint64_t, std::uint64_t) {};
  else if constexpr (std::same_as<T, std::atomic<bool> const*>)
    return &not_stopped;
  else if constexpr (std::same_as<T, Traffic*>)
    return &counted;
  else
    return T{1};
}
template <class T>
bool is_some(Option<T> const& option) {
  return static_cast<bool>(option.value());
}

template <class Options, std::size_t I>
void check_member() {
  CAPTURE(I);
  auto const at = [](Options& options) -> auto& { return std::get<I>(members_of(options)); };
  using Member = std::remove_reference_t<decltype(at(std::declval<Options&>()))>;
  using Value = std::remove_cvref_t<decltype(std::declval<Member&>().value())>;
  Options usual, call, given;
  at(usual) = some<Value>();
  at(given) = Member{Value{}};
  auto from_handle = detail::completed(call, usual), from_call = detail::completed(given, usual);
  CHECK(is_some(at(from_handle)));
  CHECK_FALSE(is_some(at(from_call)));
  CHECK(at(from_call).is_given());
  auto from_none = detail::completed(call, call), from_other = detail::completed(usual, given);
  CHECK_FALSE(at(from_none).is_given());
  CHECK(is_some(at(from_other)));
}

template <class Options>
void check_members() {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (check_member<Options, I>(), ...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(members_of(std::declval<Options&>()))>>{});
}

}  // namespace

TEST_CASE("every option is the handle's where a call does not give it, and the call's where it does") {
  check_members<ReadOptions>();
  check_members<WriteOptions>();
}

TEST_CASE("the size of a mini-batch is one option, in chunks or in bytes") {
  ReadOptions const usual{.mini_batch = 3, .in_flight = 2};
  auto const batch = detail::completed(ReadOptions{.mini_batch_bytes = 7}, usual);
  CHECK(batch.mini_batch == 0);
  CHECK(batch.mini_batch_bytes == 7);
  CHECK(batch.in_flight == 2);
}

}  // namespace option_defaults_tests
