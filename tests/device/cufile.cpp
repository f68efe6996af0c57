// Files into device memory without the host, by cuFile's stand-in: right after short reads, failures or missing parts,
// and never silently through the host.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

#include <cufile.h>
#include <emulation/cufile.hpp>

#include <device/arrays.hpp>
#include <device/stores.hpp>
#include <support/refused.hpp>
#include <tessera/with/cufile.cuh>
#include <tessera/with/nvcomp.cuh>
#include <tessera/with/zstd.hpp>

namespace cufile_tests {

using namespace tessera;
using test::check_refused, test::DeviceQueue, test::HostQueue, test::long_text, test::put, test::TemporaryFolder,
    test::under_seeds, test::value;
using Direct = DirectStore<DeviceBuffer>;
using emulation::cufile::count;
using emulation::cufile::Machine;

namespace {

constexpr std::size_t block = cufile::Block::size;

// A property of the stand-in, which does not hang without the kernel's list of modules.
DirectOptions options(std::uint64_t least = 1) { return {.least = least, .cufile = {.modules = ""}}; }

std::string path_of(TemporaryFolder const& folder) { return folder.path().string(); }

// Calls f on that machine, under seeds; checks that no cuFile object is left.
template <class F>
void on_machine(Machine const& machine, std::uint64_t seeds, F&& f) {
  emulation::cufile::set(machine);
  emulation::cufile::forget_calls();
  under_seeds(seeds, [&] {
    f();
    auto const left = emulation::cufile::alive();
    CHECK(left.opened == 0);
    CHECK(left.files == 0);
    CHECK(left.buffers == 0);
    CHECK(left.batches == 0);
  });
}

// "direct: 3 reads of 12 bytes, 1 write of 5; pinned (why): ..."
std::string shown(std::vector<Transferred> const& all) {
  std::string result;
  for (auto const& one : all)
    result += to_text({result.empty() ? "" : "; ", one.path == TransferPath::direct ? "direct" : "pinned",
                       one.why.empty() ? "" : " (", one.why, one.why.empty() ? "" : ")", ": ", one.reads, " reads of ",
                       one.read_bytes, ", ", one.writes, " writes of ", one.written_bytes});
  return result;
}

struct Place {
  ByteSpan<space::Device> to;
  ByteSpan<space::Device> operator()(std::size_t n) const { return to.sub(0, n); }
};

}  // namespace

TEST_CASE("cuFile: a DirectStore is a store, whatever goes directly") {
  TemporaryFolder folder;
  int made = 0;
  on_machine({}, 16, [&] {
    DeviceQueue const on{HostQueue{2}};
    for (std::uint64_t const least : {1u, 3u, 1u << 20})
      test::check_store([&] { return Direct{folder / std::to_string(made++), options(least)}; }, on);
    test::check_store([&] { return AnyStore<DeviceBuffer>{Direct{folder / std::to_string(made++), options()}}; }, on);
    test::check_store([&] { return PrefixStore{Direct{folder / std::to_string(made++), options()}, "a/b"}; }, on);
    test::check_store(
        [&] {
          return RoutedStore{MemoryStore<DeviceBuffer>{}, Direct{folder / std::to_string(made++), options()},
                             KeysBelow{"a"}};
        },
        on);
  });
}

TEST_CASE("cuFile: values and ranges of any size, over pages and blocks") {
  TemporaryFolder folder;
  auto const large = long_text(2 * block + 12345);
  on_machine({}, 4, [&] {
    for (std::size_t const threads : {1u, 3u}) {
      DeviceQueue on{HostQueue{threads}};
      Direct const store{path_of(folder), options()};
      LocalStore<HostBuffer> const files{path_of(folder)};
      std::uint64_t bytes = 0, values = 0;
      for (auto const size :
           {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097}, std::size_t{1} << 20,
            (std::size_t{1} << 20) + 1, block - 1, block, block + 1, 2 * block + 12345}) {
        auto const expected = std::string_view{large}.substr(0, size);
        put(store, "k", expected, on);
        CHECK((value(files, "k", on) == expected));
        emulation::Watch const watch;
        CHECK((value(store, "k", on) == expected));
        CHECK(watch.copies(cudaMemcpyHostToDevice) == 0);
        bytes += size, ++values;
      }
      CHECK(shown(store.transfer_path()) ==
            to_text({"direct: ", values, " reads of ", bytes, ", ", values, " writes of ", bytes}));
      for (auto const range : {ByteRange{0, 1}, ByteRange{4095, 2}, ByteRange{4096, 4096}, ByteRange{5, block},
                               ByteRange{block - 3, block + 7}, ByteRange::suffix(1), ByteRange::suffix(block + 1)}) {
        auto const [offset, size] = range.resolve(large.size());
        CHECK((value(store, "k", on, range) == std::string_view{large}.substr(offset, size)));
      }
    }
  });
}

