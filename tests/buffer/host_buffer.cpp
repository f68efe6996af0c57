#include <cstdint>
#include <limits>
#include <utility>

#include <doctest/doctest.h>

#include <support/large_allocations.hpp>
#include <support/refused.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/buffer/scratch.hpp>

using namespace tessera;

TEST_CASE("a host buffer has its size, is aligned and can be written") {
  for (std::size_t size : {1u, 3u, 64u, 1000u}) {
    HostBuffer buffer{size};
    CHECK(buffer.view().size == size);
    CHECK(buffer.span().data == buffer.view().data);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.view().data) % HostBuffer::alignment == 0);
    for (std::size_t i = 0; i < size; ++i) buffer.span().data[i] = std::byte{7};
  }
}

TEST_CASE("an empty host buffer has no memory") {
  CHECK(HostBuffer{}.view().data == nullptr);
  CHECK(HostBuffer{0}.view().size == 0);
}

TEST_CASE("a moved-from host buffer is empty") {
  HostBuffer first{5};
  auto const* data = first.view().data;
  HostBuffer second{std::move(first)};
  CHECK(second.view().data == data);
  CHECK(first.view().size == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(first.view().data == nullptr);
  HostBuffer third{9};
  third = std::move(second);
  CHECK(third.view().data == data);
  CHECK(third.view().size == 5);
  CHECK(second.view().size == 0);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("memory that is not there is an error of tessera's own") {
  test::check_refused<Error>([] { HostBuffer buffer{std::size_t{1} << 60}; },
                             {"cannot allocate", "1152921504606846976"});
}

TEST_CASE("scratch grows to what was asked for and stays") {
  Queue<space::Host> queue;
  Scratch<space::Host> scratch;
  CHECK(scratch.take(0, queue).size == 0);
  auto* large = scratch.take(1000, queue).data;
  CHECK(scratch.take(10, queue).data == large);
  CHECK(scratch.take(10, queue).size == 10);
  CHECK(scratch.take(1000, queue).data == large);
  CHECK(scratch.take(2000, queue).size == 2000);
}
