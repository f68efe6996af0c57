// Shards that other stores of the same folder replace, and that this one appends to, while they are read.
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/sharded.hpp>
#include <support/temporary_folder.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/read_only_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace replaced_shards_tests {

using Local = LocalStore<HostBuffer>;
using HostQueue = Queue<space::Host>;
using Numbers = std::vector<std::uint8_t>;

// Of the first the first chunk is missing, so that the others lie where their neighbours do in the second.
Numbers const first{0, 0, 3, 4, 5, 6, 7, 8}, second{11, 12, 13, 14, 15, 16, 17, 18};

/// Shows a folder's values as of long ago, as files are that nobody has written for a while.
struct Settled : Local {
  using Local::Local;
  ValueWatch watch(Key const& key) const {
    auto seen = Local::watch(key).version();
    seen.is_settled = true;
    return ValueWatch{seen};
  }
};

template <class S>
void check_kept(std::string const& codecs) {
  test::TemporaryFolder const folder;
  S const mine{folder / ""};
  create_any<AllCodecs>(mine, "", test::array_metadata(test::sharded_document("[8]", "[8]", codecs).text()));
  auto const array = open_array<std::uint8_t, 1>(mine, "");
  auto const other = open_array<std::uint8_t, 1>(Local{folder / ""}, "");
  array.keep_shard_indexes(1 << 20);
  array.write(all, first);
  Numbers found(8);
  ReadOptions one_by_one{.mini_batch = 1, .in_flight = 1};
  one_by_one.progress = [&](std::uint64_t done, std::uint64_t) {
    if (done == 1) other.write(all, second);
  };
  array.read(all, found, one_by_one);
  for (std::size_t i = 0; i < 8; ++i) CHECK((found[i] == first[i] || found[i] == second[i]));
  CHECK(found.back() == second.back());
  for (int i = 0; i < 2; ++i) {
    array.read(all, found, {.mini_batch = 1});
    CHECK(found == second);
  }
}

TEST_CASE("a shard that another store replaces between two mini-batches: the new one is read then, and afterwards") {
  auto const shards = test::Sharding{"[2]"}.json();
  for (auto const& codecs : {'[' + shards + ']', '[' + shards + R"(, {"name": "crc32c"}])"}) {
    CAPTURE(codecs);
    check_kept<Local>(codecs);
    check_kept<Settled>(codecs);
  }
}

constexpr std::uint64_t chunk = std::uint64_t{1} << 20, size = 32 * chunk;

TEST_CASE("a shard that is read while it is appended to has its old end or its new one") {
  using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
  using P = Pipeline<space::Host, Shards>;
  auto const check = [](auto const& store, auto const& seen) {
    auto const array =
        create_array<std::uint8_t, 1>(store, "a", {.shape = {size}, .chunk_shape = {size}}, P{Shards{{chunk}}});
    array.write({{0, chunk}}, Numbers(chunk, 1));
    std::atomic<bool> done{false};
    std::thread writer{[&] {
      HostQueue on;
      Numbers const many(12 * chunk, 2);
      for (int i = 0; i < 6; ++i) array.write({{8 * chunk, 20 * chunk}}, many, on, {.append_to_shards = true});
      done = true;
    }};
    auto const here = open_array<std::uint8_t, 1, P>(seen, "a");
    int wrong = 0;
    Numbers found(4);
    do try {
        here.read({{5, 9}}, found);
        wrong += found != Numbers(4, 1);
      } catch (Error const& error) {
        MESSAGE(std::string{error.what()});
        ++wrong;
      }
    while (!done && wrong == 0);
    writer.join();
    CHECK(wrong == 0);
  };
  test::TemporaryFolder const folder;
  Local const files{folder / "one"}, more{folder / "two"};
  check(files, files);
  check(more, ReadOnlyStore{more});
}

}  // namespace replaced_shards_tests