TEST_CASE("cuFile: what is small goes through page-locked memory, and is told") {
  TemporaryFolder folder;
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options(1000)};
    put(store, "small", long_text(999), on), put(store, "large", long_text(1000), on);
    CHECK((value(store, "small", on) == long_text(999)));
    CHECK((value(store, "large", on) == long_text(1000)));
    CHECK(shown(store.transfer_path()) ==
          "pinned (fewer than 1000 bytes): 1 reads of 999, 1 writes of 999; direct: 1 reads of 1000, 1 writes of 1000");
    CHECK_FALSE(store.append({"small"}, {}, 5, on));  // it has another size
    Direct const copy = store;
    CHECK(copy.transfer_path().size() == 2);
  });
}

TEST_CASE("cuFile: what comes short is asked for again, and no more") {
  TemporaryFolder folder;
  auto const large = long_text((std::size_t{3} << 20) + 5000), other = long_text(large.size(), 7);
  on_machine({}, 4, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "other", other, on);
    for (std::size_t const bytes : {std::size_t{4096}, std::size_t{5000}, std::size_t{700'001}})
      for (std::size_t k = 0; k < 5; ++k) {
        CAPTURE(bytes);
        CAPTURE(k);
        emulation::cufile::shorten(k, bytes);
        put(store, "k", large, on);
        emulation::cufile::shorten_nothing();
        CHECK((value(store, "other", on) == other));  // the block has other bytes than the next read
        emulation::cufile::shorten(k, bytes);
        CHECK((value(store, "k", on) == large));
        emulation::cufile::shorten_nothing();
        CHECK((value(store.host_side(), "k", on) == large));
      }
    CHECK(store.transfer_path().size() == 1);  // all of it directly
  });
}

TEST_CASE("cuFile: what is asked for again takes no more of the block than was left for it") {
  TemporaryFolder folder;
  auto const one = long_text(100'000), other = long_text(100'000, 7);
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "one", one, on), put(store, "other", other, on);
    DeviceBuffer memory(20'000, on);
    Key const keys[] = {{"one"}, {"other"}};
    Place const places[] = {{memory.span().sub(0, 10'000)}, {memory.span().sub(10'000, 10'000)}};
    ReadRequest<space::Device> requests[] = {{&keys[0], {0, 10'000}, places[0]}, {&keys[1], {0, 10'000}, places[1]}};
    emulation::cufile::shorten(0, 9000);
    get_many(store, std::span{requests}, on);
    emulation::cufile::shorten_nothing();
    CHECK((test::text(memory.view(), on) == one.substr(0, 10'000) + other.substr(0, 10'000)));
  });
}

TEST_CASE("cuFile: as many requests at once as it takes, and 128 at most") {
  TemporaryFolder folder;
  constexpr std::size_t count = 300;
  for (auto const& [most, batches] : {std::pair{1u, 300u}, std::pair{7u, 43u}, std::pair{1000u, 3u}})
    on_machine({.most_at_once = most}, 1, [&, batches = batches] {
      DeviceQueue on{HostQueue{1}};
      Direct const store{path_of(folder), options()};
      DeviceBuffer memory(count * 10, on);
      std::vector<Key> keys;
      std::vector<Place> places;
      std::string expected;
      for (std::size_t i = 0; i < count; ++i) {
        keys.push_back({std::to_string(i)}), places.push_back({memory.span().sub(i * 10, 10)});
        expected += long_text(10, static_cast<std::uint32_t>(i));
        put(store.host_side(), keys[i].path, long_text(10, static_cast<std::uint32_t>(i)), on);
      }
      std::vector<ReadRequest<space::Device>> requests;
      for (std::size_t i = 0; i < count; ++i) requests.push_back({&keys[i], {}, places[i]});
      emulation::cufile::forget_calls();
      get_many(store, std::span{requests}, on);
      CHECK(emulation::cufile::count("cuFileBatchIOSubmit") == batches);
      CHECK((test::text(memory.view(), on) == expected));
    });
}

TEST_CASE("cuFile: a batch whose end is not told is cancelled, and its values go the other way") {
  TemporaryFolder folder;
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "k", long_text(100'000), on);
    emulation::cufile::forget_calls();
    emulation::cufile::tell_fewer();
    CHECK((value(store, "k", on) == long_text(100'000)));
    CHECK(count("cuFileBatchIOCancel") == 1);
    CHECK(shown(store.transfer_path())
              .ends_with("pinned (cuFileBatchIOGetStatus reported 0 of 1 requests): 1 reads of 100000, 0 writes of 0"));
  });
}

TEST_CASE("cuFile: a queue that two cuFiles use has a block and a batch of the one that uses it") {
  TemporaryFolder folder;
  Dl_info found{};
  REQUIRE(::dladdr(reinterpret_cast<void const*>(&::cuFileBatchIOSubmit), &found) != 0);
  std::filesystem::copy_file(found.dli_fname, folder / "another.so");
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    auto another = options();
    another.cufile.library = (folder / "another.so");
    Direct const one{path_of(folder), options()}, other{path_of(folder), another};
    put(one, "k", long_text(100'000), on);
    for (auto const* store : {&one, &other, &other, &one}) CHECK((value(*store, "k", on) == long_text(100'000)));
    for (auto const* store : {&one, &other}) CHECK(store->transfer_path().size() == 1);
    CHECK(emulation::cufile::alive().batches == 1);
    emulation::cufile::forget_calls();
    for (auto const* store : {&other, &other, &one}) (void)value(*store, "k", on);
    CHECK(count("cuFileBatchIOSetUp") == 2);
    CHECK(count("cuFileBufRegister") == 2);
  });
}

TEST_CASE("cuFile: a queue that keeps little memory keeps no block") {
  TemporaryFolder folder;
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    on.keep_idle(block - 1);
    Direct const store{path_of(folder), options()};
    put(store, "k", "some bytes", on);
    CHECK(value(store, "k", on) == "some bytes");
    on.wait();
    CHECK(emulation::cufile::alive().buffers == 0);
  });
}

TEST_CASE("cuFile: a driver that somebody else has opened is used, and stays open") {
  TemporaryFolder folder;
  emulation::cufile::set({.opens_once = true});
  under_seeds(1, [&] {
    DeviceQueue on{HostQueue{1}};
    on.wait();
    cuFileSetParameterBool(CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE, false);
    REQUIRE(cuFileDriverOpen().err == CU_FILE_SUCCESS);
    {
      Direct const store{path_of(folder), options()};
      put(store, "k", "some bytes", on);
      CHECK(value(store, "k", on) == "some bytes");
      CHECK(shown(store.transfer_path()) == "direct: 1 reads of 10, 1 writes of 10");
    }
    on.trim();
    CHECK(emulation::cufile::alive().opened == 1);
    cuFileDriverClose_v2();
  });
}

TEST_CASE("cuFile: the kernel's own transfers do, where its module is not") {
  TemporaryFolder folder;
  on_machine({.nvidia_fs = false, .peer_to_peer = true}, 1, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "k", "some bytes", on);
    CHECK(shown(store.transfer_path()) == "direct: 0 reads of 0, 1 writes of 10");
  });
}

TEST_CASE("cuFile: what moves nothing more goes through page-locked memory") {
  TemporaryFolder folder;
  auto const large = long_text(300'000);
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "k", large, on);
    emulation::cufile::shorten(0, 0);
    CHECK((value(store, "k", on) == large));
    emulation::cufile::shorten_nothing();
    CHECK(shown(store.transfer_path()) ==
          "direct: 0 reads of 0, 1 writes of 300000; pinned (cuFile ended a request "
          "with 0, status 16): 1 reads of 300000, 0 writes of 0");
    auto must = options();
    must.must = true;
    emulation::cufile::shorten(0, 0);
    DeviceBuffer memory(large.size(), on);
    Key const key{"k"};
    Place const place{memory.span()};
    ReadRequest<space::Device> request{&key, {}, place};
    auto const read = [&] { get_many(Direct{path_of(folder), must}, std::span{&request, 1}, on); };
    check_refused<StoreError>(
        read, {path_of(folder).c_str(), "key \"k\"", "cannot be read directly: cuFile ended a request"});
    emulation::cufile::shorten_nothing();
  });
}

TEST_CASE("cuFile: the k-th of its calls fails: values are right, by the other way, which is told") {
  TemporaryFolder folder;
  auto const large = long_text(2'500'000), other = long_text(2'500'000, 7);
  std::size_t failures = 0;
  on_machine({}, 2, [&] {
    for (std::size_t k = 0;; ++k) {
      CAPTURE(k);
      bool has_failed = false;
      {
        emulation::cufile::fail(k);
        emulation::cufile::forget_calls();
        DeviceQueue on{HostQueue{1}};
        Direct const store{path_of(folder), options()};
        put(store, "k", large, on);
        CHECK((value(store, "k", on) == large));
        put(store, "k", other, on);
        CHECK((value(store, "k", on) == other));
        has_failed = emulation::cufile::has_failed();
        CAPTURE(emulation::cufile::failed_call());
        emulation::cufile::fail_nothing();
        auto const is_of_batch = [](std::string const& call) { return call.starts_with("cuFileBatchIO"); };
        if (has_failed && is_of_batch(emulation::cufile::failed_call()))
          CHECK(count("cuFileBatchIOCancel") == (emulation::cufile::failed_call() != "cuFileBatchIOSetUp"));
        bool const is_harmless = emulation::cufile::failed_call() == "cuFileDriverClose";
        if (has_failed && !is_harmless) {
          bool is_told = false;
          for (auto const& one : store.transfer_path()) is_told |= one.path == TransferPath::pinned;
          CHECK(is_told);
        }
        CHECK((value(store.host_side(), "k", on) == other));
      }
      if (!has_failed) break;
      ++failures;
    }
  });
  CHECK(failures > 2 * 8);
}

TEST_CASE("cuFile: a write of more than a block fails in any of its blocks, and the value is right") {
  TemporaryFolder folder;
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "k", "some bytes", on);
    for (std::size_t k = 0; k < 16; ++k) {
      CAPTURE(k);
      auto const text = long_text(block + 5000, static_cast<std::uint32_t>(k));
      emulation::cufile::fail(k);
      put(store, "k", text, on);
      emulation::cufile::fail_nothing();
      CHECK((value(store.host_side(), "k", on) == text));
    }
  });
}

