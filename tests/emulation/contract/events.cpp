// Events. From "Event Management" and, for waiting in a stream, "Stream Management" of CUDA's runtime API manual.
#include "contract.hpp"

using namespace contract;

TEST_CASE("an event that was never recorded is complete, and waiting for it is no wait") {  // cudaEventRecord
  Event event;
  CHECK(cudaEventQuery(event) == cudaSuccess);
  CHECK(cudaEventSynchronize(event) == cudaSuccess);
  Stream stream;
  CHECK(cudaStreamWaitEvent(stream, event, 0) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
}

TEST_CASE("an event is complete when what was queued before its record is") {  // cudaEventRecord, cudaEventQuery
  Device<int> there{1};
  Event event;
  HeldStream stream;
  good(cudaMemsetAsync(there.data(), 0, sizeof(int), stream));
  good(cudaEventRecord(event, stream));
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaSuccess);  // "not considered an error": Programming Guide, "Error Checking"
  stream.let_go();
  CHECK(cudaEventSynchronize(event) == cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaSuccess);
}

TEST_CASE("what is queued after the record does not change the event") {  // cudaEventRecord
  Device<int> there{1};
  Event event;
  HeldStream held;
  Stream stream;
  good(cudaEventRecord(event, stream));
  good(cudaEventRecord(event, stream));
  Event of_held;
  good(cudaMemsetAsync(there.data(), 0, sizeof(int), held));
  good(cudaEventRecord(of_held, held));
  good(cudaStreamWaitEvent(stream, of_held, 0));  // from here on the stream is held too
  good(cudaMemsetAsync(there.data(), 1, sizeof(int), stream));
  CHECK(cudaEventSynchronize(event) == cudaSuccess);  // would hang if it included later work
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  held.wait();
  stream.wait();
}

TEST_CASE("a stream that waits for an event sees what was done before it") {  // cudaStreamWaitEvent
  Device<int> there{some_values.size()};
  Pinned<int> from{some_values.size()}, to{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), from.data());
  Stream one, other;
  Event written;
  good(cudaMemcpyAsync(there.data(), from.data(), from.bytes(), cudaMemcpyHostToDevice, one));
  good(cudaEventRecord(written, one));
  good(cudaStreamWaitEvent(other, written, 0));
  good(cudaMemcpyAsync(to.data(), there.data(), to.bytes(), cudaMemcpyDeviceToHost, other));
  other.wait();
  CHECK(std::vector<int>(to.data(), to.data() + some_values.size()) == some_values);
}

TEST_CASE("order passes through any number of streams and events") {  // cudaStreamWaitEvent
  constexpr std::size_t count = 6;
  Device<int> there{count + 1};
  Pinned<int> here{2};
  here[0] = 11;
  here[1] = 0;
  Stream streams[count];
  good(cudaMemcpyAsync(there.data(), here.data(), sizeof(int), cudaMemcpyHostToDevice, streams[0]));
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) {
      Event event;  // destroyed before it is complete: waits for it still wait
      good(cudaEventRecord(event, streams[i - 1]));
      good(cudaStreamWaitEvent(streams[i], event, 0));
    }
    good(cudaMemcpyAsync(there.data() + i + 1, there.data() + i, sizeof(int), cudaMemcpyDeviceToDevice, streams[i]));
  }
  good(cudaMemcpyAsync(here.data() + 1, there.data() + count, sizeof(int), cudaMemcpyDeviceToHost, streams[count - 1]));
  streams[count - 1].wait();
  CHECK(here[1] == 11);
}

TEST_CASE("recording again replaces what was captured") {  // cudaEventRecord
  Device<int> there{1};
  Event event;
  HeldStream held;
  Stream free_one;
  good(cudaMemsetAsync(there.data(), 0, sizeof(int), held));
  good(cudaEventRecord(event, held));
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  good(cudaEventRecord(event, free_one));
  CHECK(cudaEventSynchronize(event) == cudaSuccess);  // would hang if it were still of the held stream
  CHECK(cudaStreamQuery(held) == cudaErrorNotReady);
  held.wait();
}

