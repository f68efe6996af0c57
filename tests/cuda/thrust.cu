// Thrust's memory as memory of arrays. Compile time checks which types are accepted; the rest needs a GPU.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/universal_vector.h>

#include <support/brain.hpp>
#include <tessera/tessera.cuh>
#include <tessera/with/thrust.cuh>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace {

// The elements of an M are in Space, and have type T.
template <class M, class Space, class T>
constexpr bool is_seen = ContiguousMemory<M>&& std::is_same_v<typename contiguous_memory<M>::space, Space>&&
    std::is_same_v<decltype(contiguous_memory<M>::data(std::declval<M&>())), T*>;
static_assert(is_seen<thrust::device_vector<float>, space::Device, float>);
static_assert(is_seen<thrust::device_vector<float> const, space::Device, float const>);
static_assert(is_seen<thrust::device_vector<bool>, space::Device, bool>);
static_assert(is_seen<thrust::host_vector<float>, space::Host, float>);
static_assert(is_seen<thrust::host_vector<float> const, space::Host, float const>);
static_assert(is_seen<thrust::universal_vector<float>, space::Managed, float>);
static_assert(is_seen<thrust::universal_host_pinned_vector<float>, space::Pinned, float>);
static_assert(is_seen<std::ranges::subrange<thrust::device_ptr<float>>, space::Device, float>);
static_assert(is_seen<std::ranges::subrange<thrust::device_ptr<float const>>, space::Device, float const>);
static_assert(is_seen<std::ranges::subrange<thrust::device_vector<double>::iterator>, space::Device, double>);
static_assert(is_seen<std::vector<float>, space::Host, float>);
static_assert(!ContiguousMemory<thrust::device_ptr<float>>);  // which does not tell the number

// A range of pointers, which Thrust treats as host memory: like rmm::device_uvector, it may be anywhere.
struct Somewhere {
  float *first, *last;
  float* begin() const { return first; }
  float* end() const { return last; }
  float* data() const { return first; }
  std::size_t size() const { return static_cast<std::size_t>(last - first); }
};
static_assert(!ContiguousMemory<Somewhere> && !ContiguousMemory<Somewhere const>);

using OnDevice = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;

template <class Thrust>
std::vector<std::uint8_t> on_host(Thrust const& memory) {
  std::vector<std::uint8_t> result(memory.size());
  thrust::copy(memory.begin(), memory.end(), result.begin());
  return result;
}

}  // namespace

TEST_CASE_TEMPLATE("a volume is read into what Thrust calls a vector, and written out of it", V,
                   thrust::device_vector<std::uint8_t>, thrust::universal_vector<std::uint8_t>,
                   thrust::universal_host_pinned_vector<std::uint8_t>) {
  Queue<space::Device> on;
  auto const t1 = open_array<std::uint8_t, 3, OnDevice>(test::brain_store(), "t1", on);
  V volume(t1.size());
  t1.read(all, volume).wait();
  CHECK(on_host(volume) == test::t1_elements());

  MemoryStore<HostBuffer> const store;
  auto const copy =
      create_array<std::uint8_t, 3>(store, "copy", {.shape = t1.shape(), .chunks = {50, 60, 70}}, OnDevice{}, on);
  V const& same = volume;
  copy.write(all, same).wait();
  auto const host = open_array<std::uint8_t, 3, Codecs<codec::Bytes, codec::Zstd>>(store, "copy").read(all);
  CHECK(std::ranges::equal(host.elements(), test::t1_elements()));
}

TEST_CASE("a range of pointers is a part of a vector") {
  Queue<space::Device> on;
  auto const t1 = open_array<std::uint8_t, 3, OnDevice>(test::brain_store(), "t1", on);
  auto const plane = static_cast<std::ptrdiff_t>(t1.size() / t1.shape()[0]);
  thrust::device_vector<std::uint8_t> planes(static_cast<std::size_t>(3 * plane), 7);
  t1.read({{98, 99}, all, all}, std::ranges::subrange{planes.data() + plane, planes.data() + 2 * plane}).wait();
  auto const found = on_host(planes);
  auto const is_as_before = [](auto element) { return element == 7; };
  CHECK(std::all_of(found.begin(), found.begin() + plane, is_as_before));
  CHECK(std::equal(found.begin() + plane, found.begin() + 2 * plane, test::t1_elements().begin() + 98 * plane));
  CHECK(std::all_of(found.begin() + 2 * plane, found.end(), is_as_before));
}

TEST_CASE("a vector of another size is refused") {
  Queue<space::Device> on;
  auto const t1 = open_array<std::uint8_t, 3, OnDevice>(test::brain_store(), "t1", on);
  thrust::device_vector<std::uint8_t> volume(t1.size() - 1);
  CHECK_THROWS_WITH_AS(t1.read(all, volume).wait(), doctest::Contains("the memory holds"), SelectionError);
}

TEST_CASE("a vector of the host is memory of an array of the host") {
  auto const t1 = open_array<std::uint8_t, 3, Codecs<codec::Bytes, codec::Zstd>>(test::brain_store(), "t1");
  thrust::host_vector<std::uint8_t> volume(t1.size());
  t1.read(all, volume);
  CHECK(std::ranges::equal(volume, test::t1_elements()));
}
