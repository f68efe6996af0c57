#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <support/large_allocations.hpp>
#include <support/refused.hpp>
#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/host_buffer.hpp>

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
  test::check_refused<HostOutOfMemory>([] { HostBuffer buffer{std::size_t{1} << 60}; },
                                       {"cannot allocate", "1152921504606846976"});
}

namespace {

// The flags of the memory at an address, from /proc/self/smaps: " rd wr mr mw me ac hg "; "" if unknown.
std::string flags_of(void const* address) {
  std::ifstream smaps{"/proc/self/smaps"};
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    std::uintptr_t first = 0, last = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &first, &last) == 2)
      inside = reinterpret_cast<std::uintptr_t>(address) >= first && reinterpret_cast<std::uintptr_t>(address) < last;
    if (inside && line.starts_with("VmFlags:")) return line.substr(8) + ' ';
  }
  return "";
}
constexpr std::size_t mebibyte = 1 << 20;

}  // namespace

TEST_CASE("large blocks are aligned to 2 MiB and ask for huge pages, small ones do neither") {
  HostBuffer const small{3 * mebibyte};
  HostBuffer large{8 * mebibyte + 12345};
  auto* const data = large.span().data;
  CHECK(reinterpret_cast<std::uintptr_t>(data) % (2 * mebibyte) == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(HostBuffer{4 * mebibyte}.view().data) % (2 * mebibyte) == 0);
  data[0] = data[large.view().size - 1] = std::byte{1};
  if (flags_of(data).empty()) {
    MESSAGE("not run: whether the system was asked (no VmFlags in /proc/self/smaps)");
  } else if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    MESSAGE("not run: whether the system was asked (it has no huge pages)");
  } else {
    CHECK(flags_of(data).find(" hg ") != std::string::npos);
    CHECK(flags_of(data + 8 * mebibyte - 1).find(" hg ") != std::string::npos);
    CHECK(flags_of(small.view().data).find(" hg ") == std::string::npos);
  }
}

TEST_CASE("a large block that is given back and asked for again is as good as the first") {
  for (int i = 0; i < 50; ++i) {
    HostBuffer buffer{(4 + static_cast<std::size_t>(i) % 5) * mebibyte + static_cast<std::size_t>(i)};
    auto const bytes = buffer.span();
    bytes.data[0] = bytes.data[bytes.size - 1] = std::byte{7};
    HostBuffer const other = std::move(buffer);
    CHECK(other.view().data[other.view().size - 1] == std::byte{7});
  }
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
