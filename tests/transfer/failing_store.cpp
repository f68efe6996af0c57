// A store that fails now and then, and damaged chunks: errors name the key, and the next read works.
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/refused.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>

using namespace tessera;
using test::check_refused;

namespace {

/// Fails at the given read.
struct FailingStore {
  using buffer_type = HostBuffer;
  MemoryStore<HostBuffer> inner;
  std::shared_ptr<std::atomic<int>> until_failure = std::make_shared<std::atomic<int>>(-1);
  std::shared_ptr<std::string> failed = std::make_shared<std::string>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    if ((*until_failure)-- == 0) {
      *failed = key.path;
      throw StoreError{"the line is down"};
    }
    return inner.read(key, range, destination, on);
  }
};

static_assert(ReadableStore<FailingStore>);

/// Reports bytes, but requests no room; or more than it reported.
struct LyingStore {
  using buffer_type = HostBuffer;
  MemoryStore<HostBuffer> inner;
  std::size_t more = 0;  // 0: requests none
  std::string about{};

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    if (key.path != about) return inner.read(key, range, destination, on);
    auto const value = get_value(inner, key, on, range);
    if (!value) return std::nullopt;
    auto const bytes = value->view();
    if (more > 0) std::memcpy(destination(bytes.size + more).data, bytes.data, bytes.size);
    return bytes.size;
  }
  void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const { inner.write(key, value, on); }
  bool erase(Key const& key, Queue<space::Host>& on) const { return inner.erase(key, on); }
};

}  // namespace

TEST_CASE("a store may fail at any of its reads: the error names the key, and the next read works") {
  test::Random random{5};
  test::ArrayContent const content{data_type_of<std::uint8_t>(), {7, 7}, {3, 2}, random.noise(49)};
  for (std::size_t threads : {1u, 2u}) {
    FailingStore const store;
    test::write_array(store.inner, "t1", content, codec::Bytes{}, codec::Zstd{});
    auto const array = open_array<std::uint8_t, 2, AllCodecs>(store, "t1", test::HostQueue{threads});
    for (int k = 0; k < 12; ++k)
      for (std::size_t batch : {1u, 5u, 100u}) {
        CAPTURE(k);
        CAPTURE(batch);
        std::vector<std::uint8_t> elements(49);
        *store.until_failure = k;
        try {
          array.read(all, elements, {batch});
          FAIL_CHECK("nothing was thrown");
        } catch (StoreError const& error) {
          CHECK(error.key() == *store.failed);
          CHECK(error.key().starts_with("t1/c/"));
          CHECK(error.store() == "store");
        }
        *store.until_failure = -1;
        array.read(all, elements, {batch});
        CHECK(test::memory_of(elements) == content.elements);
      }
  }
}

TEST_CASE("a store that gives another size than it asked room for: nobody's bytes are taken for a chunk") {
  for (std::size_t more : {0u, 1u, 40u}) {
    CAPTURE(more);
    LyingStore store{{}, more};
    auto const pipeline = Pipeline<space::Host, codec::Bytes, codec::Zstd>{};
    create_array<std::uint8_t, 1>(store, "a", {.shape = {10}, .chunks = {2}}, pipeline)
        .write(all, std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    store.about = "a/c/3";
    auto const array = open_array<std::uint8_t, 1, decltype(pipeline)>(store, "a");
    std::vector<std::uint8_t> elements(10);
    check_refused<StoreError>([&] { array.read(all, elements, {.mini_batch = every_chunk}); },
                              {"store: ", "key \"a/c/3\"", "requested memory for"});
    check_refused<StoreError>([&] { array.fill({{7, 8}}, 1); }, {"store: ", "key \"a/c/3\"", "requested memory for"});
    array.read({{0, 6}}, std::span{elements}.first(6));
    CHECK(elements[5] == 5);
  }
}

TEST_CASE("a store that fails when the document is read: the error names it") {
  FailingStore const store;
  *store.until_failure = 0;
  check_refused<StoreError>([&] { open_array<std::uint8_t, 1>(store, "t1"); },
                            {"store: ", "key \"t1/zarr.json\"", "the line is down"});
}

TEST_CASE("a damaged chunk is an error that names store, key and codec, with every queue and mini-batch") {
  auto const store = test::brain_copy("t1");
  auto const sound = test::value(store, "t1/c/1/2/1");
  for (auto const& damaged : {sound.substr(0, sound.size() / 2), std::string{"garbage"}, std::string{"\x28"}}) {
    test::put(store, "t1/c/1/2/1", damaged);
    for (std::size_t threads : {1u, 2u}) {
      auto const array = open_array<std::uint8_t, 3, AllCodecs>(store, "t1", test::HostQueue{threads});
      for (std::size_t batch : {0u, 1u, 7u, 100u}) {
        std::vector<std::uint8_t> elements(test::t1_elements().size());
        check_refused<CodecError>([&] { array.read(all, elements, {batch}); },
                                  {"memory store: ", "key \"t1/c/1/2/1\": ", "codec zstd: "});
        array.read({all, all, {0, 64}}, std::vector<std::uint8_t>(197 * 233 * 64), {batch});  // which lacks it
      }
    }
  }
  test::put(store, "t1/c/1/2/1", sound);
  auto const array = open_array<std::uint8_t, 3, AllCodecs>(store, "t1");
  auto const elements = array.read(all);
  CHECK(std::ranges::equal(elements.elements(), test::t1_elements()));
}

TEST_CASE("a chunk that decodes to another size is an error that names its key") {
  auto const store = test::brain_copy("t1");
  auto const smaller = test::encoded(codec::Zstd{}, test::Bytes(64 * 64 * 64 - 1));
  test::put(store, "t1/c/0/1/1", test::text(test::view(smaller)));
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto check = [](auto const& array) {
    check_refused<CodecError>([&] { array.read(all); },
                              {"key \"t1/c/0/1/1\"", "found 262143 bytes", "expected 262144"});
  };
  check(open_array<std::uint8_t, 3, AllCodecs>(store, "t1"));
  check(open_array<std::uint8_t, 3, P>(store, "t1", test::HostQueue{}));
}

TEST_CASE("raw chunks of another size are errors that name their key") {
  MemoryStore<HostBuffer> const store;
  test::put(store, "t1/zarr.json", test::array_document().text());
  auto const array = open_array<std::uint8_t, 1>(store, "t1");
  for (std::string const value : {"", "a", "abc"}) {
    CAPTURE(value);
    test::put(store, "t1/c/1", value);
    check_refused<CodecError>([&] { array.read(all); }, {"memory store: ", "key \"t1/c/1\"", "expected"});
    CHECK(array.read({{0, 2}})(0) == 0);
  }
}

TEST_CASE("a value far larger than a chunk can be is refused before memory is taken") {
  MemoryStore<HostBuffer> const store;
  test::put(
      store, "t1/zarr.json",
      test::array_document().set("codecs", R"(["bytes", {"name": "zstd", "configuration": {"level": 1}}])").text());
  test::put(store, "t1/c/0", std::string(std::size_t{2} << 20, 'x'));
  auto const array = open_array<std::uint8_t, 1, AllCodecs>(store, "t1");
  check_refused<CodecError>([&] { array.read(all); }, {"key \"t1/c/0\"", "2097152 bytes", "at most"});
}
