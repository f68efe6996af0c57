// Chunks that decode to another size than their metadata implies.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/chain.hpp>
#include <support/refused.hpp>

using namespace tessera;
using test::Bytes;

namespace {

template <class P>
void check_wrong_size(P const& pipeline, std::vector<Bytes> stored, std::size_t wrong, char const* codec,
                      std::initializer_list<char const*> words) {
  auto const form = pipeline.resolve({{8}, {DataKind::unsigned_integer, 1}});
  std::vector<Bytes> rooms(stored.size(), Bytes(8));
  std::vector<DecodeTask<space::Host, space::Host>> tasks;
  for (std::size_t i = 0; i < stored.size(); ++i) tasks.push_back({test::view(stored[i]), test::span(rooms[i])});
  Queue<space::Host> on;
  auto run = [&] { pipeline.decode(form, std::span{tasks}, on); };
  test::check_refused<CodecError>(run, words);
  try {
    run();
  } catch (CodecError const& error) {
    CHECK(error.chunk() == wrong);
    CHECK(error.codec() == codec);
  }
}

using Every = AnyPipeline<space::Host, space::Host, AllCodecs>;

Every any(std::string const& json) {
  auto const list = test::specifications(json);
  return Every::from(list);
}

}  // namespace

TEST_CASE("where no codec runs, stored bytes of another size name their chunk (CODEC-BYTES-05)") {
  using P = Pipeline<space::Host, codec::Bytes>;
  for (std::size_t size : {0u, 7u, 9u}) {
    check_wrong_size(P{}, {Bytes(8), Bytes(size)}, 1, "", {std::to_string(size).c_str(), "expected 8"});
    check_wrong_size(any(R"(["bytes"])"), {Bytes(8), Bytes(size)}, 1, "", {"expected 8"});
  }
}

TEST_CASE("a chunk that decodes to too little names its place in the batch (CODEC-CHAIN-05)") {
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  codec::Zstd const zstd;
  std::vector<Bytes> const chunks{test::encoded(zstd, Bytes(8)), test::encoded(zstd, Bytes(8)),
                                  test::encoded(zstd, Bytes(7))};
  check_wrong_size(P{}, chunks, 2, "", {"found 7 bytes", "expected 8"});
  check_wrong_size(any(R"(["bytes", {"name": "zstd", "configuration": {"level": 1}}])"), chunks, 2, "",
                   {"found 7 bytes", "expected 8"});
}

TEST_CASE("a chunk that decodes to too much, or not at all, names its place and the codec (CODEC-CHAIN-06)") {
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const list = any(R"(["bytes", {"name": "zstd", "configuration": {"level": 1}}])");
  codec::Zstd const zstd;
  for (auto const& wrong : {test::encoded(zstd, Bytes(9)), test::bytes("garbage"), test::bytes("\x28")}) {
    check_wrong_size(P{}, {test::encoded(zstd, Bytes(8)), wrong}, 1, "zstd", {"codec zstd"});
    check_wrong_size(list, {test::encoded(zstd, Bytes(8)), wrong}, 1, "zstd", {"codec zstd"});
  }
}

TEST_CASE("between two codecs that run, the first's output is bounded too") {
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd, codec::Blosc>;
  auto const list = any(R"(["bytes", {"name": "zstd", "configuration": {"level": 1}},
      {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle"}}])");
  codec::Blosc const blosc{"lz4", 1, "noshuffle"};
  auto const bomb = test::encoded(blosc, Bytes(1 << 20));
  check_wrong_size(P{}, {bomb}, 0, "blosc", {"codec blosc", "1048576"});
  check_wrong_size(list, {bomb}, 0, "blosc", {"codec blosc", "1048576"});
}
