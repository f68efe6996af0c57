// Buffers that a stream orders, and their memory resources.
#include <cstdlib>
#include <limits>
#include <memory_resource>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <device/device.hpp>
#include <support/refused.hpp>

namespace buffers_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::made, test::text, test::under_seeds;

TEST_CASE_TEMPLATE("a buffer is made, moved and freed in its queue's order", B, DeviceBuffer, PinnedBuffer,
                   ManagedBuffer) {
  under_seeds(16, [] {
    B outlives;
    {
      DeviceQueue on{test::HostQueue{}};
      CHECK(outlives.view().data == nullptr);
      CHECK(B(0, on).view().size == 0);
      auto first = made<B>("first", on);
      auto const* const at = first.view().data;
      CHECK(reinterpret_cast<std::uintptr_t>(at) % 256 == 0);
      auto second = std::move(first);
      CHECK(first.view().data == nullptr);
      CHECK(first.view().size == 0);
      CHECK(second.view().data == at);
      CHECK(text(second.view(), on) == "first");
      second = made<B>("second, longer", on);
      CHECK(text(second.view(), on) == "second, longer");
      outlives = std::move(second);
      for (int i = 0; i < 50; ++i) {  // memory is freed while copies from it may be running
        auto const word = test::long_text(300, static_cast<std::uint32_t>(i));
        auto const a = made<B>(word, on);
        B b(300, on);
        crossing<typename B::space_type, typename B::space_type>::copy(a.view(), b.span(), on);
        { auto const gone = made<B>(std::string(300, '!'), on); }
        CHECK(text(b.view(), on) == word);
      }
      on.wait();
    }
    CHECK(outlives.view().size == 14);
  });
}

TEST_CASE("page-locked and managed blocks are used again when the stream is done with them") {
  under_seeds(4, [] {
    DeviceQueue on{test::HostQueue{}};
    std::byte const* at = nullptr;
    {
      PinnedBuffer const buffer(1000, on);
      at = buffer.view().data;
    }
    on.wait();
    CHECK(PinnedBuffer(900, on).view().data == at);
    auto kept = made<DeviceBuffer>("abc", on);
    on.wait();
    {
      PinnedBuffer pinned(900, on);
      std::memcpy(pinned.span().data, "xyz", 3);
      crossing<space::Device, space::Pinned>::copy(pinned.view().sub(0, 3), kept.span(), on);
    }
    PinnedBuffer next(900, on);  // another block, or this one after its copy
    std::memset(next.span().data, '!', 900);
    CHECK(text(kept.view(), on) == "xyz");
  });
}

namespace {

// Counts, and forwards to a real resource. The four shapes of resources.
struct Counted {
  int made = 0, freed = 0;
  std::size_t alignment = 0;
  void* device(std::size_t n, std::size_t a, cudaStream_t stream) {
    void* p = nullptr;
    ++made, alignment = a;
    if (cudaMallocAsync(&p, n, stream) != cudaSuccess) throw std::bad_alloc{};
    return p;
  }
  void* locked(std::size_t n, std::size_t a) {
    void* p = nullptr;
    ++made, alignment = a;
    if (cudaMallocHost(&p, n) != cudaSuccess) throw std::bad_alloc{};
    return p;
  }
  void* plain(std::size_t n, std::size_t a) {
    void* p = nullptr;
    ++made, alignment = a;
    if (cudaMalloc(&p, n) != cudaSuccess) throw std::bad_alloc{};
    return p;
  }
};
// cuda::mr of CCCL 3.1 on, and RMM: `resource`.
struct OfStream : Counted {
  void* allocate(cudaStream_t s, std::size_t n, std::size_t a) { return device(n, a, s); }
  void deallocate(cudaStream_t s, void* p, std::size_t, std::size_t) noexcept { ++freed, cudaFreeAsync(p, s); }
  void* allocate_sync(std::size_t, std::size_t) { return nullptr; }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept {}
};
// cuda::mr of CCCL 3.0: `async_resource`.
struct Async : Counted {
  void* allocate(std::size_t, std::size_t) { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t) {}
  void* allocate_async(std::size_t n, std::size_t a, cudaStream_t s) { return device(n, a, s); }
  void deallocate_async(void* p, std::size_t, std::size_t, cudaStream_t s) { ++freed, cudaFreeAsync(p, s); }
};
struct Sync : Counted {
  void* allocate_sync(std::size_t n, std::size_t a) { return locked(n, a); }
  void deallocate_sync(void* p, std::size_t, std::size_t) noexcept { ++freed, cudaFreeHost(p); }
};
struct OfDevice : Counted {
  void* allocate(std::size_t n, std::size_t a) { return plain(n, a); }
  void deallocate(void* p, std::size_t, std::size_t) { ++freed, cudaFree(p); }
};
static_assert(CudaMemoryResource<OfStream> && CudaMemoryResource<Async> && CudaMemoryResource<Sync> &&
              CudaMemoryResource<OfDevice> && CudaMemoryResource<std::pmr::memory_resource> &&
              !CudaMemoryResource<int>);

template <class Exception>
struct Failing {
  Exception failure;
  void* allocate(std::size_t, std::size_t) { throw failure; }
  void deallocate(void*, std::size_t, std::size_t) {}
};

template <class B, class R>
void uses(R& resource, DeviceResources const& resources) {
  for (int round = 0; round < 2; ++round) {
    DeviceQueue on{HostQueue{}, resources};
    auto const buffer = made<B>("some bytes", on);
    CHECK(text(buffer.view(), on) == "some bytes");
    { auto const other = made<B>("others", on); }
    CHECK(text(made<B>("more", on).view(), on) == "more");
  }
  CHECK(resource.made >= 2);
  CHECK(resource.freed == resource.made);
  CHECK(resource.alignment == device_alignment);
}

}  // namespace

