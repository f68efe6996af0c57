// Settings and queries of tests, and the machine's beginning and end.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "allocation.hpp"
#include "entry.hpp"
#include "gpu.hpp"
#include "log.hpp"
#include "report.hpp"
#include "scheduler.hpp"
#include "unasked.hpp"

namespace emulation {
namespace {

pid_t program = 0;

bool is_alive(Allocation const& allocation) {
  return (allocation.state == State::live || allocation.state == State::reserved) && !allocation.free_asked;
}

bool context_died(int device) { return world().devices[device].error != cudaSuccess; }

/// Reports leaks. A dead context frees its objects.
bool say_leaks() {
  bool found = false;
  auto const leak = [&](std::initializer_list<Piece> pieces) {
    found = true;
    say(pieces);
  };
  for (Allocation const& allocation : regions().all()) {
    if (!is_alive(allocation) || (allocation.kind != Kind::page_locked && context_died(allocation.device))) continue;
    leak({"leak: ", allocation.size, " bytes at ", static_cast<void const*>(allocation.begin), " made by ",
          allocation.made_by, " at ", Piece::place(allocation.made_at)});
  }
  for (auto const& stream : world().streams.all()) {
    if (stream->legacy || stream->destroyed || stream->lost || context_died(stream->device)) continue;
    leak({"leak: the stream made at ", Piece::place(stream->made_at)});
  }
  for (auto const& event : world().events.all()) {
    if (event->destroyed || event->lost || context_died(event->device)) continue;
    leak({"leak: the event made at ", Piece::place(event->made_at)});
  }
  for (auto const& pool : world().pools.all()) {
    if (pool->standard || pool->destroyed || context_died(pool->device)) continue;
    leak({"leak: the memory pool made at ", Piece::place(pool->made_at)});
  }
  for (auto const& [begin, size] : world().registered) {
    leak({"leak: ", size, " bytes at ", static_cast<void const*>(begin), " are page-locked by cudaHostRegister"});
  }
  return found;
}

void make_standard_pools() {
  for (int device = 0; device < most_devices; ++device) {
    Pool* made = nullptr;
    world().pools.add(made);
    made->device = device;
    made->standard = true;
    made->accessible = std::uint32_t{1} << device;
    world().devices[device].standard_pool = made;
    world().devices[device].pool = made;
  }
}

void run_everything() {
  for (int device = 0; device < most_devices; ++device) scheduler::await_all(device);
}

__attribute__((constructor(101))) void begin() {
  program = getpid();
  regions().map();
  if (!sanitizer::threads) gpu::prepare();
  make_standard_pools();
  if (char const* const value = std::getenv("TESSERA_EMULATION_SEED")) world().seed = std::strtoull(value, nullptr, 10);
  if (char const* const value = std::getenv("TESSERA_EMULATION_DEVICES"))
    world().machine.devices = std::clamp(std::atoi(value), 0, most_devices);
}

__attribute__((destructor(101))) void end() {
  if (getpid() != program) return;
  int const status = [] {
    Held const held;
    if (!sanitizer::threads) scheduler::run_what_is_left();
    log::write_sites();
    if (unasked::say_errors()) return unasked_status;
    return say_leaks() ? leak_status : 0;
  }();
  if (status == 0) return;
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

void set(Machine const& machine) {
  Held const held;
  run_everything();
  if (machine.devices < 0 || machine.devices > most_devices) mistake({"at most ", most_devices, " devices"});
  if (say_leaks()) mistake({"a machine is set while things of the former are there"});
  for (int device = 0; device < most_devices; ++device) end_context(device);
  for (auto const& pool : world().pools.all()) pool->reserved = pool->used;  // also after a failed destruction
  world().machine = machine;
  world().streams_made = 0;
  world().turns_given = 0;
  contexts::forget();
  last_error() = cudaSuccess;
}

void seed(std::uint64_t value) {
  Held const held;
  world().seed = value;
  world().turns_given = 0;
}

Alive alive() {
  Held const held;
  Alive count;
  for (Allocation const& allocation : regions().all()) {
    if (!is_alive(allocation)) continue;
    ++count.allocations;
    count.bytes += allocation.size;
    if (allocation.kind == Kind::page_locked) count.page_locked += allocation.size;
  }
  for (auto const& stream : world().streams.all())
    count.streams += !stream->legacy && !stream->destroyed && !stream->lost;
  for (auto const& event : world().events.all()) count.events += !event->destroyed && !event->lost;
  for (auto const& pool : world().pools.all()) count.pools += !pool->standard && !pool->destroyed;
  return count;
}

void run_all() {
  Held const held;
  run_everything();
}

std::size_t left_to_do(int stream) {
  Held const held;
  std::size_t left = 0;
  for (auto const& one : world().streams.all())
    if (one->number == stream) left += static_cast<std::size_t>(one->enqueued - one->done);
  return left;
}

}  // namespace emulation
