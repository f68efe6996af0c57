// A pipeline written as a type and one composed from the document do the same.
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <support/chain.hpp>

using namespace tessera;
using test::Bytes;
using test::Random;

namespace {

/// The decoded chunks, each in memory of its own, in C order and the machine's byte order.
template <class P>
std::vector<Bytes> decode(P const& pipeline, ResolvedChunk const& form, std::vector<Bytes> const& stored,
                          Queue<space::Host>& on) {
  std::vector<Bytes> rooms(stored.size(), Bytes(form.decoded_size));
  std::vector<DecodeTask<space::Host, space::Host>> tasks;
  for (std::size_t i = 0; i < stored.size(); ++i) tasks.push_back({test::view(stored[i]), test::span(rooms[i])});
  pipeline.decode(form, std::span{tasks}, on);
  std::vector<Bytes> result;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    CHECK(tasks[i].decoded.data == (form.is_view() ? stored[i].data() : rooms[i].data()));
    REQUIRE(tasks[i].decoded.size == form.decoded_size);
    result.push_back(test::seen_through(form.layout, tasks[i].decoded));
  }
  return result;
}

template <class P>
std::vector<Bytes> encode(P const& pipeline, ResolvedChunk const& form, std::vector<Bytes> const& plain,
                          Queue<space::Host>& on) {
  std::vector<Bytes> rooms(plain.size(), Bytes(form.encoded_bound()));
  std::vector<EncodeTask<space::Host, space::Host>> tasks;
  for (std::size_t i = 0; i < plain.size(); ++i) tasks.push_back({test::view(plain[i]), test::span(rooms[i])});
  pipeline.encode(form, std::span{tasks}, on);
  std::vector<Bytes> result;
  for (auto const& task : tasks) result.push_back(test::copy(task.encoded));
  return result;
}

template <class... Cs>
void check_chain(std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  auto const type = test::random_type(random);
  auto const rank = random(0, 4);
  ChunkSpecification const chunk{random.extents(rank, 1, 6), type};
  std::tuple<Cs...> const codecs{test::random_codec<Cs>(random, rank)...};
  auto const json = std::apply([](auto const&... c) { return test::json_list(c...); }, codecs);
  CAPTURE(json);
  auto const list = test::specifications(json);

  std::vector<Bytes> elements, stored;
  for (auto n = random(1, 7); n-- > 0;) {
    elements.push_back(random.one_in(2) ? random.smooth(chunk.size_in_bytes()) : random.noise(chunk.size_in_bytes()));
    stored.push_back(std::apply(
        [&](auto const&... c) { return test::stored(elements.back(), chunk.shape, type, c...); }, codecs));
  }

  using Static = Pipeline<space::Host, Cs...>;
  auto const pipeline = Static::from(list);
  auto const any = AnyPipeline<space::Host, space::Host, AllCodecs>::from(list);
  auto const form = pipeline.resolve(chunk), any_form = any.resolve(chunk);
  CHECK(form.layout == any_form.layout);
  CHECK(form.decoded_size == any_form.decoded_size);
  CHECK(form.bounds == any_form.bounds);
  CHECK(form.layout.shape == chunk.shape);

  Queue<space::Host> on;
  CHECK(decode(pipeline, form, stored, on) == elements);
  CHECK(decode(any, form, stored, on) == elements);

  // and back: both decode the encoded bytes to the original ones
  std::vector<Bytes> plain(elements.size()), seen;
  for (auto& bytes : plain) {
    bytes = random.smooth(form.decoded_size);
    seen.push_back(test::seen_through(form.layout, test::view(bytes)));
  }
  auto const encoded = encode(pipeline, form, plain, on);
  CHECK(encode(any, form, plain, on) == encoded);
  CHECK(decode(pipeline, form, encoded, on) == seen);
  CHECK(decode(any, form, encoded, on) == seen);
}

}  // namespace

using codec::Blosc, codec::Crc32c, codec::Gzip, codec::Transpose, codec::Zstd;
using ToBytes = codec::Bytes;

TEST_CASE("random chains decode to what they were made from") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    check_chain<ToBytes>(seed);
    check_chain<Transpose, ToBytes>(seed + 100);
    check_chain<Transpose, Transpose, ToBytes>(seed + 200);
    check_chain<ToBytes, Zstd>(seed + 300);
    check_chain<Transpose, ToBytes, Zstd>(seed + 400);
    check_chain<ToBytes, Blosc>(seed + 500);
    check_chain<Transpose, Transpose, ToBytes, Blosc>(seed + 600);
    check_chain<Transpose, ToBytes, Zstd, Blosc>(seed + 700);
    check_chain<ToBytes, Gzip, Crc32c, Zstd>(seed + 800);
    check_chain<Transpose, ToBytes, Crc32c>(seed + 900);
  }
}
