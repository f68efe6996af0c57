// A shard under construction as a store: chunks are written and read by their numbers, and other calls are refused.
#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/shard/detail/shard_store.hpp>
#include <tessera/store/memory_store.hpp>

namespace unfinished_shards_tests {

using namespace tessera;
using Host = space::Host;

TEST_CASE("a shard under construction refuses all calls but reads and writes of single chunks") {
  MemoryStore<HostBuffer> const store;
  KeyLocks locks;
  detail::ErasedStoreOf const erased{store, locks};
  detail::ShardBuilder<Host> builder;
  detail::ShardStore<Host> const in_shard{builder, erased};
  Queue<Host> on;
  Key const key{"7"};
  auto const refused = [](auto&& call) {
    CHECK(test::error_of(call) ==
          "memory store: key \"7\": a shard that is being written supports only reads and writes of single chunks");
  };
  auto const room = [](std::size_t) { return ByteSpan<Host>{}; };
  std::array requests{ReadRequest<Host>{&key, {}, {room, {}}}};
  std::array loans{LendRequest<Host>{&key, {}, {}}};
  refused([&] { (void)in_shard.size(key, on); });
  refused([&] { in_shard.get_many(requests, on); });
  refused([&] { in_shard.get_many_on_host(requests, on); });
  refused([&] { in_shard.lend_many(loans, on); });
  refused([&] { in_shard.append(key, {}, 0, on); });
  refused([&] { (void)in_shard.watch(key); });
}

}  // namespace unfinished_shards_tests
