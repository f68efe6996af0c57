#include "scheduler.hpp"

#include <utility>

#include "managed.hpp"
#include "report.hpp"
#include "sanitizer.hpp"
#include "worker.hpp"

namespace emulation::scheduler {
namespace {

/// How long a call waits for a host function that it lets run early: long enough that a short one has ended when the
/// call returns, on each run. One that waits itself continues by itself.
constexpr unsigned patience = 20;  // milliseconds

std::uint64_t scattered(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

bool is_late(Stream const& stream) {
  std::uint64_t const seed = world().seed;
  auto const turn = static_cast<std::uint64_t>(stream.turn);
  if (seed < 16) return (seed >> (turn % 4) & 1) != 0;
  return (scattered(scattered(seed + turn) + stream.enqueued) & 1) != 0;
}

Worker& worker_of(Stream& stream) {
  if (!stream.worker) stream.worker = std::make_unique<Worker>();
  return *stream.worker;
}

void see_what_came_before(Operation const& operation) {
  sanitizer::happens_after(&operation);
  for (Point const& point : operation.after) seen(point);
  sanitizer::enters(operation.caller);
}

void finish(Stream& stream) {
  stream.queue.pop_front();
  ++stream.done;
  ++world().operations_done;
  if (!stream.queue.empty()) return;
  world().active.erase(stream.number);
  if (stream.destroyed) stream.worker.reset();
}

void start_host_function(Stream& stream, Operation const& operation) {
  stream.busy = true;
  managed::told({&stream, stream.done});
  worker_of(stream).start([&stream, &operation] {
    see_what_came_before(operation);
    operation.host_function(operation.argument);
    sanitizer::leaves();
    sanitizer::happens_before(&stream);
    Held const held;
    host_function_ended(stream);
  });
}

/// Requires: its predecessors are done.
void run_front(Stream& stream) {
  Operation const& operation = stream.queue.front();
  if (operation.host_function != nullptr) return start_host_function(stream, operation);
  if (sanitizer::threads) {
    worker_of(stream).run([&] {
      see_what_came_before(operation);
      if (operation.prepare) operation.prepare();
      sanitizer::leaves();
      sanitizer::happens_before(&stream);
    });
  }
  if (operation.run) operation.run();
  finish(stream);
  if (world().devices[stream.device].error != cudaSuccess) drop(stream.device);
}

bool may_run(Stream const& stream) {
  if (stream.busy || stream.queue.empty()) return false;
  for (Point const& point : stream.queue.front().after) {
    if (!reached(point)) return false;
  }
  return true;
}

/// Runs all that is early and may run. Returns the last stream whose thread it started work on, if any.
Stream* advance() {
  Stream* started = nullptr;
  for (bool ran = true; ran;) {
    ran = false;
    auto const active = world().active;
    for (auto const& [number, stream] : active) {
      while (may_run(*stream) && !stream->queue.front().late) {
        ran = true;
        run_front(*stream);
        if (stream->busy) started = stream;
      }
    }
  }
  return started;
}

/// Operations of a device's legacy stream are ordered before and after those of the device's blocking streams.
void order_with_legacy_stream(Stream const& stream, Operation& operation) {
  if (stream.blocking()) {
    if (Stream* const legacy = world().devices[stream.device].legacy) operation.after.push_back(end_of(*legacy));
  } else if (stream.legacy) {
    for (auto const& other : world().streams.all()) {
      bool const matters = sanitizer::threads || !world().machine.concurrent_managed || !other->queue.empty();
      if (matters && other->device == stream.device && other->blocking()) operation.after.push_back(end_of(*other));
    }
  }
}

void advance_with_patience() {
  Stream* const started = advance();
  if (started == nullptr || Worker::here()) return;
  for (unsigned waited = 0; started->busy && waited < patience; ++waited) world().change.wait(world().lock, 1);
}

}  // namespace

Point enqueue(Stream& stream, Operation operation) {
  if (world().devices[stream.device].error != cudaSuccess) return end_of(stream);
  if (stream.capture != cudaStreamCaptureStatusNone) {
    mistake({"a stream that captures is given work, at ", Piece::place(operation.caller),
             ": this runtime cannot capture it into a graph"});
  }
  operation.late = is_late(stream);
  order_with_legacy_stream(stream, operation);
  stream.queue.push_back(std::move(operation));
  ++stream.enqueued;
  managed::ordered(stream, stream.queue.back().after);
  stream.polls = 0;
  if (sanitizer::threads) worker_of(stream);  // its creation is an edge too: from here, as the operation's own
  world().active.emplace(stream.number, &stream);
  {
    sanitizer::Seen const again;
    sanitizer::happens_before(&stream.queue.back());
  }
  Point const behind = end_of(stream);
  advance_with_patience();
  return behind;
}

bool reach(Point const& point, bool wait) {
  Stream& stream = *point.stream;
  while (!reached(point)) {
    if (stream.busy) {
      if (!wait) return false;
      world().change.wait(world().lock);
      continue;
    }
    std::uint64_t const done = stream.done;
    auto const after = stream.queue.front().after;
    for (Point const& other : after) {
      if (!reach(other, wait)) return false;
    }
    // During the wait for others, another thread may have run it.
    if (stream.busy || stream.done != done) continue;
    run_front(stream);
  }
  advance_with_patience();
  return true;
}

void await(Point const& point) {
  reach(point);
  managed::told(point);
  sanitizer::Seen const again;
  seen(point);
}

void drain(int device, bool wait) {
  auto const active = world().active;
  for (auto const& [number, stream] : active) {
    if (stream->device == device) reach(end_of(*stream), wait);
  }
}

void await_all(int device) {
  drain(device);
  managed::told_all(device);
  if (!sanitizer::threads) return;
  sanitizer::Seen const again;
  for (auto const& stream : world().streams.all()) {
    if (stream->device == device) seen(end_of(*stream));
  }
}

void drop(int device) {
  auto const active = world().active;
  for (auto const& [number, stream] : active) {
    if (stream->device != device) continue;
    stream->queue.resize(stream->busy ? 1 : 0);
    stream->done = stream->enqueued - stream->queue.size();
    if (stream->queue.empty()) world().active.erase(number);
  }
}

void seen(Point const& point) {
  if (point.token) {
    sanitizer::happens_after(point.token.get());
  } else {
    sanitizer::happens_after(point.stream);
  }
}

void run_what_is_left() {
  for (bool ran = true; ran;) {
    ran = false;
    auto const active = world().active;
    for (auto const& [number, stream] : active) {
      while (may_run(*stream) && stream->queue.front().host_function == nullptr) {
        ran = true;
        run_front(*stream);
      }
    }
  }
}

void host_function_ended(Stream& stream) {
  stream.busy = false;
  finish(stream);
  advance();
  world().change.tell();
}

}  // namespace emulation::scheduler
