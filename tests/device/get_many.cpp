// Many values of files at once, into device memory: which cross together, and that nothing else is changed.
#include <random>

#include <device/device.hpp>
#include <support/refused.hpp>

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::long_text, test::TemporaryFolder, test::text, test::under_seeds;
using Local = LocalStore<DeviceBuffer>;

namespace {

constexpr std::size_t block = detail::bounce_block;

// Requests whose rooms are at places of one buffer.
struct Wanted {
  struct Place {
    ByteSpan<space::Device> memory;
    std::size_t at;
    ByteSpan<space::Device> operator()(std::size_t n) const { return memory.sub(at, n); }
  };
  std::vector<Key> keys{};
  std::vector<ByteRange> ranges{};
  std::vector<Place> places{};
  std::size_t alignment = 1;
  bool is_slab = true;

  void add(std::string key, std::size_t at, ByteRange range = {}) {
    keys.push_back({std::move(key)});
    ranges.push_back(range);
    places.push_back({{}, at});
  }
  std::vector<ReadRequest<space::Device>> requests(ByteSpan<space::Device> memory) {
    std::vector<ReadRequest<space::Device>> result;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      places[i].memory = memory;
      result.push_back({&keys[i], ranges[i], places[i], {}, is_slab ? memory : ByteSpan<space::Device>{}, alignment});
    }
    return result;
  }
};

void write_file(TemporaryFolder const& folder, std::string const& name, std::string_view bytes) {
  HostQueue on;
  LocalStore<HostBuffer>{folder.path().string()}.write({name}, test::host_bytes(bytes), on);
}

std::size_t aligned(std::size_t n) { return (n + 255) / 256 * 256; }

}  // namespace

TEST_CASE("files, ranges and rooms of any kind: the values are there, and what is nobody's room is as it was") {
  TemporaryFolder folder;
  std::mt19937 random{1};
  std::vector<std::string> values;
  for (std::uint32_t i = 0; i < 12; ++i) {
    values.push_back(long_text(i % 5 == 0 ? random() % 3 : i == 7 ? block + 99 : random() % 3000, i));
    write_file(folder, std::to_string(i), values.back());
  }
  under_seeds(32, [&] {
    std::size_t const alignment = random() % 2 ? 256 : 1;
    Wanted wanted{.alignment = alignment};
    std::vector<std::size_t> chosen;
    std::size_t end = random() % 300, last = 0;
    for (int i = 0; i < 40; ++i) {
      if (random() % 3 > 0) last = random() % 13;
      std::size_t const size = last < values.size() ? values[last].size() : 0;
      auto const offset = random() % (size + 1);
      auto const count = random() % 2 ? size - offset : random() % (size - offset + 1);
      if (alignment > 1) end = aligned(end);
      if (random() % 4 == 0) end += alignment * (random() % 3);
      wanted.add(std::to_string(last), end, {offset, count});
      chosen.push_back(last);
      end += count;
    }
    if (random() % 2) {  // in no order
      std::reverse(wanted.keys.begin(), wanted.keys.end());
      std::reverse(wanted.ranges.begin(), wanted.ranges.end());
      std::reverse(wanted.places.begin(), wanted.places.end());
      std::reverse(chosen.begin(), chosen.end());
    }
    std::string expected(end + 600, '.');
    DeviceQueue on{HostQueue{2}};
    auto memory = test::made<DeviceBuffer>(expected, on);
    auto requests = wanted.requests(memory.span());
    get_many(Local{folder.path().string()}, std::span{requests}, on);
    auto found = text(memory.view(), on);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (chosen[i] == values.size()) {
        CHECK_FALSE(requests[i].size);
        continue;
      }
      auto const range = wanted.ranges[i].resolve(values[chosen[i]].size());
      CHECK(requests[i].size == range.size);
      expected.replace(wanted.places[i].at, range.size, values[chosen[i]], range.offset, range.size);
      auto const after = wanted.places[i].at + range.size;
      if (alignment == 1 || range.size == 0) continue;
      expected.replace(after, aligned(after) - after, aligned(after) - after, '?');  // may have been written to
      found.replace(after, aligned(after) - after, aligned(after) - after, '?');
    }
    CHECK((found == expected));
  });
}

