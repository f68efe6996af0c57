// Copies and fills: waits, and when memory is read. From "API synchronization behavior" (called SYNC here) and "Memory
// Management" of CUDA's runtime API manual.
#include "contract.hpp"

using namespace contract;

namespace {

std::size_t const bytes = some_values.size() * sizeof(int);

}  // namespace

TEST_CASE("a copy from pageable memory has read its source when the call returns") {  // SYNC, memcpy, asynchronous, 3
  Device<int> there{some_values.size()};
  std::vector<int> here = some_values;
  Stream stream;
  good(cudaMemcpyAsync(there.data(), here.data(), bytes, cudaMemcpyHostToDevice, stream));
  here.assign(here.size(), -1);
  stream.wait();
  CHECK(read(there.data(), here.size()) == some_values);
}

TEST_CASE("a large copy from pageable memory has read its source when the call returns") {  // as above
  std::vector<int> here(1 << 20, 7);
  Device<int> there{here.size()};
  Stream stream;
  good(cudaMemcpyAsync(there.data(), here.data(), there.bytes(), cudaMemcpyHostToDevice, stream));
  here.assign(here.size(), -1);
  stream.wait();
  CHECK(read(there.data(), here.size()) == std::vector<int>(here.size(), 7));
}

TEST_CASE("a copy from page-locked memory reads its source when it runs") {  // SYNC, memcpy, asynchronous, 4
  Pinned<int> here{1};
  Device<int> there{1};
  here[0] = 1;
  HeldStream stream;
  good(cudaMemcpyAsync(there.data(), here.data(), sizeof(int), cudaMemcpyHostToDevice, stream));
  here[0] = 2;
  stream.wait();
  CHECK(read(there.data(), 1)[0] == 2);
}

TEST_CASE("a copy to page-locked memory is there after the stream was waited for, and not before it ran") {
  Pinned<int> here{1};  // SYNC, memcpy, asynchronous, 4
  Device<int> there{1};
  write(there.data(), {5});
  here[0] = 0;
  HeldStream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(here[0] == 0);
  stream.wait();
  CHECK(here[0] == 5);
}

TEST_CASE("a copy to pageable memory is there after the stream was waited for") {  // SYNC, memcpy, asynchronous, 1
  Device<int> there{some_values.size()};
  write(there.data(), some_values);
  std::vector<int> here(some_values.size());
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), bytes, cudaMemcpyDeviceToHost, stream));
  stream.wait();
  CHECK(here == some_values);
}

TEST_CASE("a copy between host memory is done when the call returns") {  // SYNC, memcpy, asynchronous, 2
  std::vector<int> from = some_values, to(from.size());
  Stream stream;
  good(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyHostToHost, stream));
  CHECK(to == some_values);
}

TEST_CASE("the blocking copy to the host is done when it returns") {  // SYNC, memcpy, synchronous, 3
  Device<int> there{some_values.size()};
  write(there.data(), some_values);
  Pinned<int> locked{some_values.size()};
  good(cudaMemcpy(locked.data(), there.data(), bytes, cudaMemcpyDeviceToHost));
  CHECK(std::vector<int>(locked.data(), locked.data() + some_values.size()) == some_values);
  std::vector<int> pageable(some_values.size());
  good(cudaMemcpy(pageable.data(), there.data(), bytes, cudaMemcpyDeviceToHost));
  CHECK(pageable == some_values);
}

TEST_CASE("the blocking copy from page-locked memory has read it when it returns") {  // SYNC, memcpy, synchronous, 2
  Device<int> there{1};
  Pinned<int> here{1};
  here[0] = 4;
  good(cudaMemcpy(there.data(), here.data(), sizeof(int), cudaMemcpyHostToDevice));
  here[0] = 0;
  CHECK(read(there.data(), 1)[0] == 4);
}

TEST_CASE("operations of one stream run in their order") {  // Programming Guide, "Streams"
  Device<int> a{some_values.size()}, b{some_values.size()};
  Pinned<int> first{some_values.size()}, last{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), first.data());
  Stream stream;
  good(cudaMemcpyAsync(a.data(), first.data(), bytes, cudaMemcpyHostToDevice, stream));
  good(cudaMemcpyAsync(b.data(), a.data(), bytes, cudaMemcpyDeviceToDevice, stream));
  good(cudaMemsetAsync(a.data(), 0, bytes, stream));
  good(cudaMemcpyAsync(last.data(), b.data(), bytes, cudaMemcpyDeviceToHost, stream));
  stream.wait();
  CHECK(std::vector<int>(last.data(), last.data() + some_values.size()) == some_values);
  CHECK(read(a.data(), some_values.size()) == std::vector<int>(some_values.size(), 0));
}