TEST_CASE("cuFile: the k-th call of the runtime fails: an error, or values that are right; nothing is left") {
  TemporaryFolder folder;
  auto const large = long_text(1'500'000);
  LocalStore<HostBuffer>{path_of(folder)}.write({"k"}, test::host_bytes(large), *std::make_unique<HostQueue>());
  std::size_t failures = 0;
  emulation::cufile::set({});
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    bool has_failed = false;
    emulation::seed(k % 16);
    {
      DeviceQueue on{HostQueue{1}};
      Direct const store{path_of(folder), options()};
      emulation::fail(k);
      try {
        auto const found = get_value(store, {"k"}, on);
        emulation::fail_nothing();
        has_failed = emulation::has_failed();
        REQUIRE(found);
        if (!has_failed) CHECK((test::text(found->view(), on) == large));
        store.write({"new"}, found->view(), on);
      } catch (DeviceError const& error) {
        CHECK(std::string_view{error.what()}.find("cuda") != std::string_view::npos);
        has_failed = true;
      } catch (StoreError const& error) {
        CHECK_FALSE(error.key().empty());
        has_failed = true;
      }
      emulation::fail_nothing();
      emulation::run_all();
      CHECK((value(store, "k", on) == large));  // the next operation works
    }
    test::check_nothing_left();
    CHECK(emulation::cufile::alive().buffers == 0);
    CHECK(emulation::cufile::alive().opened == 0);
    if (!has_failed) break;
    ++failures;
  }
  CHECK(failures >= 6);
}

