#include <utility>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>

using namespace tessera;

namespace {

/// A buffer of another type in the same memory.
struct VectorBuffer {
  using space_type = space::Host;
  test::Bytes bytes;
  ByteView<space::Host> view() const { return test::view(bytes); }
};

}  // namespace

TEST_CASE("a cast to the buffer's own type moves it") {
  Queue<space::Host> queue;
  HostBuffer buffer{8};
  auto const* data = buffer.view().data;
  auto const result = copy_to<HostBuffer>(std::move(buffer), queue);
  CHECK(result.view().data == data);
}

TEST_CASE("a cast to another type copies the bytes") {
  Queue<space::Host> queue;
  for (auto* text : {"", "some bytes"}) {
    auto const result = copy_to<HostBuffer>(VectorBuffer{test::bytes(text)}, queue);
    CHECK(test::text(result.view()) == text);
  }
}

TEST_CASE("memory spaces cross where a crossing is written, and not elsewhere") {
  CHECK(CrossesFrom<space::Host, space::Host>);
  CHECK_FALSE(CrossesFrom<space::Device, space::Host>);
  CHECK_FALSE(CrossesFrom<space::Host, space::Device>);
}
