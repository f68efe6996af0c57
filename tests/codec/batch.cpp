// Running codecs for one chunk, and codecs for a batch.
#include <array>
#include <concepts>
#include <span>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/refused.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/batch.hpp>

using namespace tessera;
using Task = CodecTask<space::Host>;

namespace {

struct Copying {  // one chunk at a time
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "copying";
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Host>;
  std::size_t encoded_bound(std::size_t n) const { return n; }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    if (from.size > to.size) throw CodecError{"too long"};
    std::copy_n(from.data, from.size, to.data);
    return from.size;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    return decode(from, to, on);
  }
};

struct Batching : Copying {  // all at once
  static constexpr std::string_view name = "batching";
  int* calls;
  void decode(std::span<Task> batch, Queue<space::Host>&) const {
    ++*calls;
    for (auto& task : batch) task.size = 7;
  }
};

static_assert(RunsIn<Copying, space::Host> && RunsIn<Batching, space::Host>);

}  // namespace

TEST_CASE("a codec of one chunk is run for each chunk of a batch") {
  Queue<space::Host> on;
  test::Bytes const a = test::bytes("abc"), b = test::bytes("d");
  test::Bytes to_a(5), to_b(5);
  std::array batch{Task{test::view(a), test::span(to_a)}, Task{test::view(b), test::span(to_b)}};
  decode_batch(Copying{}, ChunkSpecification{}, std::span<Task>{batch}, on);
  CHECK(batch[0].size == 3);
  CHECK(batch[1].size == 1);
  CHECK(test::text(test::view(to_b)).substr(0, 1) == "d");
}

TEST_CASE("the chunk that fails is named by its place, with the codec") {
  Queue<space::Host> on;
  test::Bytes const a = test::bytes("abc");
  test::Bytes wide(3), narrow(2);
  std::array batch{Task{test::view(a), test::span(wide)}, Task{test::view(a), test::span(narrow)}};
  auto check = [&](auto&& run) {
    try {
      run();
      FAIL_CHECK("nothing was thrown");
    } catch (CodecError const& error) {
      CHECK(error.chunk() == 1);
      CHECK(error.codec() == "copying");
    }
  };
  check([&] { decode_batch(Copying{}, ChunkSpecification{}, std::span<Task>{batch}, on); });
  check([&] { encode_batch(Copying{}, ChunkSpecification{}, std::span<Task>{batch}, on); });
}

TEST_CASE("a codec of batches is run once for all") {
  Queue<space::Host> on;
  int calls = 0;
  std::array<Task, 3> batch{};
  decode_batch(Batching{{}, &calls}, ChunkSpecification{}, std::span<Task>{batch}, on);
  CHECK(calls == 1);
  CHECK(batch[2].size == 7);
}

TEST_CASE("a chunk's size is checked before anything is made of it") {
  constexpr auto large = std::uint64_t{1} << 40;
  CHECK(ChunkSpecification{{3, 4}, {DataKind::floating, 8}}.size_in_bytes() == 96);
  CHECK(ChunkSpecification{{}, {DataKind::floating, 8}}.size_in_bytes() == 8);
  CHECK_THROWS_AS((ChunkSpecification{{large, large}, {}}.size_in_bytes()), MetadataError);
  CHECK_THROWS_AS((ChunkSpecification{{large, std::uint64_t{1} << 23}, {}}.size_in_bytes()), MetadataError);
}
