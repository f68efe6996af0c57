// How many functions call one another from Array::read to what does the work: the table in docs/design/pipeline.md.
// Compiled without optimisation, so that each function is a frame.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <execinfo.h>
#include <sys/types.h>

#include <doctest/doctest.h>

#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

#include <support/temporary_folder.hpp>

using namespace tessera;

namespace {

/// The frames of the calling function and of those that called it.
[[gnu::noinline]] std::size_t depth() {
  void* frames[128];
  return static_cast<std::size_t>(backtrace(frames, 128)) - 1;
}

std::size_t begin = 0;                      // the depth of the test
std::vector<std::size_t> preads, launches;  // each: how many frames lie below the test, its own among them

}  // namespace

// The linker redirects these calls here (--wrap).
extern "C" {
ssize_t __real_pread(int file, void* to, std::size_t count, off_t offset);
ssize_t __wrap_pread(int file, void* to, std::size_t count, off_t offset) {
  preads.push_back(depth() - begin);
  return __real_pread(file, to, count, offset);
}

cudaError_t __real_emulatedLaunch(void (*run)(void const*, std::uint64_t), void const*, std::size_t, std::uint64_t,
                                  cudaStream_t);
cudaError_t __wrap_emulatedLaunch(void (*run)(void const*, std::uint64_t), void const* function, std::size_t size,
                                  std::uint64_t blocks, cudaStream_t stream) {
  launches.push_back(depth() - begin);
  return __real_emulatedLaunch(run, function, size, blocks, stream);
}
}

namespace {

using Host = space::Host;
using OneChunk = Pipeline<Host, codec::Bytes, codec::Zstd>;
using InShard = Pipeline<Host, codec::Sharding<OneChunk>>;
Box const part{{0, 32}, {8, 24}};  // of the first chunk, whose other elements are between

template <class P>
void make(LocalStore<HostBuffer> const& store, P const& pipeline, std::uint64_t chunk) {
  std::vector<std::uint8_t> elements(std::size_t{64} * 64);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint8_t>(i * 7 / 3);
  create_array<std::uint8_t, 2>(store, "a", {.shape = {64, 64}, .chunks = {chunk, chunk}}, pipeline, Queue<Host>{1})
      .write(all, elements);
}

/// Where placer<space::Host> would be called.
struct CountedPlacer final : detail::AnyPlacer<Host> {
  std::vector<std::size_t> mutable placed{};
  std::uint64_t place(std::span<Placement<Host> const>, PlacementForm const&, Queue<Host>&) const override {
    placed.push_back(depth() - begin);
    return 0;
  }
  std::uint64_t place_listed(ListedBatch<Host> const&, PlacementForm const&, Queue<Host>&) const override { return 0; }
};

}  // namespace

TEST_CASE("a read of a chunk on the host: from Array::read to pread, and to what places elements") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "a"};
  make(store, OneChunk{}, 32);
  auto const array = open_array<std::uint8_t, 2, OneChunk>(store, "a", Queue<Host>{1});
  std::vector<std::uint8_t> elements(std::size_t{32} * 16);

  begin = depth(), preads.clear();
  array.read(part, elements);
  REQUIRE(preads.size() == 1);
  CHECK(preads[0] <= 17);
  CHECK(elements[17] == static_cast<std::uint8_t>((64 + 9) * 7 / 3));

  CountedPlacer placer;
  StridedSpan<Host> const to{reinterpret_cast<std::byte*>(elements.data()), {16, 1}, &placer, 1};
  begin = depth();
  array.untyped().read(part.resolve({64, 64}), to);
  REQUIRE(placer.placed.size() == 1);
  CHECK(placer.placed[0] <= 11);  // 3 of them below ReadBatch::run
}

TEST_CASE("a read of a chunk in a shard: the shard's index, then the chunk") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "a"};
  make(store, InShard{codec::Sharding<OneChunk>{{32, 32}}}, 64);
  auto const array = open_array<std::uint8_t, 2, InShard>(store, "a", Queue<Host>{1});
  std::vector<std::uint8_t> elements(std::size_t{32} * 16);

  begin = depth(), preads.clear();
  array.read(part, elements);
  REQUIRE(preads.size() == 2);
  CHECK(preads[0] <= 18);
  CHECK(preads[1] <= 17);
}

TEST_CASE("a read of a chunk into device memory: from Array::read to the launch of the kernel") {
  using ToDevice = Pipeline<space::Device, codec::Bytes, CastTo<Host>, codec::Zstd>;
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "a"};
  make(store, OneChunk{}, 32);
  Queue<space::Device> on{Queue<Host>{1}};
  auto const array = open_array<std::uint8_t, 2, ToDevice>(store, "a", on);
  DeviceBuffer memory(std::size_t{32} * 16, on);
  auto const to = ArrayView<std::uint8_t, 2, space::Device>::c_order(
      reinterpret_cast<std::uint8_t*>(memory.span().data), {32, 16});

  begin = depth(), launches.clear();
  auto pending = array.read(part, to);
  pending.wait();
  REQUIRE(launches.size() == 1);
  CHECK(launches[0] <= 16);  // 8 of them below ReadBatch::run
}
