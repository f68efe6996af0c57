// Functions of the host in a stream. From "Execution Control", cudaLaunchHostFunc, of CUDA's runtime API manual.
#include "contract.hpp"

using namespace contract;

namespace {

struct Step {
  std::vector<int>* steps;
  int number;
};

void take(void* step) {
  auto const& self = *static_cast<Step*>(step);
  self.steps->push_back(self.number);
}

}  // namespace

TEST_CASE("host functions run in their stream's order, once each") {
  std::vector<int> steps;
  Step all[]{{&steps, 0}, {&steps, 1}, {&steps, 2}};
  Stream stream;
  for (auto& step : all) good(cudaLaunchHostFunc(stream, take, &step));
  stream.wait();
  CHECK(steps == std::vector<int>{0, 1, 2});
}

TEST_CASE("a host function sees what was copied before it, and what is queued after it sees what it wrote") {
  Device<int> there{2};
  Pinned<int> here{2};
  write(there.data(), {20, 0});
  here[0] = here[1] = 0;
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  good(cudaLaunchHostFunc(
      stream,
      [](void* at) {
        auto* const values = static_cast<int*>(at);
        values[1] = values[0] + 1;
      },
      here.data()));
  good(cudaMemcpyAsync(there.data() + 1, here.data() + 1, sizeof(int), cudaMemcpyHostToDevice, stream));
  stream.wait();
  CHECK(read(there.data(), 2) == std::vector<int>{20, 21});
}

TEST_CASE("an event after a host function orders other streams and the host") {
  std::vector<int> steps;
  Step step{&steps, 4};
  Event done;
  Stream one, other;
  good(cudaLaunchHostFunc(one, take, &step));
  good(cudaEventRecord(done, one));
  Step next{&steps, 5};
  good(cudaStreamWaitEvent(other, done, 0));
  good(cudaLaunchHostFunc(other, take, &next));
  other.wait();
  CHECK(steps == std::vector<int>{4, 5});
}

TEST_CASE("a host function may wait for what the host does later") {
  std::atomic<bool> open{false};
  Stream stream;
  good(cudaLaunchHostFunc(
      stream, [](void* flag) { static_cast<std::atomic<bool>*>(flag)->wait(false); }, &open));
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  open = true;
  open.notify_all();
  stream.wait();
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
}

TEST_CASE("no function is refused") {
  Stream stream;
  CHECK(cudaLaunchHostFunc(stream, nullptr, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}
