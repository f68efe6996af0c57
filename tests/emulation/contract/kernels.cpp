// Kernels: the memory they may access, and when they run. From the Programming Guide ("Kernels", "Streams", "Unified
// Memory") and "Execution Control" of CUDA's runtime API manual.
#include <emulation/kernels.hpp>

#include "contract.hpp"

using namespace contract;

namespace {

struct Square {
  int const* from;
  int* to;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[i] * from[i]; }
};

struct Follow {  // addresses of device memory that lie in device memory themselves
  int* const* table;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const { *table[i] += static_cast<int>(i); }
};

std::vector<int> const squares{9, 1, 16, 1, 25, 81, 4, 36};

}  // namespace

TEST_CASE("a kernel runs for each index, in its stream's order") {
  Device<int> from{some_values.size()}, to{some_values.size()};
  Pinned<int> here{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), here.data());
  Stream stream;
  good(cudaMemcpyAsync(from.data(), here.data(), here.bytes(), cudaMemcpyHostToDevice, stream));
  launch(stream, some_values.size(), Square{from.data(), to.data()});
  good(cudaMemcpyAsync(here.data(), to.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  CHECK(std::vector<int>(here.data(), here.data() + here.bytes() / sizeof(int)) == squares);
}

TEST_CASE("a kernel of many indices runs for each") {
  std::size_t const count = 100'003;
  Device<int> there{count};
  Stream stream;
  launch(stream, count, Store{there.data(), 5});
  stream.wait();
  CHECK(read(there.data(), count) == std::vector<int>(count, 5));
}

TEST_CASE("a kernel has its arguments from the moment of its launch") {  // "Execution Control", cudaLaunchKernel
  Device<int> there{2};
  Stream stream;
  Store store{there.data(), 1};
  launch(stream, 1, store);
  store = Store{there.data() + 1, 2};
  launch(stream, 1, store);
  store = Store{nullptr, 0};
  stream.wait();
  CHECK(read(there.data(), 2) == std::vector<int>{1, 2});
}

TEST_CASE("a kernel reads and writes page-locked memory") {
  Pinned<int> from{some_values.size()}, to{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), from.data());
  Stream stream;
  launch(stream, some_values.size(), Square{from.data(), to.data()});
  stream.wait();
  CHECK(std::vector<int>(to.data(), to.data() + squares.size()) == squares);
}

TEST_CASE("a kernel reads and writes managed memory") {
  Managed<int> from{some_values.size()}, to{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), from.data());
  Stream stream;
  launch(stream, some_values.size(), Square{from.data(), to.data()});
  stream.wait();
  CHECK(std::vector<int>(to.data(), to.data() + squares.size()) == squares);
}

TEST_CASE("a kernel reads and writes memory of a stream between its allocation and its free") {
  Pinned<int> here{1};
  Stream stream;
  int* there = nullptr;
  good(cudaMallocAsync(reinterpret_cast<void**>(&there), sizeof(int), stream));
  launch(stream, 1, Store{there, 8});
  good(cudaMemcpyAsync(here.data(), there, sizeof(int), cudaMemcpyDeviceToHost, stream));
  good(cudaFreeAsync(there, stream));
  stream.wait();
  CHECK(here[0] == 8);
}

TEST_CASE("a kernel follows addresses that lie in device memory") {
  Device<int> a{1}, b{1};
  write(a.data(), {10});
  write(b.data(), {20});
  Device<int*> table{2};
  write(table.data(), {a.data(), b.data()});
  Stream stream;
  launch(stream, 2, Follow{table.data()});
  stream.wait();
  CHECK(read(a.data(), 1)[0] == 10);
  CHECK(read(b.data(), 1)[0] == 21);
}

TEST_CASE("a kernel runs after an event that its stream waits for") {
  Device<int> from{some_values.size()}, to{some_values.size()};
  Pinned<int> here{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), here.data());
  Stream one, other;
  Event copied;
  good(cudaMemcpyAsync(from.data(), here.data(), here.bytes(), cudaMemcpyHostToDevice, one));
  good(cudaEventRecord(copied, one));
  good(cudaStreamWaitEvent(other, copied, 0));
  launch(other, some_values.size(), Square{from.data(), to.data()});
  other.wait();
  CHECK(read(to.data(), squares.size()) == squares);
}

TEST_CASE("a kernel's writes are seen by a host function behind it") {
  Managed<int> there{2};
  there[1] = 0;
  Stream stream;
  launch(stream, 1, Store{there.data(), 6});
  good(cudaLaunchHostFunc(
      stream,
      [](void* at) {
        auto* const values = static_cast<int*>(at);
        values[1] = values[0] + 1;
      },
      there.data()));
  stream.wait();
  CHECK(there[1] == 7);
}

TEST_CASE("host threads launch kernels in their own streams at once") {
  constexpr std::size_t threads = 4, rounds = 20;
  Device<int> there{threads};
  std::vector<std::thread> all;
  for (std::size_t t = 0; t < threads; ++t)
    all.emplace_back([t, &there] {
      Stream stream;
      for (std::size_t i = 0; i < rounds; ++i)
        launch(stream, 1, Store{there.data() + t, static_cast<int>(t * rounds + i)});
      cudaStreamSynchronize(stream);
    });
  for (auto& thread : all) thread.join();
  CHECK(read(there.data(), threads) == std::vector<int>{19, 39, 59, 79});
}
