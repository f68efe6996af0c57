// Values that a store lends: in the reader's order after they are written, and unchanged whatever happens to the key.
#include <device/device.hpp>
#include <support/refused.hpp>

using namespace tessera;
using test::DeviceQueue, test::long_text, test::made, test::put, test::text, test::under_seeds, test::value;

namespace {

template <class B>
void check_lending() {
  using Space = typename B::space_type;
  auto const old_value = long_text(70'000, 1), new_value = long_text(70'000, 2);
  under_seeds(16, [&] {
    DeviceQueue writer{test::HostQueue{}}, reader{test::HostQueue{}};
    DeviceBuffer to(70'000, reader);
    {
      MemoryStore<B> store;
      put(store, "a/k", old_value, writer);
      PrefixStore const part{SplitStore{MemoryStore<HostBuffer>{}, ReadOnlyStore{store}}, "a"};
      auto lent = lend(part, Key{"k"}, {1}, reader);  // not written yet, perhaps
      REQUIRE(lent);
      put(store, "a/k", new_value, writer);
      auto const other = lend(store, Key{"a/k"}, ByteRange::suffix(5), reader);
      REQUIRE(other);
      CHECK(store.erase({"a/k"}, writer));
      CHECK_FALSE(lend(part, Key{"k"}, {}, reader));
      crossing<space::Device, Space>::copy(lent->bytes, to.span().sub(0, lent->bytes.size), reader);
      reader.keep(std::move(lent->owner));
      lent.reset();
      CHECK(text(other->bytes, reader) == new_value.substr(69'995));
      put(store, "b", new_value, writer);  // in freed memory, if it is
    }
    CHECK((text(to.view().sub(0, 69'999), reader) == old_value.substr(1)));
    writer.wait();
  });
}

}  // namespace

TEST_CASE("what is lent stays, when its key is written or erased and its store is gone: device memory") {
  check_lending<DeviceBuffer>();
}
TEST_CASE("what is lent stays, when its key is written or erased and its store is gone: pinned memory") {
  check_lending<PinnedBuffer>();
}
TEST_CASE("what is lent stays, when its key is written or erased and its store is gone: managed memory") {
  check_lending<ManagedBuffer>();
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("lending copies, allocates and waits for nothing: the queue is held back") {
  emulation::seed(15);
  {
    DeviceQueue writer{test::HostQueue{}}, reader{test::HostQueue{}};
    MemoryStore<DeviceBuffer> const store;
    put(store, "k", "value", writer);
    emulation::Watch const watch;
    auto const lent = lend(store, Key{"k"}, {}, reader);
    REQUIRE(lent);
    CHECK(watch.count() == 1);
    CHECK(watch.count("cudaStreamWaitEvent") == 1);
    emulation::fail(0);
    test::check_refused<DeviceError>([&] { lend(store, Key{"k"}, {}, reader); },
                                     {"memory store", "key \"k\"", "cudaStreamWaitEvent"});
    emulation::fail_nothing();
    CHECK(text(lent->bytes, reader) == "value");
  }
  test::check_nothing_left();
}
#endif