TEST_CASE("cuFile: where it is not there, or would copy by the host, values go through page-locked memory, and why") {
  TemporaryFolder folder;
  auto const check_why = [&](Machine const& machine, DirectOptions options, std::string const& why) {
    CAPTURE(why);
    on_machine(machine, 2, [&] {
      DeviceQueue on{HostQueue{1}};
      {
        Direct const store{path_of(folder), options};
        put(store, "k", "some bytes", on);
        CHECK(value(store, "k", on) == "some bytes");
        auto const told = store.transfer_path();
        REQUIRE(told.size() == 1);
        MESSAGE(shown(told));
        CHECK(told[0].path == TransferPath::pinned);
        CHECK(told[0].why.find(why) != std::string::npos);
        CHECK(told[0].reads == 1);
        CHECK(told[0].written_bytes == 10);
      }
      options.must = true;
      Direct const store{path_of(folder), options};
      check_refused<StoreError>([&] { value(store, "k", on); },
                                {path_of(folder).c_str(), "key \"k\"", "cannot ", " directly: ", why.c_str()});
      check_refused<StoreError>([&] { put(store, "new", "value", on); },
                                {path_of(folder).c_str(), "key \"new\"", "directly: ", why.c_str()});
      CHECK(value(store, "new", on) == "(missing)");
      options.must = false;
    });
  };
  check_why({}, {.least = 1, .cufile = {.library = "libnobody_has_this.so.0", .modules = ""}},
            "cannot load cuFile: libnobody_has_this.so.0");
  check_why({}, {.least = 1, .cufile = {.library = "libdl.so.2", .modules = ""}},
            "cuFile is too old: it lacks cuFile");
  check_why({}, {.least = 1, .cufile = {.modules = "/nobody/made/this"}}, "cannot read /nobody/made/this");
  check_why({.nvidia_fs = false}, options(), "cuFileDriverOpen: ");
  check_why({.nvidia_fs = false, .opens_without = true}, options(), "the kernel has neither nvidia-fs nor ");
  check_why({.has_parameters = false}, options(), "cuFile's driver is in compatibility mode");
  check_why({.direct_files = false}, options(), "cuFileHandleRegister: ");
  check_why({.registers = false}, options(), "cuFileBufRegister: ");
  check_why({.most_at_once = 0}, options(), "cuFile does not support batches here");
}

