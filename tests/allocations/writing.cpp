// After the first time, writing allocates nothing per chunk; the store allocates its values.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/brain.hpp>
#include <tessera/node/create.hpp>

namespace writing_tests {

using namespace tessera;

namespace {

/// Values replace older ones of their key, so that the store itself allocates nothing the second time.
class InPlaceStore {
 public:
  using buffer_type = HostBuffer;

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  test::HostQueue&) const {
    auto const found = values_->find(key.path);
    if (found == values_->end()) return std::nullopt;
    auto const [offset, size] = range.resolve(found->second.size());
    std::copy_n(found->second.data() + offset, size, destination(size).data);
    return size;
  }
  void write(Key const& key, ByteView<space::Host> value, test::HostQueue&) const {
    (*values_)[key.path].assign(value.data, value.data + value.size);
  }
  bool erase(Key const& key, test::HostQueue&) const { return values_->erase(key.path) > 0; }

 private:
  using Values = std::map<std::string, std::vector<std::byte>>;
  std::shared_ptr<Values> values_ = std::make_shared<Values>();
};

struct Counts {
  std::size_t news, blocks;
  friend bool operator==(Counts const&, Counts const&) = default;
};

template <class F>
Counts count(F&& f) {
  (void)test::all_allocations_are_seen();
  test::Allocations counted;
  f();
  counted.stop();
  return {counted.news(), counted.blocks()};
}

NewArray<std::uint8_t> const t1_shape{.shape = {197, 233, 189}, .chunks = {64, 64, 64}};
constexpr std::size_t chunks = 48;

template <class S, class P>
auto made(S const& store, P const& pipeline) {
  return create_array<std::uint8_t, 3>(store, "t1", t1_shape, pipeline, test::HostQueue{});
}

using Raw = Pipeline<space::Host, codec::Bytes>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Chain = Pipeline<space::Host, codec::Bytes, codec::Gzip, codec::Crc32c>;

}  // namespace

TEST_CASE("a second write on an inline queue allocates nothing, be it of all chunks or of parts of some") {
  std::vector<std::uint8_t> const elements(test::t1_elements()), part(50 * 50 * 50, 7);
  Box const box{{10, 60}, {70, 120}, {50, 100}};
  WriteOptions const options{.store_fill_chunks = true};  // chunks with only zeros too
  auto const check = [&](auto const& array) {
    auto const all_of_it = [&] { array.write(all, elements, options); };
    auto const corner = [&] { array.write(box, part, options); };
    all_of_it();
    corner();
    all_of_it();  // the changed values grow back
    CHECK(count(all_of_it) == Counts{0, 0});
    corner();
    CHECK(count(corner) == Counts{0, 0});
    all_of_it();
    std::vector<std::uint8_t> found(elements.size());
    array.read(all, found);
    CHECK(found == elements);
  };
  check(made(InPlaceStore{}, Raw{}));
  check(made(InPlaceStore{}, Zstd{}));
  check(made(InPlaceStore{}, Chain{}));
  InPlaceStore const store;
  made(store, Zstd{});
  check(open_array<std::uint8_t, 3, AllCodecs>(store, "t1", test::HostQueue{}));
}

TEST_CASE("a MemoryStore allocates a value and its bytes at most for each chunk that has another length than the last") {
  auto const array = made(MemoryStore<HostBuffer>{}, Zstd{});
  auto const& elements = test::t1_elements();
  array.write(all, elements, {.store_fill_chunks = true});
  CHECK(count([&] { array.write(all, elements, {.store_fill_chunks = true}); }).news <= 2 * chunks);
}

TEST_CASE("tiny chunks in a MemoryStore, read and written over: nothing is allocated, be they 64 or 4096") {
  constexpr std::uint64_t edge = 16;  // 4 KiB
  for (std::uint64_t across : {4u, 16u}) {
    auto const n = edge * across;
    std::vector<std::uint8_t> elements(n * n * n), found(elements.size());
    auto const array = create_array<std::uint8_t, 3>(MemoryStore<HostBuffer>{}, "a",
                                                     {.shape = {n, n, n}, .chunks = {edge, edge, edge}}, Raw{},
                                                     test::HostQueue{});
    auto const dynamic = open_array<std::uint8_t, 3>(array.untyped().store(), "a", test::HostQueue{});
    std::uint8_t round = 1;
    auto const write = [&] { array.write(all, elements); };
    auto const read = [&] { array.read(all, found), dynamic.read(all, found); };
    for (; round < 4; ++round) {
      for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint8_t>(i % 251 + round);
      auto const written = count(write), was_read = count(read);
      CHECK(found == elements);
      if (round == 1) continue;  // a first time of each
      if (round > 2) CHECK(written == Counts{0, 0});
      CHECK(was_read == Counts{0, 0});
    }
  }
}

}  // namespace writing_tests
