// Every call of the CUDA runtime fails once, in every operation of every store: an error that names the call and the
// key, or a correct result; nothing lost, nothing left; and the next operation works.
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <device/device.hpp>

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::made, test::put, test::TemporaryFolder, test::text, test::value;

namespace {

std::string const old_value = test::long_text(3000, 1), new_value = test::long_text(5000, 2);

// The operations of a store. Each returns a check for a run without an exception, to be called when calls no longer
// fail.
template <class S>
struct Operation {
  using Check = std::function<bool(DeviceQueue&)>;
  char const* name;
  std::function<Check(S const&, buffer_of<S> const& new_value, queue_of<S>&)> run;
};
template <class S>
std::vector<Operation<S>> operations() {
  using B = buffer_of<S>;
  using Queue = queue_of<S>;
  using Check = typename Operation<S>::Check;
  auto const read = [](S const& s, char const* key, ByteRange range, Queue& on, std::string const& expected) -> Check {
    auto const found = std::make_shared<std::optional<B>>(get_value(s, {key}, on, range));
    return [=](DeviceQueue& queue) { return (*found ? text((*found)->view(), queue) : "(missing)") == expected; };
  };
  auto const always = [](DeviceQueue&) { return true; };
  return {
      {"read", [=](S const& s, B const&, Queue& on) { return read(s, "a/key", {}, on, old_value); }},
      {"read a range",
       [=](S const& s, B const&, Queue& on) {
         return read(s, "a/key", {100, 200}, on, old_value.substr(100, 200));
       }},
      {"read nothing", [=](S const& s, B const&, Queue& on) { return read(s, "a/missing", {}, on, "(missing)"); }},
      {"write", [=](S const& s, B const& b, Queue& on) { return s.write({"a/key"}, b.view(), on), Check{always}; }},
      {"write another",
       [=](S const& s, B const& b, Queue& on) { return s.write({"a/new"}, b.view(), on), Check{always}; }},
      {"erase",
       [](S const& s, B const&, Queue& on) -> Check {
         auto const was = s.erase({"a/key"}, on);
         return [was](DeviceQueue&) { return was; };
       }},
      {"size",
       [](S const& s, B const&, Queue& on) -> Check {
         auto const found = value_size(s, {"a/key"}, on);
         return [found](DeviceQueue&) { return found == old_value.size(); };
       }},
      {"read many",
       [](S const& s, B const&, Queue& on) -> Check {
         Key const key{"a/key"};
         auto const found = std::make_shared<std::pair<B, B>>();
         auto first = [&](std::size_t n) { return found->first = B(n, on), found->first.span(); };
         auto second = [&](std::size_t n) { return found->second = B(n, on), found->second.span(); };
         ReadRequest<space_of<S>> requests[] = {{&key, {0, 10}, first}, {&key, {20, 10}, second}};
         get_many(s, std::span{requests}, on);
         return [found](DeviceQueue& queue) {
           return text(found->first.view(), queue) == old_value.substr(0, 10) &&
                  text(found->second.view(), queue) == old_value.substr(20, 10);
         };
       }},
      {"write many",
       [](S const& s, B const& b, Queue& on) -> Check {
         Key const keys[] = {{"a/key"}, {"a/new"}};
         WriteRequest<space_of<S>> const requests[] = {{&keys[0], b.view()}, {&keys[1], b.view()}};
         write_many(s, std::span{requests}, on);
         return [&s](DeviceQueue& queue) {
           return value(s, "a/key", queue) == new_value && value(s, "a/new", queue) == new_value;
         };
       }},
      {"lend",
       [=](S const& s, B const&, Queue& on) -> Check {
         if constexpr (LendingStore<S>) {
           auto const lent = lend(s, Key{"a/key"}, {1}, on);
           return [lent](DeviceQueue& queue) { return text(lent->bytes, queue) == old_value.substr(1); };
         }
         return always;
       }},
  };
}

template <class S>
void check_faults(std::function<S(DeviceQueue const&)> make) {
  for (auto const& operation : operations<S>()) {
    std::string const name = operation.name;
    CAPTURE(name);
    for (std::size_t k = 0;; ++k) {
      CAPTURE(k);
      bool failed = false;
      {
        DeviceQueue on{test::HostQueue{}};
        auto const store = make(on);
        put(store, "a/key", old_value, on);
        auto const buffer = made<buffer_of<S>>(new_value, on);
        typename Operation<S>::Check check;
        emulation::fail(k);
        try {
          check = operation.run(store, buffer, queue_in<space_of<S>>(on));
        } catch (Error const& thrown) {
          std::string_view const what = thrown.what();
          CAPTURE(what);
          CHECK(emulation::has_failed());
          CHECK(what.find(emulation::failed_call()) != what.npos);
          CHECK(what.find("a/") != what.npos);
        }
        failed = emulation::has_failed();
        emulation::fail_nothing();
        if (check) CHECK(check(on));
        // The next operation works: the value is the old one or the new one, and whole.
        auto const now = value(store, "a/key", on);
        bool const known = now == old_value || now == new_value || (name == "erase" && now == "(missing)");
        CHECK(known);
        auto const other = value(store, "a/new", on);
        bool const whole = other == "(missing)" || other == new_value;
        CHECK(whole);
        put(store, "a/key", "afterwards", on);
        CHECK(value(store, "a/key", on) == "afterwards");
        CHECK(cudaGetLastError() == cudaSuccess);
      }
      test::check_nothing_left();
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
    check_faults<MemoryStore<B>>([](auto const&) { return MemoryStore<B>{}; });
    check_faults<LocalStore<B>>([&](auto const&) { return LocalStore<B>{next()}; });
    check_faults<CastStore<B, MemoryStore<HostBuffer>>>(
        [](auto const&) { return CastStore<B, MemoryStore<HostBuffer>>{{}}; });
    check_faults<AnyStore<B>>([&](auto const&) { return AnyStore<B>{PrefixStore{MemoryStore<B>{}, "x"}}; });
    check_faults<CastStore<HostBuffer, MemoryStore<B>>>([](auto const& on) { return host_side(MemoryStore<B>{}, on); });
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
    DeviceQueue on{test::HostQueue{}};
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
      get_value(files, {"large"}, on);
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
