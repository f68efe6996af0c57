// CCCL's mdspans and memory resources, and Kokkos's mdspan over device memory, in use: on the emulated runtime, with
// the toolkit's own headers. No kernel is compiled, and no GPU is needed.
#include <cstdint>

#include <cuda_runtime_api.h>

#define TESSERA_CUDA_EMULATION 1  // as in the emulation's own header
extern "C" cudaError_t emulatedLaunch(void (*run)(void const* function, std::uint64_t block), void const* function,
                                      std::size_t size, std::uint64_t blocks, cudaStream_t stream);

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <new>
#include <vector>

#include <basix/mdspan.hpp>
#include <cuda/mdspan>
#include <cuda/memory_resource>

#include <tessera/tessera.cuh>
#include <tessera/with/cccl.cuh>

using namespace tessera;

namespace {

using Dynamic = cuda::std::dextents<int, 2>;
using Ints = std::vector<int>;

int failed = 0;
void check(bool is_right, char const* what) {
  if (is_right) return;
  ++failed;
  std::fprintf(stderr, "WRONG: %s\n", what);
}

/// Counts its allocations and frees: in device memory, as cuda::mr requires.
struct Counting {
  int* given;
  int* back;
  void* allocate_sync(std::size_t size, std::size_t = 256) const {
    void* memory = nullptr;
    if (cudaMalloc(&memory, size) != cudaSuccess) throw std::bad_alloc{};
    ++*given;
    return memory;
  }
  void deallocate_sync(void* memory, std::size_t, std::size_t = 256) const noexcept {
    static_cast<void>(cudaFree(memory));
    ++*back;
  }
  void* allocate(cuda::stream_ref, std::size_t size, std::size_t = 256) const { return allocate_sync(size); }
  void deallocate(cuda::stream_ref stream, void* memory, std::size_t size, std::size_t = 256) const noexcept {
    static_cast<void>(cudaStreamSynchronize(stream.get()));
    deallocate_sync(memory, size);
  }
  bool operator==(Counting const&) const = default;  // as cuda::mr requires
  [[maybe_unused]] friend void get_property(Counting const&, cuda::mr::device_accessible) noexcept {}
};
static_assert(cuda::mr::resource_with<Counting, cuda::mr::device_accessible>);

/// Six elements in memory of B.
template <class B>
class Memory {
 public:
  explicit Memory(Queue<space::Device>& on) : on_{on}, buffer_(6 * sizeof(int), on) {}
  int* data() { return reinterpret_cast<int*>(buffer_.span().data); }
  Ints elements() {
    Ints result(6);
    using Space = typename B::space_type;
    crossing<space::Host, Space>::copy(buffer_.view(), {reinterpret_cast<std::byte*>(result.data()), 6 * sizeof(int)},
                                       on_);
    on_.wait();
    return result;
  }

 private:
  Queue<space::Device>& on_;
  B buffer_;
};

Ints const in_order{1, 2, 3, 4, 5, 6}, by_columns{1, 4, 2, 5, 3, 6};

auto array_of(Ints const& elements, Queue<space::Device>& on) {
  using OfTheDevice = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
  auto array =
      create_array<int, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {2, 3}, .chunks = {2, 2}}, OfTheDevice{}, on);
  Memory<PinnedBuffer> from{on};
  std::copy(elements.begin(), elements.end(), from.data());
  array.write(all, ArrayView<int const, 2, space::Pinned>::c_order(from.data(), {2, 3})).wait();
  return array;
}

template <class B, class Left, class Right>
void check_views(char const* what, Left const& left, Right const& right) {
  Queue<space::Device> on{Queue<space::Host>{}};
  auto const array = array_of(in_order, on);
  Memory<B> memory{on};
  array.read(all, left(memory.data())).wait();
  check(memory.elements() == by_columns, what);
  array.write(all, right(memory.data())).wait();
  Memory<B> again{on};
  array.read(all, right(again.data())).wait();
  check(again.elements() == by_columns, what);
}

void check_resources() {
  int given = 0, back = 0;
  {
    cuda::mr::any_resource<cuda::mr::device_accessible> any{Counting{&given, &back}};
    Queue<space::Device> on{Queue<space::Host>{}, {.device = any}};
    auto const array = array_of(in_order, on);
    Memory<DeviceBuffer> memory{on};
    check(given > 0, "buffers are made of cuda::mr::any_resource");
    array.read(all, cuda::device_mdspan<int, Dynamic>{memory.data(), 2, 3}).wait();
    check(memory.elements() == in_order, "elements in memory of cuda::mr::any_resource");
    auto const before = given;
    Memory<DeviceBuffer> another{on};
    check(given == before + 1, "a buffer is one allocation of the resource");
  }
  check(given == back, "all is given back to cuda::mr::any_resource");
  given = back = 0;
  {
    Counting counting{&given, &back};
    cuda::mr::resource_ref<cuda::mr::device_accessible> reference{counting};
    Queue<space::Device> on{Queue<space::Host>{}, {.device = reference}};
    { Memory<DeviceBuffer> const memory{on}; }
    check(given == 1, "a buffer is made of cuda::mr::resource_ref");
  }
  check(given == back, "all is given back to cuda::mr::resource_ref");
}

}  // namespace

int main() {
  using cuda::std::layout_left;
  check_views<DeviceBuffer>(
      "cuda::device_mdspan",
      [](int* p) {
        return cuda::device_mdspan<int, Dynamic, layout_left>{p, 2, 3};
      },
      [](int* p) {
        return cuda::device_mdspan<int, Dynamic>{p, 2, 3};
      });
  check_views<ManagedBuffer>(
      "cuda::managed_mdspan",
      [](int* p) {
        return cuda::managed_mdspan<int, Dynamic, layout_left>{p, 2, 3};
      },
      [](int* p) {
        return cuda::managed_mdspan<int, Dynamic>{p, 2, 3};
      });
  check_views<DeviceBuffer>(
      "cuda::std::mdspan in device memory",
      [](int* p) {
        return array_view<space::Device>(cuda::std::mdspan<int, Dynamic, layout_left>{p, 2, 3});
      },
      [](int* p) {
        return array_view<space::Device>(cuda::std::mdspan<int, Dynamic>{p, 2, 3});
      });
  namespace md = MDSPAN_IMPL_STANDARD_NAMESPACE;
  using Extents2 = md::dextents<int, 2>;
  check_views<ManagedBuffer>(
      "Kokkos's mdspan in managed memory",
      [](int* p) {
        return array_view<space::Managed>(md::mdspan<int, Extents2, md::layout_left>{p, 2, 3});
      },
      [](int* p) {
        return array_view<space::Managed>(md::mdspan<int, Extents2>{p, 2, 3});
      });
  check_views<PinnedBuffer>(
      "Kokkos's mdspan in pinned memory",
      [](int* p) {
        return array_view<space::Pinned>(md::mdspan<int, Extents2, md::layout_left>{p, 2, 3});
      },
      [](int* p) {
        return array_view<space::Pinned>(md::mdspan<int, Extents2>{p, 2, 3});
      });
  check_resources();
  return failed;
}