TEST_CASE("buffers are made of the caller's resources, whatever their shape") {
  under_seeds(16, [] {
    OfStream of_stream;
    uses<DeviceBuffer>(of_stream, {.device = of_stream});
    Async async;
    uses<DeviceBuffer>(async, {.device = async});
    OfDevice of_device;
    uses<DeviceBuffer>(of_device, {.device = of_device});
    Sync sync;
    uses<PinnedBuffer>(sync, {.pinned = sync});
  });
}

namespace {

// Like any_resource and resource_ref: a value without a name that keeps it. Its calls are counted elsewhere.
struct Temporary {
  Counted* counted;
  std::shared_ptr<int> alive;
  void* allocate(cudaStream_t s, std::size_t n, std::size_t a) { return counted->device(n, a, s); }
  void deallocate(cudaStream_t s, void* p, std::size_t, std::size_t) noexcept { ++counted->freed, cudaFreeAsync(p, s); }
};

}  // namespace

TEST_CASE("a resource that is a temporary lives as long as the buffers made of it") {
  under_seeds(4, [] {
    Counted counted;
    auto const alive = std::make_shared<int>(0);
    {
      DeviceBuffer last;
      {
        DeviceQueue on{HostQueue{}, {.device = Temporary{&counted, alive}}};
        CHECK(alive.use_count() > 1);
        last = made<DeviceBuffer>("some bytes", on);
        on.wait();
      }
      CHECK(alive.use_count() > 1);
    }
    CHECK(alive.use_count() == 1);
    CHECK(counted.made > 0);
    CHECK(counted.freed == counted.made);
  });
}

TEST_CASE("a resource without memory gives an error that says how much was asked for") {
  under_seeds(2, [] {
    Failing<std::bad_alloc> empty{};
    DeviceQueue on{HostQueue{}, {.device = empty, .pinned = empty, .managed = empty}};
    test::check_refused<OutOfMemory>([&] { DeviceBuffer(1234567, on); }, {"1245184", "memory resource"});
    test::check_refused<OutOfMemory>([&] { PinnedBuffer(100, on); }, {"memory resource"});
    test::check_refused<OutOfMemory>([&] { ManagedBuffer(100, on); }, {"memory resource"});
  });
}

TEST_CASE("what a resource throws is an error that says so") {
  under_seeds(2, [] {
    Failing<std::runtime_error> broken{std::runtime_error{"the pool is broken"}};
    DeviceQueue on{HostQueue{}, {.device = broken}};
    test::check_refused<Error>([&] { DeviceBuffer(100, on); }, {"memory resource: the pool is broken"});
  });
}