TEST_CASE("a stream waits for the record that was the latest when it was told to") {  // cudaEventRecord
  Device<int> there{2};
  Pinned<int> here{2};
  write(there.data(), {1, 2});
  here[0] = here[1] = 0;
  Event event;
  Stream first, waiting;
  good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, first));
  good(cudaEventRecord(event, first));
  good(cudaStreamWaitEvent(waiting, event, 0));
  {
    HeldStream held;
    good(cudaMemsetAsync(there.data() + 1, 0, sizeof(int), held));
    good(cudaEventRecord(event, held));  // too late for `waiting`
    CHECK(cudaStreamSynchronize(waiting) == cudaSuccess);
    CHECK(here[0] == 1);
    CHECK(cudaEventQuery(event) == cudaErrorNotReady);
    held.wait();
  }
}

TEST_CASE("an event used again for a ring of blocks orders each use") {  // cudaEventRecord, cudaEventSynchronize
  constexpr std::size_t blocks = 3, chunks = 12;
  Device<int> there{chunks};
  Pinned<int> ring{blocks};
  {
    Stream stream;
    Event freed[blocks];
    for (std::size_t i = 0; i < chunks; ++i) {
      good(cudaEventSynchronize(freed[i % blocks]));
      ring[i % blocks] = static_cast<int>(100 + i);
      good(cudaMemcpyAsync(there.data() + i, ring.data() + i % blocks, sizeof(int), cudaMemcpyHostToDevice, stream));
      good(cudaEventRecord(freed[i % blocks], stream));
    }
    stream.wait();
  }
  auto const now = read(there.data(), chunks);
  for (std::size_t i = 0; i < chunks; ++i) CHECK(now[i] == static_cast<int>(100 + i));
}

TEST_CASE("an event that is destroyed before it is complete does not block") {  // cudaEventDestroy
  Device<int> there{1};
  HeldStream stream;
  good(cudaMemsetAsync(there.data(), 0, sizeof(int), stream));
  cudaEvent_t event = nullptr;
  good(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  good(cudaEventRecord(event, stream));
  CHECK(cudaEventDestroy(event) == cudaSuccess);  // would hang if it waited
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  stream.wait();
}

TEST_CASE("the time between two events is known when both are complete") {  // cudaEventElapsedTime
  Event first{cudaEventDefault}, second{cudaEventDefault};
  float milliseconds = -1;
  {
    Device<int> there{1};
    HeldStream stream;
    good(cudaEventRecord(first, stream));
    good(cudaMemsetAsync(there.data(), 0, sizeof(int), stream));
    good(cudaEventRecord(second, stream));
    CHECK(cudaEventElapsedTime(&milliseconds, first, second) == cudaErrorNotReady);
    cudaGetLastError();
    stream.wait();
  }
  CHECK(cudaEventElapsedTime(&milliseconds, first, second) == cudaSuccess);
  CHECK(milliseconds >= 0);
}

TEST_CASE("an event that is made without flags has times") {  // cudaEventCreate
  cudaEvent_t event = nullptr;
  good(cudaEventCreate(&event));
  Stream stream;
  good(cudaEventRecord(event, stream));
  good(cudaEventSynchronize(event));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, event, event) == cudaSuccess);
  CHECK(milliseconds == 0);
  good(cudaEventDestroy(event));
}

TEST_CASE("events without times have none") {  // cudaEventElapsedTime: cudaErrorInvalidResourceHandle
  Event first, second;
  Stream stream;
  good(cudaEventRecord(first, stream));
  good(cudaEventRecord(second, stream));
  stream.wait();
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, first, second) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

TEST_CASE("nothing can be asked of no event") {  // cudaEventRecord and others: cudaErrorInvalidResourceHandle
  Stream stream;
  CHECK(cudaEventRecord(nullptr, stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventQuery(nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventSynchronize(nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamWaitEvent(stream, nullptr, 0) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}
