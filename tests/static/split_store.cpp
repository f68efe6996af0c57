// Documents in host memory, chunks in device memory: opening an array makes no request to the device.
#include "sample.hpp"

using namespace sample;
using tessera::open_array, tessera::SplitStore;

using Split = SplitStore<HostStore, DeviceStore>;
static_assert(tessera::Store<Split, stub::DeviceBuffer>);
static_assert(std::is_same_v<std::remove_cvref_t<decltype(tessera::metadata_of(std::declval<Split&>()))>, HostStore>);

using OnDevice = tessera::Pipeline<space::Device, tessera::codec::Bytes, DeviceInvert>;
static_assert(OnDevice::crossings == 0);
static_assert(std::is_same_v<OnDevice::array_space, space::Device> &&
              std::is_same_v<OnDevice::bytes_space, space::Device>);
static_assert(std::is_same_v<OnDevice::queue_type, tessera::Queue<space::Device>>);

// A chunk store that has its own way of reading many values: the split store must not hide it.
struct Counting {
  using buffer_type = stub::DeviceBuffer;
  DeviceStore store;
  std::shared_ptr<int> batches = std::make_shared<int>(0);

  auto read(tessera::Key const& key, tessera::ByteRange range, tessera::Destination<space::Device> destination,
            tessera::Queue<space::Device>& on) const {
    return store.read(key, range, destination, on);
  }
  void get_many(std::span<tessera::ReadRequest<space::Device>> requests, tessera::Queue<space::Device>& on) const {
    ++*batches;
    tessera::get_many(store, requests, on);
  }
};

int main() {
  tessera::Queue<space::Device> on;
  HostStore documents, chunks;
  write_array(documents, chunks, "a", bytes_invert, HostPipeline{});
  Split const store{documents, upload<DeviceStore>(chunks, on)};
  on.wait();

  stub::counts.reset();
  auto const array = open_array<float, 2, OnDevice>(store, "a", on);
  check(stub::counts.copies == 0 && stub::counts.waits == 0 && stub::counts.allocations == 0 &&
            stub::counts.launches == 0,
        "opening asks nothing of the device");

  check(read_on_device(array, on) == elements(), "read into the caller's device memory");
  auto owned = array.read(tessera::all);
  static_assert(
      std::is_same_v<std::remove_cvref_t<decltype(owned.view())>, tessera::ArrayView<float, 2, space::Device>>);
  auto const* data = reinterpret_cast<std::byte const*>(owned.data());
  check(on_host<float>({data, owned.size() * sizeof(float)}, on) == elements(), "read into an array of its own");

  auto const again = [&] { array.read(tessera::all, owned.view(), {.mini_batch = 64}).wait(); };
  again();
  stub::counts.reset();
  again();
  check(stub::counts.allocations == 0, "the second read of a mini-batch allocates nothing");
  check(stub::counts.launches == 2, "a mini-batch is one launch of the codec and one that places");
  check(stub::counts.waits == 1, "and one wait, at the end");

  auto const any = open_array<float, 2, tessera::Codecs<tessera::codec::Bytes, Invert, DeviceInvert>>(store, "a", on);
  static_assert(std::is_same_v<decltype(any)::array_space, space::Device>);
  check(read_on_device(any, on) == elements(), "codecs chosen from a list: those that run on the device");

  Counting const counting{store.chunk_store()};
  check(read_on_device(open_array<float, 2, OnDevice>(SplitStore{documents, counting}, "a", on), on) == elements() &&
            *counting.batches > 0,
        "a chunk store's own get_many is used");
  return failed;
}
