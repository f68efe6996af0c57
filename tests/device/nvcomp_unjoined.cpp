// Elements of blosc chunks that are placed from nvCOMP's output: shuffled, split, stored, swapped and transposed, by
// selections of every kind; in one launch, which is all that follows nvCOMP's.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <device/agreement.hpp>
#include <device/held.hpp>
#include <device/nvcomp_batch.hpp>
#include <tessera/array/convert.cuh>
#include <tessera/with/blosc.hpp>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_unjoined_tests {

using namespace tessera;
using codec::Blosc, codec::Transpose;
using nvcomp::Trusted;
using test::DeviceQueue, test::HostQueue, test::Random, test::under_seeds;
using ToHost = CastTo<space::Host>;
using OnTrust = Trusted<nvcomp::Blosc>;

namespace {

Blosc random_blosc(Random& random, std::size_t item) {
  constexpr char const* names[]{"lz4", "lz4hc", "zstd", "zlib", "snappy"};
  constexpr char const* shuffles[]{"noshuffle", "shuffle", "shuffle", "bitshuffle"};
  return {names[random(0, 4)], static_cast<int>(random(0, 9)), shuffles[random(0, 3)],
          random.one_in(3) ? random(1, 20) : item, random.one_in(2) ? 0 : random(128, 3000)};
}

// Of noise, or of bytes that seldom change; some chunks are missing.
test::ArrayContent random_array(Random& random) {
  auto content = test::random_content(random);
  if (random.one_in(2)) {  // of several blocks
    content.shape = random.extents(2, 1, 100);
    content.chunk_shape = random.extents(2, 20, 50);
    content.elements = test::random_elements(random, test::size_of(content.shape) * content.type.size, content.type);
  }
  if (!random.one_in(3)) content.elements = random.smooth(content.elements.size());
  if (content.type.kind == DataKind::boolean)
    for (auto& b : content.elements) b &= std::byte{1};
  return content;
}

template <class... Codecs>
void write(MemoryStore<HostBuffer> const& store, Random& random, test::ArrayContent& content, Codecs const&... codecs) {
  test::write_array(store, "a", content, codecs...);
  auto const fill = test::array_metadata(content.document(R"(["bytes"])").text()).fill;
  test::for_each_index(content.grid_shape(), [&](Extents const& place) {
    if (!random.one_in(5)) return;
    test::erase(store, content.chunk_key("a", place));
    test::for_each_index(content.shape, [&](Extents const& index) {
      for (std::size_t d = 0; d < index.rank(); ++d)
        if (index[d] / content.chunk_shape[d] != place[d]) return;
      auto const at = test::c_index(content.shape, index) * content.type.size;
      std::copy(fill.begin(), fill.end(), content.elements.begin() + static_cast<std::ptrdiff_t>(at));
    });
  });
}

}  // namespace

TEST_CASE("nvCOMP: random arrays of blosc, placed from shuffled streams, are what the host wrote") {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    test::order_streams(random);
    {
      DeviceQueue on{HostQueue{random(1, 3)}};
      auto content = random_array(random);
      MemoryStore<HostBuffer> const store;
      write(store, random, content, test::random_codec<Transpose>(random, content.shape.rank()),
            test::random_codec<codec::Bytes>(random, 0), random_blosc(random, content.type.size));
      auto const memory = test::in_device_memory();
      using Across = Pipeline<space::Device, Transpose, codec::Bytes, OnTrust, ToHost>;
      using There = AnyPipeline<space::Device, space::Device, Codecs<Transpose, codec::Bytes, OnTrust>>;
      test::Subject<Across, MemoryStore<HostBuffer>> across{store, on};
      test::Subject<There, std::remove_const_t<decltype(memory)>> there{test::filled_from(store, memory, on), on};
      for (int round = 0; round < 4; ++round) {
        CAPTURE(round);
        auto const selection = test::random_selection(random, content.shape, content.chunk_shape);
        CAPTURE(selection.kind);
        test::check_reads(1 << 23, random, content, content.elements, across, selection);
        test::check_reads(1 << 23, random, content, content.elements, there, selection);
      }
    }
    test::expect_nothing_left();
  }
}

namespace {

Extents const shape{60, 300}, chunk_shape{7, 100};
std::vector<float> const elements = test::numbers_from(1.f, 60 * 300);

template <class P>
void write_floats(MemoryStore<HostBuffer> const& store, P const& pipeline) {
  create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunk_shape, .overwrite = true}, pipeline,
                         HostQueue{1})
      .write(all, elements);
}

}  // namespace

TEST_CASE("nvCOMP: elements of blosc that are converted where they are placed are joined before") {
  under_seeds(8, [] {
    MemoryStore<HostBuffer> const store;
    DeviceQueue on{HostQueue{2}};
    for (char const* shuffle : {"noshuffle", "shuffle", "bitshuffle"}) {
      write_floats(store, Pipeline<space::Host, codec::Bytes, Blosc>{codec::Bytes{std::endian::big},
                                                                     Blosc{"lz4", 5, shuffle, 4, 512}});
      auto const array =
          open_array<float, 2, Pipeline<space::Device, codec::Bytes, nvcomp::BloscLz4, ToHost>>(store, "a", on);
      auto memory = test::on_device<double, 2>(std::vector<double>(elements.size()), shape, on);
      read_as(array, all, memory).wait();
      CHECK(test::on_host(memory, on) == std::vector<double>(elements.begin(), elements.end()));
    }
  });
}

