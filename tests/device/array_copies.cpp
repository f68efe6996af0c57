// Arrays in device memory over files whose bytes are copied there directly: the copies, for any number of chunks.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <device/device.hpp>
#include <tessera/any_spaces.hpp>

using namespace tessera;
using test::DeviceQueue, test::TemporaryFolder, test::under_seeds;

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("a mini-batch of files crosses in one copy, be it of 4 chunks or of 100") {
  std::size_t const sides[] = {2, 10};
  for (auto const side : sides) {
    CAPTURE(side);
    TemporaryFolder folder;
    under_seeds(4, [&] {
      DeviceQueue on{test::HostQueue{}};
      auto const path = folder.path().string();
      SplitStore const store{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}};
      auto const n = 5 * side;
      using Stored = Pipeline<space::Device, codec::Bytes>;
      auto const array = create_array<std::uint16_t, 2>(
          store, "a", {.shape = {n, n}, .chunks = {5, 5}, .overwrite = true}, Stored{}, on);
      OwnedArray<std::uint16_t, 2, DeviceBuffer> elements{Extents{n, n}, on};
      std::vector<std::uint16_t> expected(n * n);
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::uint16_t>(i + 1);
      auto const bytes = expected.size() * sizeof(std::uint16_t);
      crossing<space::Device, space::Host>::copy({reinterpret_cast<std::byte const*>(expected.data()), bytes},
                                                 {reinterpret_cast<std::byte*>(elements.data()), bytes}, on);
      on.wait();
      WriteOptions const writing{.mini_batch = side * side};
      ReadOptions const reading{.mini_batch = side * side};
      auto const count = [&](cudaMemcpyKind kind, auto&& f) {
        f();  // the queue's cached memory is allocated
        emulation::Watch const watch;
        f();
        CHECK(watch.synchronisations() == 0);
        return watch.copies(kind);
      };
      CHECK(count(cudaMemcpyDeviceToHost, [&] { array.write(all, elements, writing).wait(); }) == 1);
      std::fill(expected.begin(), expected.end(), std::uint16_t{0});
      OwnedArray<std::uint16_t, 2, DeviceBuffer> found{Extents{n, n}, on};
      // The values, and the table of their destinations.
      CHECK(count(cudaMemcpyHostToDevice, [&] { array.read(all, found, reading).wait(); }) <= 2);
      crossing<space::Host, space::Device>::copy({reinterpret_cast<std::byte const*>(found.data()), bytes},
                                                 {reinterpret_cast<std::byte*>(expected.data()), bytes}, on);
      on.wait();
      bool right = true;
      for (std::size_t i = 0; i < expected.size(); ++i) right = right && expected[i] == i + 1;
      CHECK(right);
    });
  }
}

TEST_CASE("values in allocations of their own cross one by one, be they neighbours or not") {
  under_seeds(4, [] {
    DeviceQueue on{test::HostQueue{}};
    using Stored = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
    using Known = AnyPipeline<space::Host, space::Device, Codecs<codec::Bytes>>;
    auto const check = [&](auto const& pipeline) {
      using P = std::remove_cvref_t<decltype(pipeline)>;
      auto const form = pipeline.resolve({{8}, data_type_of<std::uint8_t>(), std::vector<std::byte>(1)});
      auto const values = test::made<DeviceBuffer>("first 8 bytes and", on);
      HostBuffer to{16};
      for (bool apart : {false, true}) {
        typename P::Decoding work;
        work.apart = apart;
        DecodeTask<space::Device, space::Host> tasks[] = {{values.view().sub(0, 8), to.span().sub(0, 8)},
                                                          {values.view().sub(8, 8), to.span().sub(8, 8)}};
        emulation::Watch const watch;
        pipeline.decode(form, std::span{tasks}, work, on);
        CHECK(watch.copies(cudaMemcpyDeviceToHost) == (apart ? 2 : 1));
        on.wait();
        CHECK(test::text(to.view(), on) == "first 8 bytes an");
      }
    };
    auto const known = Stored{};
    check(known);
    check(Known::from(known.specifications(ChunkSpecification{{8}, data_type_of<std::uint8_t>()})));
  });
}
#endif
