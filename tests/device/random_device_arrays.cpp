// Arrays of every type, rank and layout, read and written by host and device through every kind of store, by selections
// of every kind, held against elements that are picked one by one.
#include <algorithm>
#include <tuple>

#include <device/arrays.hpp>
#include <support/random_selection.hpp>
#include <support/written_array.hpp>

using namespace tessera;
using codec::Transpose, codec::Zstd;
using test::Bytes, test::DeviceQueue, test::Random, test::StridedMemory, test::TemporaryFolder;

namespace {

// An array in some store, read and written in some way.
template <class Named, class S>
struct Subject {
  using Opened = decltype(open_any<Named>(std::declval<S const&>(), "", std::declval<DeviceQueue>()));
  S store;
  DeviceQueue on;
  Opened array;

  Subject(S const& s, DeviceQueue queue) : store{s}, on{queue}, array{open_any<Named>(store, "a", queue)} {}

  /// The memory after a read.
  Bytes read(Selected const& selected, Bytes const& memory, StridedMemory const& at, ReadOptions const& options) {
    auto there = test::made<DeviceBuffer>(test::text(test::view(memory)), on);
    array.read(selected, {there.span().data + at.first, at.strides}, on, options).leave();
    return test::bytes(test::text(there.view(), on));
  }
  void write(Selected const& selected, Bytes const& memory, StridedMemory const& at, WriteOptions const& options) {
    auto const there = test::made<DeviceBuffer>(test::text(test::view(memory)), on);
    array.write(selected, {there.view().data + at.first, at.strides}, on, options).leave();
  }
  std::string value(std::string const& key) { return test::value(chunks_of(store), key, on); }
};

struct OnHost {
  using Opened = decltype(open_any<AllCodecs>(std::declval<MemoryStore<HostBuffer> const&>(), ""));
  MemoryStore<HostBuffer> store;
  Opened array;

  Bytes read(Selected const& selected, Bytes memory, StridedMemory const& at, ReadOptions const& options) {
    array.read(selected, {memory.data() + at.first, at.strides}, options);
    return memory;
  }
  void write(Selected const& selected, Bytes const& memory, StridedMemory const& at, WriteOptions const& options) {
    array.write(selected, {memory.data() + at.first, at.strides}, options);
  }
  std::string value(std::string const& key) { return test::value(store, key); }
};

// On the emulation: which streams come early and late, and that nothing is left of a round.
void order_streams([[maybe_unused]] Random& random) {
#if defined(TESSERA_CUDA_EMULATION)
  emulation::seed(random(0, 40));
#endif
}
void expect_nothing_left() {
#if defined(TESSERA_CUDA_EMULATION)
  test::check_nothing_left();
#endif
}

template <class Options>
Options random_options(Random& random) {
  std::size_t const batches[] = {0, 1, 2, 3, every_chunk};
  Options options{};
  options.mini_batch = batches[random(0, 4)];
  options.mini_batch_bytes = random.one_in(3) ? random(1, 500) : 0;
  options.in_flight = random(0, 3);
  options.memory = random.one_in(3) ? std::uint64_t{1} << 20 : 0;
  return options;
}

test::ArrayContent random_content(Random& random) {
  auto const rank = random.one_in(6) ? random(6, 8) : random(0, 5);
  std::uint64_t const most[] = {1, 40, 20, 9, 6, 4, 3, 3, 2};
  test::ArrayContent content{test::random_type(random),
                             random.extents(rank, 1, most[rank]),
                             random.extents(rank, 1, (most[rank] + 2) / 2),
                             {}};
  auto fill = random.one_in(2) ? Bytes(content.type.size) : random.noise(content.type.size);
  content.elements = random.noise(test::size_of(content.shape) * content.type.size);
  if (content.type.kind == DataKind::boolean)
    for (auto* bytes : {&content.elements, &fill})
      for (auto& b : *bytes) b &= std::byte{1};
  content.fill = to_json(write_fill_value(fill, content.type));
  return content;
}

// A store with a copy of what is in another one.
template <class S>
S const& filled_from(MemoryStore<HostBuffer> const& from, S const& to, DeviceQueue& on) {
  from.list("", [&](Listed const& entry) {
    std::string const key{entry.path};
    if (key.ends_with("zarr.json"))
      test::put(metadata_of(to), key, test::value(from, key));
    else
      test::put(chunks_of(to), key, test::value(from, key), on);
  });
  return to;
}

// All subjects do the same, and agree with each other and with `elements`.
template <class... Subjects>
void check_agreement(Random& random, test::ArrayContent const& content, OnHost& host, Subjects... subjects) {
  auto const for_each_subject = [&](auto&& f) {
    f(host);
    (f(subjects), ...);
  };
  auto elements = content.elements;
  auto const item = content.type.size;
  auto const& shape = content.shape;
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    auto const selection = test::random_selection(random, shape, content.chunk_shape);
    CAPTURE(selection.kind);
    auto const& selected = selection.selected;
    bool const writes = round % 2 == 1;
    auto const at = test::random_memory(random, selected.shape, item, writes);
    auto memory = random.noise(at.size);
    if (content.type.kind == DataKind::boolean)
      for (auto& b : memory) b &= std::byte{1};
    if (writes && random.one_in(4)) std::fill(memory.begin(), memory.end(), std::byte{0});  // often the fill value
    if (writes) {
      test::for_each_selected(selection, shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(memory.data() + place, item, elements.data() + element);
      });
      bool const stores_fill = random.one_in(4);
      for_each_subject([&](auto& subject) {
        auto options = random_options<WriteOptions>(random);
        options.store_fill_chunks = stores_fill;
        subject.write(selected, memory, at, options);
      });
    } else {
      auto expected = memory;
      test::for_each_selected(selection, shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(elements.data() + element, item, expected.data() + place);
      });
      for_each_subject([&](auto& subject) {
        CHECK(subject.read(selected, memory, at, random_options<ReadOptions>(random)) == expected);
      });
    }
    auto const all_of_it = Box(all).resolve(shape);
    auto const c_order = Layout::c_order(shape, item).strides;
    StridedMemory const whole{0, elements.size(), c_order};
    Bytes const empty(elements.size());
    for_each_subject([&](auto& subject) { CHECK(subject.read(all_of_it, empty, whole, {}) == elements); });
  }
  // What is stored is the same too, to the byte.
  test::for_each_index(content.grid_shape(), [&](Extents const& place) {
    auto const key = content.chunk_key("a", place);
    auto const expected = host.value(key);
    for_each_subject([&](auto& subject) { CHECK(subject.value(key) == expected); });
  });
}

// Writes the content the slow way and takes some chunks away again: their elements are the fill value.
template <class... Codecs>
OnHost written(Random& random, test::ArrayContent& content, Codecs const&... codecs) {
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
          random, content, host,
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
          random, content, host,
          Subject<Typed, MemoryStore<HostBuffer>>{filled_from(from, MemoryStore<HostBuffer>{}, on), on},
          Subject<test::Known, MemoryStore<HostBuffer>>{filled_from(from, MemoryStore<HostBuffer>{}, on), on});
    }
    expect_nothing_left();
  }
}
