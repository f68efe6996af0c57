// Files into device memory: copies, waits, allocations.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <device/device.hpp>
#include <support/refused.hpp>

namespace local_store_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::long_text, test::put, test::TemporaryFolder, test::text,
    test::under_seeds, test::value;
using Local = LocalStore<DeviceBuffer>;

namespace {

constexpr std::size_t block = detail::bounce_block;

void write_file(TemporaryFolder const& folder, std::string const& name, std::string_view bytes) {
  HostQueue on;
  LocalStore<HostBuffer>{folder.path().string()}.write({name}, test::host_bytes(bytes), on);
}

}  // namespace

TEST_CASE("values of any size, across blocks, by one thread and by three") {
  TemporaryFolder folder;
  auto const large = long_text(3 * block + 12345);
  for (auto const size : {std::size_t{0}, std::size_t{1}, block - 1, block, block + 1, 3 * block + 12345})
    write_file(folder, std::to_string(size), std::string_view{large}.substr(0, size));
  under_seeds(8, [&] {
    for (std::size_t const threads : {1u, 3u}) {
      DeviceQueue on{HostQueue{threads}};
      Local const store{folder.path().string()};
      for (auto const size : {std::size_t{0}, std::size_t{1}, block - 1, block, block + 1, 3 * block + 12345})
        CHECK((value(store, std::to_string(size), on) == std::string_view{large}.substr(0, size)));
      auto const name = std::to_string(large.size());
      CHECK((value(store, name, on, {block - 3, block + 7}) == std::string_view{large}.substr(block - 3, block + 7)));
      CHECK((value(store, name, on, ByteRange::suffix(block + 1)) ==
             std::string_view{large}.substr(large.size() - block - 1)));
      put(store, "copy", large, on);
      CHECK((value(LocalStore<HostBuffer>{folder.path().string()}, "copy", on) == large));
      put(store, "copy", "short", on);
      CHECK(value(store, "copy", on) == "short");
      put(store, "copy", "", on);
      CHECK(value(store, "copy", on).empty());
    }
  });
}

TEST_CASE("the host side of a store of files is the same files, with the same locks") {
  TemporaryFolder folder;
  under_seeds(2, [&] {
    DeviceQueue on{test::HostQueue{}};
    Local const store{folder.path().string()};
    put(store, "a/key", "from the device", on);
    auto const host = host_side(store);
    static_assert(std::same_as<decltype(host), LocalStore<HostBuffer> const>);
    CHECK(value(host, "a/key", on) == "from the device");
    put(host, "a/key", "from the host", on);
    CHECK(value(store, "a/key", on) == "from the host");
    auto const* const mutex = store.lock({"a/key"}).mutex();
    CHECK(host.lock({"a/key"}).mutex() == mutex);
  });
}

TEST_CASE("a file that is in the way is an error that names key and store") {
  TemporaryFolder folder;
  write_file(folder, "a", "a file");
  under_seeds(2, [&] {
    DeviceQueue on{test::HostQueue{}};
    Local const store{folder.path().string()};
    test::check_refused<StoreError>([&] { put(store, "a/b", "below a file", on); },
                                    {"key \"a/b\"", folder.path().c_str()});
    test::check_refused<StoreError>([&] { value(store, "a", on, {99, 1}); }, {"key \"a\"", folder.path().c_str()});
    CHECK(value(store, "a", on) == "a file");
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("in the steady state: copies, and waits for blocks about to be used again, and nothing else") {
  TemporaryFolder folder;
  auto const large = long_text(10 * block);
  write_file(folder, "large", large);
  under_seeds(16, [&] {
    DeviceQueue on{test::HostQueue{}};
    Local const store{folder.path().string()};
    DeviceBuffer room(large.size(), on);
    auto const read = [&] { CHECK(get_into(store, {"large"}, room.span(), on) == large.size()); };
    read();
    emulation::Watch const watch;
    read();
    CHECK(watch.copies(cudaMemcpyHostToDevice) == 10);
    CHECK(watch.copied(cudaMemcpyHostToDevice) == large.size());
    CHECK(watch.synchronisations() == 0);
    std::size_t waits = 0;
    for (auto const& call : watch.calls()) {
      CAPTURE(call.name);
      std::string_view const name = call.name;
      waits += name == "cudaEventSynchronize";
      CHECK((name == "cudaMemcpyAsync" || name == "cudaEventRecord" || name == "cudaEventQuery" ||
             name == "cudaEventSynchronize" || emulation::is_query(name)));
    }
    CHECK(waits <= 10);  // one for each block
    CHECK((text(room.view(), on) == large));
  });
}

TEST_CASE("the next block is read while the last one is copied") {
  TemporaryFolder folder;
  write_file(folder, "large", long_text(4 * block));
  emulation::seed(15);  // every stream is late: a wait would show as a copy that has run
  DeviceQueue on{test::HostQueue{}};
  Local const store{folder.path().string()};
  DeviceBuffer room(4 * block, on);
  REQUIRE(get_into(store, {"large"}, room.span(), on));
  on.wait();
  emulation::Watch const watch;
  REQUIRE(get_into(store, {"large"}, room.span(), on));
  // Four blocks are read and their copies queued before any wait.
  CHECK(watch.count("cudaEventSynchronize") == 0);
  CHECK(watch.copies(cudaMemcpyHostToDevice) == 4);
}

TEST_CASE("small values share a block, and a copy where their rooms follow each other") {
  TemporaryFolder folder;
  auto const words = long_text(1000);
  for (int i = 0; i < 20; ++i) write_file(folder, std::to_string(i), words.substr(static_cast<std::size_t>(i), 500));
  under_seeds(4, [&] {
    DeviceQueue on{test::HostQueue{}};
    Local const store{folder.path().string()};
    DeviceBuffer memory(20 * 500, on);
    std::vector<Key> keys;
    for (int i = 0; i < 20; ++i) keys.push_back({std::to_string(i)});
    struct Place {
      ByteSpan<space::Device> to;
      ByteSpan<space::Device> operator()(std::size_t n) const { return to.sub(0, n); }
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < 20; ++i) places.push_back({memory.span().sub(i * 500, 500)});
    std::vector<ReadRequest<space::Device>> requests;
    for (std::size_t i = 0; i < 20; ++i) requests.push_back({&keys[i], {}, places[i], {}, memory.span()});
    get_many(store, std::span{requests}, on);
    on.wait();  // the block is free again
    emulation::Watch const watch;
    get_many(store, std::span{requests}, on);
    CHECK(watch.count("cudaEventRecord") == 1);  // one block
    CHECK(watch.copies(cudaMemcpyHostToDevice) == 1);
    for (std::size_t i = 0; i < 20; ++i) CHECK(text(memory.view().sub(i * 500, 500), on) == words.substr(i, 500));
  });
}
#endif

}  // namespace local_store_tests
