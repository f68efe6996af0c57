// Stores that hold their values in memory lend them.
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;

// Adapters lend the values that the store inside lends.
static_assert(LendingStore<Memory> && LendingStore<PrefixStore<ReadOnlyStore<SplitStore<Local, Memory>>>>);
static_assert(!LendingStore<Local> && !LendingStore<PrefixStore<ReadOnlyStore<SplitStore<Memory, Local>>>>);
static_assert(!LendingStore<CastStore<HostBuffer, Memory>> && !LendingStore<AnyStore<HostBuffer>>);

namespace {

// One that names neither itself nor the key.
struct Own {
  using buffer_type = HostBuffer;
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, test::HostQueue&) const {
    return {};
  }
  std::optional<Lent<space::Host>> lend(Key const&, ByteRange, test::HostQueue&) const {
    throw StoreError{"it is out"};
  }
};

}  // namespace

TEST_CASE("what is lent is where the value lies, and is not the next value of its key") {
  test::HostQueue on;
  std::optional<Lent<space::Host>> kept;
  {
    Memory const memory;
    test::put(memory, "a/b/k", "0123456789");
    PrefixStore const store{PrefixStore{ReadOnlyStore{SplitStore{Memory{}, memory}}, "a"}, "b"};
    auto const whole = lend(store, Key{"k"}, {}, on), again = lend(memory, Key{"a/b/k"}, {4, 3}, on);
    REQUIRE(whole);
    REQUIRE(again);
    CHECK(test::text(whole->bytes) == "0123456789");
    CHECK(test::text(again->bytes) == "456");
    CHECK(again->bytes.data == whole->bytes.data + 4);
    CHECK_FALSE(lend(store, Key{"a"}, {}, on));
    kept = whole;
    test::put(memory, "a/b/k", "another");
    CHECK(test::text(lend(store, Key{"k"}, ByteRange::suffix(2), on)->bytes) == "er");
    CHECK(test::erase(memory, "a/b/k"));
    CHECK_FALSE(lend(store, Key{"k"}, {}, on));
  }
  CHECK(test::text(kept->bytes) == "0123456789");
}

TEST_CASE("what cannot be lent says the key and the store") {
  test::HostQueue on;
  Memory const memory;
  test::put(memory, "a/k", "0123456789");
  test::check_refused<StoreError>(
      [&] {
        lend(memory, Key{"a/k"}, {11, 1}, on);
      },
      {"memory store: ", "key \"a/k\"", "byte 11"});
  test::check_refused<StoreError>(
      [&] {
        lend(PrefixStore{memory, "a"}, Key{"../k"}, {}, on);
      },
      {"memory store/a: ", "key \"../k\"", "not a key"});
  test::check_refused<StoreError>([&] { lend(Own{}, Key{"k"}, {}, on); }, {"store: ", "key \"k\"", "it is out"});
}
