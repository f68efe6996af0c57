// Arrays of every type, rank and layout, read and written by host and device through every kind of store, by selections
// of every kind, compared with elements that are picked one by one.
#include <algorithm>
#include <tuple>

#include <device/agreement.hpp>

using namespace tessera;
using codec::Transpose, codec::Zstd;
using test::check_agreement, test::expect_nothing_left, test::filled_from, test::order_streams, test::random_content;
using test::DeviceQueue, test::Random, test::Subject, test::TemporaryFolder;

namespace {

constexpr std::uint64_t budget = 1 << 20;

// Writes the content element by element and removes some chunks: their elements have the fill value.
template <class... Codecs>
test::OnHost written(Random& random, test::ArrayContent& content, Codecs const&... codecs) {
  MemoryStore<HostBuffer> const store;
  test::write_array(store, "a", content, codecs...);
  auto const fill = test::array_metadata(content.document(R"(["bytes"])").text()).fill;
  test::for_each_index(content.grid_shape(), [&](Extents const& place) {
    if (!random.one_in(5)) return;
    test::erase(store, content.chunk_key("a", place));
    test::for_each_index(content.shape, [&](Extents const& index) {
      for (std::size_t d = 0; d < index.rank(); ++d)
        if (index[d] / content.chunk_shape[d] != place[d]) return;
      std::copy(fill.begin(), fill.end(),
                content.elements.begin() +
                    static_cast<std::ptrdiff_t>(test::c_index(content.shape, index) * content.type.size));
    });
  });
  return {store, open_any<AllCodecs>(store, "a", test::HostQueue{random(1, 3)})};
}
}  // namespace

TEST_CASE("random arrays of nothing but elements: host, device and the slow way agree, in every store") {
  TemporaryFolder const folder;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    order_streams(random);
    {
      DeviceQueue on{test::HostQueue{random(1, 3)}};
      auto content = random_content(random);
      auto host = written(random, content, test::random_codec<Transpose>(random, content.shape.rank()),
                          test::random_codec<codec::Bytes>(random, 0));
      auto const& from = host.store;
      using There = Pipeline<space::Device, Transpose, codec::Bytes>;
      using Across = Pipeline<space::Device, Transpose, codec::Bytes, CastTo<space::Host>>;
      auto const memory = test::in_device_memory();
      auto const files = test::files_of_the_device(folder / std::to_string(seed));
      check_agreement(
          budget, random, content, host,
          Subject<There, std::remove_const_t<decltype(memory)>>{filled_from(from, memory, on), on},
          Subject<There, std::remove_const_t<decltype(files)>>{filled_from(from, files, on), on},
          Subject<Across, MemoryStore<HostBuffer>>{filled_from(from, MemoryStore<HostBuffer>{}, on), on},
          Subject<test::Known, MemoryStore<HostBuffer>>{filled_from(from, MemoryStore<HostBuffer>{}, on), on});
    }
    expect_nothing_left();
  }
}

TEST_CASE("random arrays behind the host's codecs: host, device and the slow way agree") {
  for (std::uint64_t seed = 1001; seed <= 1000 + 60; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    order_streams(random);
    {
      DeviceQueue on{test::HostQueue{random(1, 3)}};
      auto content = random_content(random);
      auto host =
          written(random, content, test::random_codec<Transpose>(random, content.shape.rank()),
                  test::random_codec<codec::Bytes>(random, 0), test::random_codec<Zstd>(random, 0), codec::Crc32c{});
      auto const& from = host.store;
      using Typed = Pipeline<space::Device, Transpose, codec::Bytes, CastTo<space::Host>, Zstd, codec::Crc32c>;
      check_agreement(
          budget, random, content, host,
          Subject<Typed, MemoryStore<HostBuffer>>{filled_from(from, MemoryStore<HostBuffer>{}, on), on},
          Subject<test::Known, MemoryStore<HostBuffer>>{filled_from(from, MemoryStore<HostBuffer>{}, on), on});
    }
    expect_nothing_left();
  }
}