TEST_CASE("cuFile: a batch of values is one of cuFile's; files, memory and batches are kept") {
  TemporaryFolder folder;
  constexpr std::size_t files = 20, size = 10'000;
  on_machine({}, 8, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    std::vector<Key> keys;
    for (std::size_t i = 0; i < files; ++i) keys.push_back({std::to_string(i)});
    for (std::size_t i = 0; i < files; ++i)
      put(store, keys[i].path, long_text(size, static_cast<std::uint32_t>(i)), on);
    DeviceBuffer memory(files * size, on);
    std::vector<Place> places;
    for (std::size_t i = 0; i < files; ++i) places.push_back({memory.span().sub(i * size, size)});
    std::vector<ReadRequest<space::Device>> requests;
    for (std::size_t i = 0; i < files; ++i) requests.push_back({&keys[i], {}, places[i], {}, memory.span()});
    get_many(store, std::span{requests}, on);
    on.wait();
    emulation::cufile::forget_calls();
    emulation::Watch const watch;
    get_many(store, std::span{requests}, on);
    CHECK(count("cuFileBatchIOSubmit") == 1);
    CHECK(count("cuFileBatchIOGetStatus") == 1);
    CHECK(count("request") == files);
    for (auto const* name : {"cuFileDriverOpen", "cuFileHandleRegister", "cuFileBufRegister", "cuFileBatchIOSetUp"})
      CHECK(count(name) == 0);
    CHECK(watch.copies(cudaMemcpyDeviceToDevice) == files);
    CHECK(watch.copies(cudaMemcpyHostToDevice) == 0);
    CHECK(watch.synchronisations() == 0);
    CHECK(watch.count("cudaMalloc") == 0);
    for (std::size_t i = 0; i < files; ++i)
      CHECK((test::text(memory.view().sub(i * size, size), on) == long_text(size, static_cast<std::uint32_t>(i))));
  });
}

// Values of all sizes, from the one with that number on, and a function that writes them at once.
struct Values {
  explicit Values(std::size_t count, std::uint32_t first, DeviceQueue& on) {
    for (std::size_t i = 0; i < count; ++i) {
      keys.push_back({to_text({"folder/", i})});
      texts.push_back(long_text(1 + i * 2500, static_cast<std::uint32_t>(first + i)));
      buffers.push_back(test::made<DeviceBuffer>(texts.back(), on));
    }
  }
  void write(Direct const& store, DeviceQueue& on) const {
    std::vector<WriteRequest<space::Device>> requests;
    for (std::size_t i = 0; i < keys.size(); ++i) requests.push_back({&keys[i], buffers[i].view()});
    write_many(store, std::span{std::as_const(requests)}, on);
  }
  bool are_in(LocalStore<HostBuffer> const& files, DeviceQueue& on) const {
    bool same = true;
    for (std::size_t i = 0; i < keys.size(); ++i) same = same && value(files, keys[i].path, on) == texts[i];
    return same;
  }

  std::vector<Key> keys;
  std::vector<std::string> texts;
  std::vector<DeviceBuffer> buffers;
};

TEST_CASE("cuFile: values that are written at once are one batch of cuFile's, and the stream is waited for once") {
  TemporaryFolder folder;
  on_machine({}, 8, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    Values const some{20, 1, on};
    some.write(store, on);
    on.wait();
    emulation::cufile::forget_calls();
    {
      emulation::Watch const watch;
      some.write(store, on);
      CHECK(count("cuFileBatchIOSubmit") == 1);
      CHECK(count("request") == 20);
      CHECK(watch.copies(cudaMemcpyDeviceToDevice) == 20);
      CHECK(watch.count("cudaEventSynchronize") == 1);
      CHECK(count("cuFileBufRegister") == 0);
    }
    CHECK(some.are_in(store.host_side(), on));
    CHECK(store.transfer_path().size() == 1);
    CHECK(store.transfer_path()[0].writes == 40);

    // More than are open at once, including values that are too small and too large for a batch.
    Direct const picky{path_of(folder), options(5000)};
    Values many{3 * cufile::Writes::most, 2, on};
    many.texts[100] = long_text(block + 5);
    many.buffers[100] = test::made<DeviceBuffer>(many.texts[100], on);
    many.texts[50] = "small";
    many.buffers[50] = test::made<DeviceBuffer>(many.texts[50], on);
    many.write(picky, on);
    CHECK(many.are_in(store.host_side(), on));
    auto const told = picky.transfer_path();
    REQUIRE(told.size() == 2);
    CHECK(told[0].writes == 3);
    CHECK(told[1].writes == many.keys.size() - 3);

    Values small{0, 0, on};
    for (std::size_t i = 0; i < 3 * cufile::Writes::most; ++i) {
      small.keys.push_back({to_text({"small/", i})}), small.texts.push_back(to_text({"value ", i}));
      small.buffers.push_back(test::made<DeviceBuffer>(small.texts.back(), on));
    }
    emulation::cufile::forget_calls();
    small.write(store, on);
    CHECK(count("cuFileBatchIOSubmit") == 3);
    CHECK(small.are_in(store.host_side(), on));
  });
}