TEST_CASE("a file that ends too early among many is named, and what comes next is right") {
  TemporaryFolder folder;
  for (char const* name : {"a", "b", "c"}) write_file(folder, name, name);
  under_seeds(4, [&] {
    DeviceQueue on{test::HostQueue{}};
    Local const store{folder.path().string()};
    DeviceBuffer memory(10, on);
    Wanted wanted;
    wanted.add("a", 0), wanted.add("b", 1, {5, 1}), wanted.add("c", 2);
    auto requests = wanted.requests(memory.span());
    test::check_refused<StoreError>([&] { get_many(store, std::span{requests}, on); },
                                    {"key \"b\"", folder.path().c_str()});
    wanted.ranges[1] = {};
    requests = wanted.requests(memory.span());
    get_many(store, std::span{requests}, on);
    CHECK(text(memory.view().sub(0, 3), on) == "abc");
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("files whose rooms follow each other cross in one copy for each block, however many they are") {
  TemporaryFolder folder;
  auto const words = long_text(20'010);
  struct Case {
    std::size_t files, size, alignment, apart, copies;
    bool is_slab = true;
  };
  for (Case const& one : {
           Case{20, 500, 1, 500, 1}, Case{20, 512, 1, 512, 20, false}, Case{20, 500, 256, 512, 1},
           Case{300, 20'000, 1, 20'000, 2}, Case{300, 19'999, 256, 20'224, 2},
           Case{20, 500, 1, 512, 20},    // the bytes between are not known to be free
           Case{20, 500, 256, 768, 20},  // more than one alignment of them
       }) {
    CAPTURE(one.files);
    CAPTURE(one.size);
    CAPTURE(one.apart);
    Wanted wanted{.alignment = one.alignment, .is_slab = one.is_slab};
    for (std::size_t i = 0; i < one.files; ++i) {
      write_file(folder, std::to_string(i), words.substr(i % 7, one.size));
      wanted.add(std::to_string(i), i * one.apart);
    }
    under_seeds(2, [&] {
      auto const [files, size, alignment, apart, copies, is_slab] = one;
      DeviceQueue on{test::HostQueue{}};
      Local const store{folder.path().string()};
      DeviceBuffer memory(wanted.keys.size() * apart, on);
      auto requests = wanted.requests(memory.span());
      for (int i = 0; i < 2; ++i)
        get_many(store, std::span{requests}, on), on.wait();  // the blocks exist, and are free
      emulation::Watch const watch;
      get_many(store, std::span{requests}, on);
      CHECK(watch.copies(cudaMemcpyHostToDevice) == copies);
      CHECK(watch.synchronisations() == 0);
      CHECK(watch.count("cudaEventSynchronize") == 0);
      CHECK(watch.count("cudaMemcpyAsync") + watch.count("cudaEventRecord") + watch.count("cudaEventQuery") ==
            watch.count());
      auto const found = text(memory.view(), on);
      bool right = true;
      for (std::size_t i = 0; i < requests.size(); ++i)
        right = right && found.compare(i * apart, size, words, i % 7, size) == 0;
      CHECK(right);
    });
  }
}

TEST_CASE("where there is nothing to read no block is borrowed") {
  TemporaryFolder folder;
  write_file(folder, "empty", "");
  emulation::seed(0);
  {
    DeviceQueue on{test::HostQueue{}};
    DeviceBuffer memory(10, on);
    Wanted wanted;
    wanted.add("empty", 0), wanted.add("missing", 0);
    auto requests = wanted.requests(memory.span());
    emulation::Watch const watch;
    get_many(Local{folder.path().string()}, std::span{requests}, on);
    CHECK(watch.count() == 0);
    CHECK(requests[0].size == 0);
    CHECK_FALSE(requests[1].size);
  }
  test::check_nothing_left();
}
#endif