TEST_CASE("a budget of memory has room for what nvCOMP's decoders use, and for lists of streams") {
  constexpr std::uint64_t rows = 1024, columns = 1 << 10;
  auto const many = test::numbers_from(1.f, rows * columns);
  auto const check = [&]<class P, class Host>(std::type_identity<P>, Host const& host, std::uint64_t rows_of_chunk,
                                              std::uint64_t budget) {
    CAPTURE(rows_of_chunk);
    MemoryStore<HostBuffer> const store;
    create_array<float, 2>(store, "a", {.shape = {rows, columns}, .chunks = {rows_of_chunk, columns}}, host,
                           HostQueue{2})
        .write(all, many);
    DeviceQueue others{HostQueue{1}};  // whose memory is not counted
    auto memory = test::on_device<float, 2>(std::vector<float>(many.size()), {rows, columns}, others);
    for (std::size_t const threads : {1u, 3u}) {
      CAPTURE(threads);
      auto const peak = test::peak_of(threads, [&](DeviceQueue& on) {
        open_array<float, 2, P>(store, "a", on).read(all, memory, ReadOptions{.memory = budget}).wait();
      });
      bool const is_right = test::on_host(memory, others) == many;
      CHECK(is_right);
      CHECK(peak <= budget);
      CHECK(peak > budget / 16);
    }
  };
  using OfZstd = Pipeline<space::Device, codec::Bytes, Trusted<nvcomp::Zstd>, ToHost>;
  using OfBlosc = Pipeline<space::Device, codec::Bytes, OnTrust, ToHost>;
  for (std::uint64_t const rows_of_chunk : {4u, 64u}) {
    check(std::type_identity<OfZstd>{}, Pipeline<space::Host, codec::Bytes, codec::Zstd>{}, rows_of_chunk, 4 << 20);
    for (char const* cname : {"lz4", "zlib", "zstd"})
      check(std::type_identity<OfBlosc>{}, Pipeline<space::Host, codec::Bytes, Blosc>{{}, Blosc{cname}}, rows_of_chunk,
            4 << 20);
  }
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("nvCOMP: a mini-batch of blosc is two launches, nvCOMP's, and one that unshuffles and places") {
  MemoryStore<HostBuffer> const store;
  auto const check = [&](Blosc const& codec, std::size_t launches, std::size_t answers = 2) {
    write_floats(store, Pipeline<space::Host, Transpose, codec::Bytes, Blosc>{Transpose{{1, 0}},
                                                                              codec::Bytes{std::endian::big}, codec});
    test::erase(store, "a/c/3/1");
    auto expected = elements;
    for (std::size_t i = 21; i < 28; ++i)
      for (std::size_t j = 100; j < 200; ++j) expected[i * 300 + j] = 0;
    under_seeds(8, [&] {
      DeviceQueue on{HostQueue{1}};
      using P = Pipeline<space::Device, Transpose, codec::Bytes, OnTrust>;
      auto const array = open_array<float, 2, P>(test::filled_from(store, test::in_device_memory(), on), "a", on);
      ReadOptions const options{.mini_batch = every_chunk, .in_flight = 1};
      auto const check_one = [&](auto const& selection, Extents const& memory_shape) {
        auto memory =
            test::on_device<float, 2>(std::vector<float>(memory_shape[0] * memory_shape[1]), memory_shape, on);
        auto const read = [&] { array.on(on).read(selection, memory, options).wait(); };
        read();
        emulation::Watch const watch;
        read();
        CHECK(watch.launches() == launches);
        CHECK(watch.copies(cudaMemcpyHostToDevice) <= 3);  // two lists, and the list of placements, if that is long
        CHECK(watch.copies(cudaMemcpyDeviceToHost) == answers);
        CHECK(watch.count("cudaEventSynchronize") <= 3);
        CHECK(watch.synchronisations() == 0);
        CHECK(test::allocations(watch) == 0);
        return test::on_host(memory, on);
      };
      CHECK(check_one(all, shape) == expected);
      auto const part = check_one(Box{{3, 50, 2}, {10, 290}}, {24, 280});
      CHECK(part[5 * 280 + 7] == expected[13 * 300 + 17]);
      std::vector<std::uint64_t> rows, columns;
      for (std::uint64_t i = 0; i < 50; ++i) rows.push_back(i * 7 % 60), columns.push_back(i * 31 % 300);
      auto const picked = check_one(Orthogonal{rows, columns}, {50, 50});
      CHECK(picked[9 * 50 + 11] == expected[rows[9] * 300 + columns[11]]);
    });
  };
  check({"lz4", 5, "shuffle", 4, 512}, 4);
  check({"zstd", 5, "bitshuffle", 4, 512}, 4);
  check({"zlib", 5, "shuffle", 4, 512}, 5);  // nvCOMP accepts deflate only at some addresses
  check({"lz4", 0, "shuffle", 4, 0}, 2, 1);  // stored: the headers, and the placing
}

#endif

}  // namespace nvcomp_unjoined_tests