TEST_CASE(
    "cuFile: a batch of values is written, comes short, or fails: all of them are right, and none is half there") {
  TemporaryFolder folder;
  std::size_t failures = 0;
  on_machine({}, 2, [&] {
    for (std::size_t const bytes : {std::size_t{4096}, std::size_t{9000}}) {
      DeviceQueue on{HostQueue{1}};
      Direct const store{path_of(folder), options()};
      Values const some{9, 3, on};
      emulation::cufile::shorten(2, bytes);
      some.write(store, on);
      emulation::cufile::shorten_nothing();
      CHECK(some.are_in(store.host_side(), on));
      CHECK(store.transfer_path().size() == 1);
    }
    for (std::size_t k = 0;; ++k) {
      CAPTURE(k);
      DeviceQueue on{HostQueue{1}};
      Direct const store{path_of(folder), options()};
      Values const some{7, static_cast<std::uint32_t>(k), on};
      emulation::cufile::fail(k);
      some.write(store, on);
      bool const has_failed = emulation::cufile::has_failed();
      emulation::cufile::fail_nothing();
      CHECK(some.are_in(store.host_side(), on));
      some.write(store, on);  // the failed write leaves nothing
      CHECK(some.are_in(store.host_side(), on));
      if (!has_failed) break;
      ++failures;
    }
    // If it must be direct, nothing is written that cannot be.
    DeviceQueue on{HostQueue{1}};
    auto must = options();
    must.must = true;
    Direct const store{path_of(folder), must};
    Values const before{7, 50, on}, after{7, 60, on};
    before.write(store, on);
    for (std::size_t k = 8; k < 12; ++k) {
      emulation::cufile::fail(k);
      test::check_refused<StoreError>([&] { after.write(store, on); },
                                      {"the value cannot be transferred directly", "key \"folder/"});
      emulation::cufile::fail_nothing();
      CHECK(before.are_in(store.host_side(), on));
    }
  });
  CHECK(failures > 2 * 20);
}

TEST_CASE("cuFile: a store for each GPU, which refuses queues of others") {
  TemporaryFolder folder;
  emulation::cufile::set({});
  under_seeds(4, [&] {
    emulation::set({.devices = 2});
    {
      std::vector<DeviceQueue> queues;
      for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        queues.emplace_back(HostQueue{1});
      }
      cudaSetDevice(0);
      auto const large = long_text(100'000);
      for (std::size_t device = 0; device < 2; ++device) {
        auto own = options();
        own.device = static_cast<int>(device);
        Direct const store{path_of(folder), own};
        auto& on = queues[device];
        auto& other = queues[1 - device];
        put(store, "k", large, on);
        CHECK((value(store, "k", on) == large));
        auto const where = to_text({"the store is for device ", device, ", but the queue is for device ", 1 - device});
        check_refused<StoreError>([&] { value(store, "k", other); }, {path_of(folder).c_str(), where.c_str()});
        check_refused<StoreError>([&] { put(store, "k", "1", other); }, {where.c_str()});
        check_refused<StoreError>([&] { store.append({"k"}, {}, large.size(), other); }, {where.c_str()});
        CHECK(store.transfer_path().size() == 1);
        CHECK((value(Direct{path_of(folder), options()}, "k", other) == large));  // of any GPU
      }
    }
    emulation::set({});
    CHECK(emulation::cufile::alive().buffers == 0);
  });
}

TEST_CASE("cuFile: ranges of a file that follow each other are one request and one copy") {
  TemporaryFolder folder;
  auto const large = long_text(64 * 5000);
  on_machine({}, 4, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "k", large, on);
    DeviceBuffer memory(large.size(), on);
    Key const key{"k"};
    std::vector<Place> places;
    for (std::size_t i = 0; i < 64; ++i) places.push_back({memory.span().sub(i * 5000, 5000)});
    std::vector<ReadRequest<space::Device>> requests;
    for (std::size_t i = 0; i < 64; ++i) requests.push_back({&key, {i * 5000, 5000}, places[i], {}, memory.span()});
    on.wait();
    emulation::cufile::forget_calls();
    emulation::Watch const watch;
    get_many(store, std::span{requests}, on);
    CHECK(count("request") == 1);
    CHECK(watch.copies(cudaMemcpyDeviceToDevice) == 1);
    CHECK((test::text(memory.view(), on) == large));
    CHECK(store.transfer_path()[0].reads == 64);
  });
}

