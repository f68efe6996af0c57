// Stores whose values are device memory: tessera's own, and a custom one of ten lines.
#include <map>
#include <memory>
#include <optional>

#include "sample.hpp"

using namespace sample;
using tessera::ByteRange, tessera::ByteSpan, tessera::ByteView, tessera::Key, tessera::Queue, tessera::Destination;

static_assert(tessera::AllocatableBuffer<stub::DeviceBuffer>);
static_assert(tessera::Store<DeviceStore> && tessera::Store<DeviceStore, stub::DeviceBuffer>);
static_assert(!tessera::Store<DeviceStore, Host> && !tessera::Store<HostStore, stub::DeviceBuffer>);
static_assert(std::is_same_v<tessera::queue_of<DeviceStore>, Queue<space::Device>>);

// A custom one.
struct Blocks {
  using buffer_type = stub::DeviceBuffer;
  std::shared_ptr<std::map<std::string, stub::DeviceBuffer>> values =
      std::make_shared<std::map<std::string, stub::DeviceBuffer>>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Device> destination,
                                  Queue<space::Device>& on) const {
    auto const at = values->find(key.path);
    if (at == values->end()) return std::nullopt;
    auto const [offset, size] = range.resolve(at->second.view().size);
    tessera::crossing<space::Device, space::Device>::copy(at->second.view().sub(offset, size), destination(size), on);
    return size;
  }
};
static_assert(tessera::ReadableStore<Blocks> && !tessera::WritableStore<Blocks>);

int device_bytes(tessera::Store<stub::DeviceBuffer> auto const&) { return 1; }

template <class S>
void reads(S const& store, Queue<space::Device>& on, char const* what) {
  auto const value = tessera::get_value(store, {"a"}, on);
  check(value && on_host<int>(value->view(), on) == std::vector{1, 2, 3}, what);
  check(!tessera::get_value(store, {"b"}, on), what);

  stub::DeviceBuffer memory{4, on};
  check(tessera::get_into(store, {"a"}, memory.span(), on, ByteRange::suffix(4)) == 4u, what);
  check(on_host<int>(memory.view(), on) == std::vector{3}, what);

  Key const a{"a"}, b{"b"};
  auto destination = [&](std::size_t n) { return memory.span().sub(0, n); };
  tessera::ReadRequest<space::Device> requests[] = {{&a, {4, 4}, destination}, {&b, {}, destination}};
  tessera::get_many(store, std::span{requests}, on);
  check(requests[0].size == 4u && !requests[1].size, what);
  check(on_host<int>(memory.view(), on) == std::vector{2}, what);
}

int main() {
  Queue<space::Device> on, other;
  int const three[] = {1, 2, 3}, one[] = {9};
  Host host{sizeof three};
  std::memcpy(host.span().data, three, sizeof three);

  DeviceStore store;
  store.write({"a"}, tessera::copy_to<stub::DeviceBuffer>(std::move(host), on).view(), on);
  reads(store, on, "a store in device memory");
  reads(store, other, "the same, in the order of another queue than it was written in");
  check(device_bytes(store) == 1, "it is a Store<DeviceBuffer>");

  // Replaced by one queue while another, which has not been waited for yet, is to read the old value.
  auto const old = tessera::get_value(store, {"a"}, other);
  Host next{sizeof one};
  std::memcpy(next.span().data, one, sizeof one);
  store.write({"a"}, tessera::copy_to<stub::DeviceBuffer>(std::move(next), on).view(), on);
  on.wait();
  check(on_host<int>(old->view(), other) == std::vector{1, 2, 3}, "a reader keeps the value that it found");
  check(on_host<int>(tessera::get_value(store, {"a"}, other)->view(), other) == std::vector{9},
        "the next has the new one");

  Blocks blocks;
  Host again{sizeof three};
  std::memcpy(again.span().data, three, sizeof three);
  blocks.values->emplace("a", tessera::copy_to<stub::DeviceBuffer>(std::move(again), on));
  reads(blocks, on, "a user's store");
  return failed;
}
