// One store of device memory, and queues of two GPUs.
#include <device/arrays.hpp>
#include <device/two_devices.hpp>

#if defined(TESSERA_CUDA_EMULATION)  // if there are two

using namespace tessera;
using test::DeviceQueue, test::numbers_from, test::on_device, test::on_host, test::with_two_devices;

namespace {

Extents const shape{10, 12};
auto const elements = numbers_from(1.f, 120), others = numbers_from(500.f, 60);

template <class P>
void check_array(P const& pipeline, Extents const& chunk_shape) {
  with_two_devices(2, [&](DeviceQueue& first, DeviceQueue& second) {
    auto const store = test::in_device_memory();
    auto const array =
        create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunk_shape}, pipeline, first);
    array.write(all, on_device<float, 2>(elements, shape, first)).wait();
    auto const there = open_array<float, 2, P>(store, "a", second);
    CHECK(on_host(there.read(all), second) == elements);
    there.write({{0, 5}, all}, on_device<float, 2>(others, {5, 12}, second))
        .wait();  // and parts of chunks of the first
    auto expected = elements;
    std::copy_n(others.begin(), 60, expected.begin());
    CHECK(on_host(array.read(all), first) == expected);
    CHECK(on_host(there.read(all), second) == expected);
  });
}

}  // namespace

TEST_CASE("an array in the memory of one GPU is read and written by a queue of another") {
  check_array(test::OnDevice{}, {4, 5});
}
TEST_CASE("a sharded array in the memory of one GPU is read and written by a queue of another") {
  using Sharded = Pipeline<space::Device, codec::Sharding<test::OnDevice>>;
  check_array(Sharded{codec::Sharding<test::OnDevice>{{2, 3}}}, {4, 6});
}

TEST_CASE("a value of another GPU is lent as a copy, once, and one of the same GPU where it lies") {
  with_two_devices(2, [](DeviceQueue& first, DeviceQueue& second) {
    MemoryStore<DeviceBuffer> const store;
    test::put(store, "k", "value", first);
    for (auto* on : {&first, &second}) {
      emulation::Watch const watch;
      auto lent = lend(store, Key{"k"}, {1, 3}, *on);
      REQUIRE(lent);
      CHECK(watch.count("cudaMemcpyPeerAsync") == (on == &second ? 1 : 0));
      CHECK(watch.copies(cudaMemcpyDeviceToDevice) == (on == &second ? 1 : 0));
      cudaPointerAttributes where{};
      REQUIRE(cudaPointerGetAttributes(&where, lent->bytes.data) == cudaSuccess);
      CHECK(where.device == on->device());
      CHECK(test::text(lent->bytes, *on) == "alu");
      on->keep(std::move(lent->owner));
    }
  });
}

TEST_CASE("a value is read, appended to and replaced by queues of several GPUs") {
  with_two_devices(2, [](DeviceQueue& first, DeviceQueue& second) {
    MemoryStore<DeviceBuffer> const store;
    test::put(store, "k", "value", first);
    CHECK(test::value(store, "k", second, {2, 2}) == "lu");
    {
      auto const more = test::made<DeviceBuffer>("s of two", second);
      CHECK(store.append({"k"}, more.view(), 5, second));
    }
    CHECK(test::value(store, "k", first) == "values of two");
    test::put(store, "k", "another", second);
    CHECK(test::value(store, "k", first) == "another");
    for (std::size_t k = 0;; ++k) {  // each call fails once
      REQUIRE(k < 50);
      emulation::fail(k);
      try {
        lend(store, Key{"k"}, {}, first);
      } catch (DeviceError const&) {
      }
      bool const failed = emulation::has_failed();
      emulation::fail_nothing();
      CHECK(test::value(store, "k", first) == "another");
      if (!failed) break;
    }
  });
}

#endif
