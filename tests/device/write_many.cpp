// Many values from device memory into files: which cross together, waits, and the state after an error.
#include <random>

#include <device/device.hpp>
#include <support/refused.hpp>

namespace write_many_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::long_text, test::made, test::TemporaryFolder, test::under_seeds,
    test::value;

namespace {

constexpr std::size_t block = detail::bounce_block;

template <MemorySpace S>
struct Requested {
  std::vector<Key> keys{};
  std::vector<WriteRequest<S>> requests{};

  // Consecutive parts of `bytes`, `apart` from one beginning to the next, as "0", "1" ...
  Requested(ByteView<S> bytes, std::size_t count, std::size_t size, std::size_t apart, ByteView<S> slab) {
    for (std::size_t i = 0; i < count; ++i) keys.push_back({std::to_string(i)});
    for (std::size_t i = 0; i < count; ++i) requests.push_back({&keys[i], bytes.sub(i * apart, size), slab});
  }
};

}  // namespace

TEST_CASE("values of any size and at any place, many at once") {
  TemporaryFolder folder;
  std::mt19937 random{1};
  auto const words = long_text(3 * block);
  under_seeds(16, [&] {
    DeviceQueue on{test::HostQueue{}};
    LocalStore<DeviceBuffer> const files{folder.path().string()};
    PrefixStore const store{files, "a"};
    auto const memory = made<DeviceBuffer>(words, on);
    std::vector<Key> keys;
    std::vector<WriteRequest<space::Device>> requests;
    std::vector<std::string_view> expected;
    std::size_t at = random() % 100;
    auto const half = memory.view().sub(0, words.size() / 2);
    for (std::size_t i = 0; i < 20; ++i) keys.push_back({std::to_string(i)});
    for (auto const& key : keys) {
      if (random() % 3 == 0) at = random() % 1000;
      auto const size = random() % 4 == 0 ? 0 : random() % 12 == 0 ? block + random() % block : random() % 5000;
      if (at + size > words.size()) at = 0;
      requests.push_back({&key, memory.view().sub(at, size), random() % 3 ? half : memory.view()});
      expected.push_back(std::string_view{words}.substr(at, size));
      at += size;
    }
    write_many(store, std::span<WriteRequest<space::Device> const>{requests}, on);
    for (std::size_t i = 0; i < keys.size(); ++i)
      CHECK((value(host_side(files), "a/" + keys[i].path, on) == expected[i]));
  });
}

TEST_CASE("many writes of which one fails: it is named, those before it are there, and the next go well") {
  TemporaryFolder folder;
  under_seeds(4, [&] {
    DeviceQueue on{test::HostQueue{}};
    LocalStore<DeviceBuffer> const store{folder.path().string()};
    auto const memory = made<DeviceBuffer>("0123456789", on);
    Requested<space::Device> wanted{memory.view(), 3, 2, 2, memory.view()};
    wanted.keys[1].path = "0/below a file";
    test::check_refused<StoreError>([&] { write_many(store, wanted.requests, on); },
                                    {"key \"0/below a file\"", folder.path().c_str()});
    CHECK(value(store, "0", on) == "01");
    CHECK(value(store, "2", on) == "(missing)");
    wanted.keys[1] = {"1"};
    write_many(store, wanted.requests, on);
    CHECK(value(store, "1", on) == "23");
    CHECK(value(store, "2", on) == "45");
    store.erase({"2"}, on);
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("values that follow each other leave the device in one copy for each block, however many they are") {
  TemporaryFolder folder;
  struct Case {
    std::size_t values, size, apart, copies, blocks;
    bool is_slab = true;
  };
  for (Case const& one : {Case{20, 500, 500, 1, 1}, Case{20, 500, 500, 20, 1, false}, Case{500, 20'000, 20'000, 3, 3},
                          Case{20, 500, 501, 20, 1}, Case{20, 0, 0, 0, 0}}) {
    CAPTURE(one.values);
    CAPTURE(one.apart);
    auto const words = long_text(one.values * one.apart + one.size);
    under_seeds(2, [&] {
      auto const [values, size, apart, copies, blocks, is_slab] = one;
      DeviceQueue on{test::HostQueue{}};
      LocalStore<DeviceBuffer> const store{folder.path().string()};
      auto const memory = made<DeviceBuffer>(words, on);
      Requested<space::Device> const wanted{memory.view(), values, size, apart,
                                            is_slab ? memory.view() : ByteView<space::Device>{}};
      write_many(store, wanted.requests, on);  // the blocks exist
      emulation::Watch const watch;
      write_many(store, wanted.requests, on);
      CHECK(watch.copies(cudaMemcpyDeviceToHost) == copies);
      CHECK(watch.copied(cudaMemcpyDeviceToHost) == values * size);
      CHECK(watch.synchronisations() == 0);
      CHECK(watch.count("cudaEventSynchronize") == blocks);
      CHECK(watch.count("cudaMemcpyAsync") + watch.count("cudaEventRecord") + watch.count("cudaEventQuery") +
                watch.count("cudaEventSynchronize") ==
            watch.count());
      bool right = true;
      for (std::size_t i = 0; i < values; ++i)
        right = right && value(host_side(store), std::to_string(i), on) == words.substr(i * apart, size);
      CHECK(right);
    });
  }
}

TEST_CASE("while a block is written to files the next is on its way") {
  TemporaryFolder folder;
  emulation::seed(15);  // every stream is late: copied bytes appear only after a wait
  {
    DeviceQueue on{test::HostQueue{}};
    LocalStore<DeviceBuffer> const store{folder.path().string()};
    auto const memory = made<DeviceBuffer>(long_text(3 * block), on);
    Requested<space::Device> const wanted{memory.view(), 6, block / 2, block / 2, memory.view()};
    write_many(store, wanted.requests, on);
    emulation::Watch const watch;
    write_many(store, wanted.requests, on);
    std::string order;
    for (auto const& call : watch.calls()) {
      if (std::string_view{call.name} == "cudaMemcpyAsync") order += "copy ";
      if (std::string_view{call.name} == "cudaEventSynchronize") order += "wait ";
    }
    CHECK(order == "copy copy wait copy wait wait ");
  }
  test::check_nothing_left();
}

TEST_CASE("pinned and managed values are waited for once") {
  TemporaryFolder folder;
  auto const words = long_text(20'000);
  auto const check = [&](auto buffer, DeviceQueue& on) {
    using B = decltype(buffer);
    buffer = made<B>(words, on);
    LocalStore<B> const store{folder.path().string()};
    Requested<typename B::space_type> const wanted{buffer.view(), 20, 1000, 1000, buffer.view()};
    emulation::Watch const watch;
    write_many(store, wanted.requests, on);
    CHECK(watch.count("cudaEventSynchronize") == 1);
    for (std::size_t i = 0; i < 20; ++i)
      CHECK(value(host_side(store), std::to_string(i), on) == words.substr(i * 1000, 1000));
  };
  under_seeds(4, [&] {
    DeviceQueue on{test::HostQueue{}};
    check(PinnedBuffer{}, on);
    check(ManagedBuffer{}, on);
  });
}
#endif

}  // namespace write_many_tests