TEST_CASE("cuFile: ranges that overlap or change places are right, and those of one allocation alone share a copy") {
  TemporaryFolder folder;
  auto const large = long_text(16'000);
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options(5000)};  // which all ranges together are not
    put(store, "k", large, on);
    DeviceBuffer memory(16'000, on);
    auto const part = [&](std::size_t at, std::size_t size) { return memory.span().sub(at, size); };
    struct Range {
      ByteRange from;
      ByteSpan<space::Device> to, slab;
    };
    auto const check = [&](std::size_t copies, std::vector<Range> const& ranges) {
      Key const key{"k"};
      std::vector<Place> places;
      for (auto const& range : ranges) places.push_back({range.to});
      std::vector<ReadRequest<space::Device>> requests;
      for (std::size_t i = 0; i < ranges.size(); ++i)
        requests.push_back({&key, ranges[i].from, places[i], {}, ranges[i].slab});
      emulation::Watch const watch;
      get_many(store, std::span{requests}, on);
      CHECK(watch.copies(cudaMemcpyDeviceToDevice) == copies);
      for (auto const& [from, to, slab] : ranges)
        CHECK((test::text<space::Device>(to, on) == large.substr(from.offset, from.size)));
    };
    check(3, {{{0, 8000}, part(4000, 8000), part(0, 16'000)},
              {{100, 50}, part(0, 50), part(0, 16'000)},
              {{8000, 2000}, part(12'000, 2000), part(0, 16'000)}});
    check(2, {{{0, 8000}, part(4000, 8000), part(0, 16'000)}, {{100, 50}, part(0, 50), part(0, 16'000)}});
    emulation::cufile::forget_calls();
    check(2, {{{0, 3000}, part(0, 3000), {}}, {{7000, 3000}, part(3000, 3000), {}}});
    CHECK(count("request") == 1);  // parts of a page are read with them
    CHECK(shown(store.transfer_path()) == "direct: 7 reads of 24100, 1 writes of 16000");
    check(2, {{{0, 3000}, part(3000, 3000), part(0, 16'000)}, {{3000, 3000}, part(0, 3000), part(0, 16'000)}});
    check(1, {{{0, 3000}, part(0, 3000), part(0, 6000)}, {{3000, 3000}, part(3000, 3000), part(0, 6000)}});
    check(2, {{{0, 3000}, part(0, 3000), part(0, 3000)}, {{3000, 3000}, part(3000, 3000), part(3000, 3000)}});
    check(2, {{{0, 3000}, part(0, 3000), part(0, 3000)}, {{3000, 3000}, part(3000, 3000), part(0, 3000)}});
    check(2, {{{0, 3000}, part(0, 3000), {}}, {{3000, 3000}, part(3000, 3000), {}}});
  });
}

TEST_CASE("cuFile: nothing is read into a block that the stream still copies from") {
  TemporaryFolder folder;
  auto const one = long_text(10'000), other = long_text(10'000, 7);
  on_machine({}, 16, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "one", one, on), put(store, "other", other, on);
    auto const first = get_value(store, {"one"}, on), second = get_value(store, {"other"}, on);
    CHECK((test::text(first->view(), on) == one));
    CHECK((test::text(second->view(), on) == other));
  });
}

TEST_CASE("cuFile: a batch that fails leaves nothing for the next one, and counts once") {
  TemporaryFolder folder;
  Key const keys[] = {{"one"}, {"other"}};
  auto const read_both = [&](Direct const& store, DeviceQueue& on) {
    DeviceBuffer memory(20'000, on);
    Place const places[] = {{memory.span().sub(0, 10'000)}, {memory.span().sub(10'000, 10'000)}};
    ReadRequest<space::Device> requests[] = {{&keys[0], {}, places[0]}, {&keys[1], {}, places[1]}};
    get_many(store, std::span{requests}, on);
    CHECK((test::text(memory.view(), on) == long_text(10'000, 1) + long_text(10'000, 2)));
  };
  on_machine({}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "one", long_text(10'000, 1), on), put(store, "other", long_text(10'000, 2), on);
    emulation::cufile::shorten(0, 0);
    read_both(store, on);
    emulation::cufile::shorten_nothing();
    emulation::cufile::forget_calls();
    CHECK((value(store, "one", on) == long_text(10'000, 1)));
    CHECK(count("request") == 1);
  });
  on_machine({.registers = false}, 2, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    read_both(store, on);
    auto const told = store.transfer_path();
    REQUIRE(told.size() == 1);
    CHECK(told[0].path == TransferPath::pinned);
    CHECK(told[0].reads == 2);
    auto must = options(20'000);
    must.must = true;
    read_both(Direct{path_of(folder), must}, on);  // small values need not be direct
  });
}

TEST_CASE("cuFile: a file that is replaced is another one, and a watched one stays") {
  TemporaryFolder folder;
  on_machine({}, 4, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    put(store, "k", long_text(10'000, 1), on);
    CHECK((value(store, "k", on) == long_text(10'000, 1)));
    auto const watch = store.watch({"k"});
    put(store.host_side(), "k", long_text(20'000, 2), on);
    CHECK((value(store, "k", on) == long_text(20'000, 2)));
    DeviceBuffer memory(10'000, on);
    Key const key{"k"};
    Place const place{memory.span()};
    ReadRequest<space::Device> request{&key, {}, place};
    request.watch = &watch;
    get_many(store, std::span{&request, 1}, on);
    CHECK(request.is_of_watch);
    CHECK((test::text(memory.view(), on) == long_text(10'000, 1)));
    auto const* const mutex = store.lock(key).mutex();
    CHECK(store.host_side().lock(key).mutex() == mutex);
    CHECK(store.erase(key, on));
    CHECK(value(store, "k", on) == "(missing)");
  });
}

TEST_CASE("cuFile: more files than stay open") {
  TemporaryFolder folder;
  on_machine({}, 1, [&] {
    DeviceQueue on{HostQueue{2}};
    Direct const store{path_of(folder), options()};
    for (std::size_t i = 0; i < 3 * cufile::Files::most; ++i) put(store, std::to_string(i), std::to_string(i), on);
    for (std::size_t i = 0; i < 3 * cufile::Files::most; ++i) {
      CHECK(value(store, std::to_string(i), on) == std::to_string(i));
      CHECK(emulation::cufile::alive().files <= cufile::Files::most);
    }
  });
}

TEST_CASE("cuFile: files that were used last stay open, and those that have no name any more do not") {
  TemporaryFolder folder;
  on_machine({}, 1, [&] {
    DeviceQueue on{HostQueue{1}};
    Direct const store{path_of(folder), options()};
    auto const write = [&](std::string const& key, std::string_view text) { put(store.host_side(), key, text, on); };
    write("a", "one"), write("b", "other");
    (void)value(store, "a", on), (void)value(store, "b", on);
    CHECK(emulation::cufile::alive().files == 2);
    write("a", "another");
    CHECK(value(store, "a", on) == "another");
    CHECK(emulation::cufile::alive().files == 2);
    emulation::cufile::forget_calls();
    for (std::size_t i = 0; i < 2 * cufile::Files::most; ++i) {
      write(std::to_string(i), "some bytes");
      (void)value(store, std::to_string(i), on), (void)value(store, "a", on);
    }
    CHECK(count("cuFileHandleRegister") == 2 * cufile::Files::most);
  });
}

TEST_CASE("cuFile: shards of elements as they are, and chunks that a device's codec decodes") {
  TemporaryFolder folder;
  std::vector<std::uint32_t> values(64 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * 2654435761u);
  on_machine({}, 8, [&] {
    LocalStore<HostBuffer> const host{path_of(folder)};
    using Sharded = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>>;
    using Compressed = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
    codec::Sharding<Pipeline<space::Host, codec::Bytes>> shard;
    shard.chunk_shape = {8, 8};
    create_array<std::uint32_t, 2>(host, "raw", {.shape = {64, 64}, .chunks = {32, 32}, .overwrite = true},
                                   Sharded{shard})
        .write(all, values);
    create_array<std::uint32_t, 2>(host, "zstd", {.shape = {64, 64}, .chunks = {32, 32}, .overwrite = true},
                                   Compressed{})
        .write(all, values);

    DeviceQueue on{HostQueue{2}};
    Direct const direct{path_of(folder), options()};
    SplitStore const store{host, direct};
    using Raw = Pipeline<space::Device, codec::Sharding<Pipeline<space::Device, codec::Bytes>>>;
    auto const raw = open_array<std::uint32_t, 2, Raw>(store, "raw", on);
    CHECK(test::on_host(raw.on(on).read(all), on) == values);
    auto const zstd =
        open_array<std::uint32_t, 2, Pipeline<space::Device, codec::Bytes, nvcomp::Trusted<nvcomp::Zstd>>>(store,
                                                                                                           "zstd", on);
    CHECK(test::on_host(zstd.on(on).read(all), on) == values);
    for (auto const& one : direct.transfer_path()) CHECK(one.path == TransferPath::direct);

    // A mini-batch of four files is one batch of cuFile's.
    on.wait();
    emulation::cufile::forget_calls();
    CHECK(test::on_host(zstd.on(on).read(all, {.mini_batch = 4}), on) == values);
    CHECK(count("cuFileBatchIOSubmit") == 1);
    CHECK(count("request") == 4);
  });
}

}  // namespace cufile_tests
