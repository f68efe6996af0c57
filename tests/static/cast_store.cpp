// A store of host buffers seen as one of device buffers: the cast is in its type, and both ways go through it.
#include "sample.hpp"

using namespace sample;
using tessera::CastStore, tessera::open_array, tessera::SplitStore;

using Seen = CastStore<stub::DeviceBuffer, HostStore>;
static_assert(tessera::Store<Seen, stub::DeviceBuffer>);
using OnDevice = tessera::Pipeline<space::Device, tessera::codec::Bytes, DeviceInvert>;

int main() {
  tessera::Queue<space::Device> on;
  HostStore store;
  write_array(store, store, "a", bytes_invert, HostPipeline{});

  Seen const seen{store};
  auto const array = open_array<float, 2, OnDevice>(SplitStore{store, seen}, "a", on);
  stub::counts.reset();
  check(read_on_device(array, on) == elements(), "chunks cross when they are read");
  check(stub::counts.crossings == 5 + 1, "each chunk that is there once, and the result");

  auto const value = tessera::get_value(seen, {"a/c/0/0"}, on);
  tessera::get_value(seen, {"a/c/2/1"}, on);  // so that no staging memory has the value by chance
  seen.write({"b"}, value->view(), on);
  check(tessera::get_value(store, {"b"}, on.host())->view().size == 24, "what is written crosses back");
  auto const back = tessera::get_value(seen, {"b"}, on);
  check(on_host<int>(back->view(), on) == on_host<int>(value->view(), on), "and is the same");
  check(seen.erase({"b"}, on) && !tessera::get_value(store, {"b"}, on.host()), "erased through it");
  return failed;
}