TEST_CASE("cudaMemcpyDefault finds the direction by the addresses") {  // Memory Management, cudaMemcpyAsync
  Device<int> there{some_values.size()};
  Pinned<int> here{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), here.data());
  Stream stream;
  good(cudaMemcpyAsync(there.data(), here.data(), bytes, cudaMemcpyDefault, stream));
  stream.wait();
  std::memset(here.data(), 0, bytes);
  good(cudaMemcpyAsync(here.data(), there.data(), bytes, cudaMemcpyDefault, stream));
  stream.wait();
  CHECK(std::vector<int>(here.data(), here.data() + some_values.size()) == some_values);
}

TEST_CASE("a part of an allocation is copied to a part of another") {  // Memory Management, cudaMemcpyAsync
  Device<int> there{some_values.size()};
  write(there.data(), some_values);
  Pinned<int> here{4};
  for (std::size_t i = 0; i < 4; ++i) here[i] = 0;
  Stream stream;
  good(cudaMemcpyAsync(here.data() + 1, there.data() + 3, 2 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  CHECK(std::vector<int>(here.data(), here.data() + 4) == std::vector<int>{0, 1, 5, 0});
}

TEST_CASE("a copy of no bytes is none") {  // Memory Management, cudaMemcpyAsync
  Device<int> there{1};
  write(there.data(), {6});
  Stream stream;
  int here = 0;
  CHECK(cudaMemcpyAsync(&here, there.data(), 0, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  stream.wait();
  CHECK(here == 0);
}

TEST_CASE("a rectangle is copied row by row, each as wide as asked, the rest untouched") {  // cudaMemcpy2DAsync
  Device<char> there{3 * 8};
  good(cudaMemset(there.data(), '.', there.bytes()));
  good(cudaDeviceSynchronize());
  Pinned<char> here{3 * 4};
  std::memcpy(here.data(), "abc-def-ghi-", here.bytes());
  Stream stream;
  good(cudaMemcpy2DAsync(there.data(), 8, here.data(), 4, 3, 3, cudaMemcpyHostToDevice, stream));
  stream.wait();
  auto const now = read(there.data(), 3 * 8);
  CHECK(std::string(now.begin(), now.end()) == "abc.....def.....ghi.....");
}

TEST_CASE("a rectangle wider than its rows' distance is refused") {  // cudaMemcpy2DAsync
  Device<char> there{3 * 8};
  Pinned<char> here{3 * 4};
  Stream stream;
  CHECK(cudaMemcpy2DAsync(there.data(), 8, here.data(), 4, 5, 3, cudaMemcpyHostToDevice, stream) != cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a fill sets bytes in its stream's order") {  // Memory Management, cudaMemsetAsync; SYNC, memset
  Device<unsigned char> there{100};
  Stream stream;
  good(cudaMemsetAsync(there.data(), 1, 100, stream));
  good(cudaMemsetAsync(there.data() + 10, 0x1ff, 5, stream));  // only the value's lowest byte counts
  stream.wait();
  auto const now = read(there.data(), 100);
  for (std::size_t i = 0; i < 100; ++i) CHECK(now[i] == (i >= 10 && i < 15 ? 0xff : 1));
}

TEST_CASE("a fill of page-locked memory is done when the blocking call returns") {  // SYNC, memset
  Pinned<unsigned char> here{16};
  good(cudaMemset(here.data(), 9, 16));
  CHECK(here[0] == 9);
  CHECK(here[15] == 9);
}

TEST_CASE("an unknown direction is refused") {  // Memory Management, cudaMemcpy: cudaErrorInvalidMemcpyDirection
  Device<int> there{1};
  int here = 1;
  CHECK(cudaMemcpy(there.data(), &here, sizeof here, static_cast<cudaMemcpyKind>(7)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
}

TEST_CASE("a copy from or to nowhere is refused") {  // Memory Management, cudaMemcpy: cudaErrorInvalidValue
  Device<int> there{1};
  CHECK(cudaMemcpy(there.data(), nullptr, sizeof(int), cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}
