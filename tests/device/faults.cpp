// Every call of the CUDA runtime fails once, in every operation of every store: an error that says which call and which
// key, or a result that is right all the same; nothing lost, nothing left; and the next operation works.
#include <functional>

#include <device/device.hpp>

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::made, test::put, test::TemporaryFolder, test::text, test::value;

namespace {

std::string const old_value = test::long_text(3000, 1), new_value = test::long_text(5000, 2);

// The operations of a store. Each returns what is to be right if it does not throw.
template <class S>
struct Operation {
  char const* name;
  std::function<bool(S const&, DeviceQueue&)> run;
};
template <class S>
std::vector<Operation<S>> operations() {
  return {
      {"read", [](S const& s, DeviceQueue& on) { return value(s, "a/key", on) == old_value; }},
      {"read a range",
       [](S const& s, DeviceQueue& on) {
         return value(s, "a/key", on, {100, 200}) == old_value.substr(100, 200);
       }},
      {"read nothing", [](S const& s, DeviceQueue& on) { return value(s, "missing", on) == "(missing)"; }},
      {"write", [](S const& s, DeviceQueue& on) { return put(s, "a/key", new_value, on), true; }},
      {"write another", [](S const& s, DeviceQueue& on) { return put(s, "a/new", new_value, on), true; }},
      {"erase", [](S const& s, DeviceQueue& on) { return s.erase({"a/key"}, queue_in<space_of<S>>(on)); }},
      {"size",
       [](S const& s, DeviceQueue& on) { return size(s, {"a/key"}, queue_in<space_of<S>>(on)) == old_value.size(); }},
      {"get_many",
       [](S const& s, DeviceQueue& on) {
         Key const key{"a/key"};
         buffer_of<S> buffers[2];
         auto room0 = [&](std::size_t n) {
           return buffers[0] = buffer_of<S>(n, queue_in<space_of<S>>(on)), buffers[0].span();
         };
         auto room1 = [&](std::size_t n) {
           return buffers[1] = buffer_of<S>(n, queue_in<space_of<S>>(on)), buffers[1].span();
         };
         ReadRequest<space_of<S>> requests[] = {{&key, {0, 10}, room0}, {&key, {20, 10}, room1}};
         get_many(s, std::span{requests}, queue_in<space_of<S>>(on));
         return text(buffers[0].view(), on) == old_value.substr(0, 10) &&
                text(buffers[1].view(), on) == old_value.substr(20, 10);
       }},
  };
}

template <class S>
void check_faults(std::function<S(DeviceQueue const&)> make, cudaError_t error) {
  for (auto const& operation : operations<S>()) {
    CAPTURE(operation.name);
    for (std::size_t k = 0;; ++k) {
      CAPTURE(k);
      bool failed = false;
      {
        DeviceQueue on;
        auto const store = make(on);
        put(store, "a/key", old_value, on);
        { auto const warm = on.lease<Scratch<space::Pinned>>(); }
        emulation::fail(k, error);
        bool threw = false;
        try {
          CHECK(operation.run(store, on));
        } catch (Error const& thrown) {
          std::string_view const what = thrown.what();
          CAPTURE(what);
          CHECK(emulation::has_failed());
          CHECK(what.find(emulation::failed_call()) != what.npos);
          threw = true;
        }
        failed = emulation::has_failed();
        emulation::fail(~std::size_t{0});
        // The next operation works: the value is the old one or the new one, and whole.
        auto const now = value(store, "a/key", on);
        CAPTURE(threw);
        bool const known =
            now == old_value || now == new_value || (std::string_view{operation.name} == "erase" && now == "(missing)");
        CHECK(known);
        auto const other = value(store, "a/new", on);
        bool const whole = other == "(missing)" || other == new_value;
        CHECK(whole);
        put(store, "a/key", "afterwards", on);
        CHECK(value(store, "a/key", on) == "afterwards");
        CHECK(cudaGetLastError() == cudaSuccess);
      }
      emulation::run_all();
      auto const left = emulation::alive();
      CHECK(left.allocations == 0);
      CHECK(left.page_locked == 0);
      CHECK(left.streams == 0);
      CHECK(left.events == 0);
      if (!failed) break;
      REQUIRE(k < 500);
    }
  }
}

template <class B>
void check_all_faults() {
  TemporaryFolder folder;
  int made = 0;
  auto const next = [&] { return folder / std::to_string(made++); };
  for (std::uint64_t const seed : {0u, 15u}) {
    emulation::seed(seed);
    check_faults<MemoryStore<B>>([](auto const&) { return MemoryStore<B>{}; }, cudaSuccess);
    check_faults<LocalStore<B>>([&](auto const&) { return LocalStore<B>{next()}; }, cudaSuccess);
    check_faults<CastStore<B, MemoryStore<HostBuffer>>>(
        [](auto const&) { return CastStore<B, MemoryStore<HostBuffer>>{{}}; }, cudaSuccess);
    check_faults<AnyStore<B>>(
        [&](auto const&) {
          return AnyStore<B>{PrefixStore{MemoryStore<B>{}, "x"}};
        },
        cudaSuccess);
    check_faults<CastStore<HostBuffer, MemoryStore<B>>>([](auto const& on) { return host_side(MemoryStore<B>{}, on); },
                                                        cudaSuccess);
  }
}

}  // namespace

TEST_CASE("the k-th call fails: stores of device buffers") { check_all_faults<DeviceBuffer>(); }
TEST_CASE("the k-th call fails: stores of pinned buffers") { check_all_faults<PinnedBuffer>(); }
TEST_CASE("the k-th call fails: stores of managed buffers") { check_all_faults<ManagedBuffer>(); }

TEST_CASE("without device memory nothing is half-written") {
  TemporaryFolder folder;
  emulation::set({.memory = std::size_t{1} << 20});
  {
    DeviceQueue on;
    MemoryStore<DeviceBuffer> const memory;
    put(memory, "a", std::string(300'000, 'x'), on);
    try {
      put(memory, "a", std::string(600'000, 'y'), on);
      FAIL_CHECK("there is no such memory");
    } catch (Error const& error) {
      std::string_view const what = error.what();
      CAPTURE(what);
      CHECK(what.find("600000 bytes") != what.npos);
      CHECK(what.find("are free") != what.npos);
    }
    CHECK((value(memory, "a", on) == std::string(300'000, 'x')));
    LocalStore<DeviceBuffer> const files{folder.path().string()};
    HostQueue host;
    host_side(files).write({"large"}, test::host_bytes(std::string(2'000'000, 'z')), host);
    try {
      get(files, {"large"}, on);
      FAIL_CHECK("there is no such memory");
    } catch (Error const& error) {
      std::string_view const what = error.what();
      CAPTURE(what);
      CHECK(what.find("key \"large\"") != what.npos);
      CHECK(what.find("cannot allocate 2000000 bytes of device memory") != what.npos);
    }
  }
  emulation::set({});
}
#endif