template <class B>
void check_that_too_much_is_refused() {
  under_seeds(2, [] {
    constexpr auto most = std::numeric_limits<std::size_t>::max();
    DeviceQueue on{test::HostQueue{}};
    for (auto const size : {most, most - 255, most - (std::size_t{1} << 16) + 1, most / 2})
      CHECK_THROWS_AS(B(size, on), DeviceError);
  });
}

TEST_CASE_TEMPLATE("no size is too large to be refused", B, DeviceBuffer, PinnedBuffer) {
  check_that_too_much_is_refused<B>();
}

#if defined(TESSERA_CUDA_EMULATION)  // a driver may accept more managed memory than exists, and hang
TEST_CASE("no size of managed memory is too large to be refused") { check_that_too_much_is_refused<ManagedBuffer>(); }
#endif

TEST_CASE("what a resource throws when it is given memory back is passed over") {
  under_seeds(2, [] {
    struct : OfDevice {
      void deallocate(void* p, std::size_t n, std::size_t a) {
        OfDevice::deallocate(p, n, a);
        throw std::runtime_error{"the pool is broken"};
      }
    } broken;
    {
      DeviceQueue on{HostQueue{}, {.device = broken}};
      DeviceBuffer(100, on);
    }
    CHECK(broken.freed == 1);
  });
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("resources are asked and given back on their device") {
  emulation::set({.devices = 2});
  under_seeds(2, [] {
    auto const check = [](auto resource) {
      REQUIRE(cudaSetDevice(1) == cudaSuccess);
      std::optional<DeviceQueue> on{std::in_place, HostQueue{}, DeviceResources{.device = resource}};
      REQUIRE(cudaSetDevice(0) == cudaSuccess);
      DeviceBuffer(100, *on);
      on.reset();
      CHECK(resource.where == std::vector<int>{1, 1});
    };
    struct Where {
      std::vector<int> where{};
      void note() {
        where.push_back(-1);
        cudaGetDevice(&where.back());
      }
    };
    struct Ordered : Where {
      void* allocate(cudaStream_t s, std::size_t n, std::size_t a) { return note(), OfStream{}.allocate(s, n, a); }
      void deallocate(cudaStream_t s, void* p, std::size_t, std::size_t) { note(), cudaFreeAsync(p, s); }
    };
    struct Plain : Where {
      void* allocate(std::size_t n, std::size_t a) { return note(), OfDevice{}.allocate(n, a); }
      void deallocate(void* p, std::size_t, std::size_t) { note(), cudaFree(p); }
    };
    check(Ordered{});
    check(Plain{});
  });
  emulation::set({});
}

TEST_CASE("memory that lies idle is not in the way of a buffer of another size") {
  emulation::set({.memory = std::size_t{1} << 20});
  under_seeds(4, [] {
    DeviceQueue on{test::HostQueue{}};
    { auto const large = made<ManagedBuffer>(std::string(1'000'000, 'a'), on); }
    CHECK(text(made<ManagedBuffer>(std::string(100'000, 'b'), on).view(), on) == std::string(100'000, 'b'));
  });
  emulation::set({});
}

TEST_CASE("without device memory the error says how much was asked for and how much was free") {
  emulation::set({.memory = std::size_t{1} << 20});
  under_seeds(4, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const some = made<DeviceBuffer>(std::string(1 << 19, 'a'), on);
    test::check_refused<OutOfMemory>([&] { DeviceBuffer(600'000, on); },
                                     {"cannot allocate 600000 bytes of device memory", "bytes are free",
                                      "cudaMallocFromPoolAsync", "cudaErrorMemoryAllocation"});
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(text(made<DeviceBuffer>("afterwards", on).view(), on) == "afterwards");
  });
  emulation::set({});
}

TEST_CASE_TEMPLATE("a buffer that outlives its context is no crash", B, DeviceBuffer, PinnedBuffer, ManagedBuffer) {
  under_seeds(4, [] {
    {
      DeviceQueue on{test::HostQueue{}};
      auto const buffer = made<B>("some bytes", on);
      on.keep(made<B>("kept", on));
      { auto const lent = on.lease<Scratch<space::Pinned>>(); }
      REQUIRE(cudaDeviceReset() == cudaSuccess);
    }
    DeviceQueue on{test::HostQueue{}};
    CHECK(text(made<B>("afterwards", on).view(), on) == "afterwards");
  });
}
#endif

}  // namespace buffers_tests
