#include "exports.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "allocation.hpp"
#include "entry.hpp"
#include "gpu.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace emulation::exports {
namespace {

constexpr std::size_t most_exports = 4096, most_importers = 16;

struct Export {
  std::atomic<std::uint32_t> live;
  std::uint64_t offset, length, size;  ///< of its pages in the region's file, and of the allocation
  std::atomic<std::int32_t> importers[most_importers];
};

struct Table {
  std::uint64_t mark;                ///< by chance: which process's it is
  std::atomic<std::uint32_t> asked;  ///< counts those who wait for an event
  Export exports[most_exports];
  SharedEvent events[most_exports];
};

/// What the 64 bytes of a handle are.
struct Handle {
  char name[8];
  std::uint64_t mark;
  std::int32_t process, table, file, number;
};
static_assert(sizeof(Handle) <= sizeof(cudaIpcMemHandle_t) && sizeof(Handle) <= sizeof(cudaIpcEventHandle_t));
constexpr char name_of_memory[8] = "emumem", name_of_event[8] = "emuevnt";

Table* own = nullptr;
int own_file = -1;
std::uint32_t exported = 0, events = 0;

struct Other {
  Table* table;
  pid_t process;
};
std::map<std::uint64_t, Other>& others() {
  static auto& all = *new std::map<std::uint64_t, Other>;
  return all;
}

struct Import {
  Export* from;
  std::size_t opened;
};
std::map<Allocation*, Import>& imports() {
  static auto& all = *new std::map<Allocation*, Import>;
  return all;
}

std::array<char, 64> path_of(std::int32_t process, std::int32_t file) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/fd/%d", process, file);
  return path;
}

/// Or has ended, and nobody has asked how.
bool is_gone(pid_t process) {
  std::array<char, 64> path{}, program{};
  std::snprintf(path.data(), path.size(), "/proc/%d/exe", process);
  return readlink(path.data(), program.data(), program.size()) < 0;
}

Table* map_table(int file) {
  void* const mapped = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<Table*>(mapped);
}

Table& table() {
  if (own != nullptr) return *own;
  own_file = memfd_create("emulation exports", MFD_CLOEXEC);
  if (own_file < 0 || ftruncate(own_file, sizeof(Table)) != 0) mistake({"no memory file for what is exported"});
  own = map_table(own_file);
  if (own == nullptr || getrandom(&own->mark, sizeof own->mark, 0) != sizeof own->mark) {
    mistake({"no memory for what is exported"});
  }
  return *own;
}

/// The other process's table; null if there is none, or it is of a process that had that number before.
Table* table_of(Handle const& handle) {
  if (auto const known = others().find(handle.mark); known != others().end()) return known->second.table;
  int const file = ::open(path_of(handle.process, handle.table).data(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  Table* const found = map_table(file);
  ::close(file);
  if (found == nullptr || found->mark != handle.mark) return nullptr;
  others().emplace(handle.mark, Other{found, handle.process});
  return found;
}

template <class Opaque>
void write_handle(Opaque& to, char const* name, std::uint32_t number, int file) {
  Handle handle{{}, table().mark, getpid(), own_file, file, static_cast<std::int32_t>(number)};
  std::memcpy(handle.name, name, sizeof handle.name);
  to = {};
  std::memcpy(&to, &handle, sizeof handle);
}

template <class Opaque>
cudaError_t read_handle(Opaque const& from, char const* name, Handle& handle, Table*& theirs) {
  std::memcpy(&handle, &from, sizeof handle);
  if (std::memcmp(handle.name, name, sizeof handle.name) != 0) return cudaErrorInvalidValue;
  if (handle.number < 0 || static_cast<std::size_t>(handle.number) >= most_exports) return cudaErrorInvalidValue;
  if (handle.process == getpid()) return cudaErrorDeviceUninitialized;  // "exported from another process"
  theirs = table_of(handle);
  return theirs != nullptr ? cudaSuccess : cudaErrorMapBufferObjectFailed;
}

/// Others wait for this process's events, which on a GPU come by themselves: what leads to them is run.
void answer_others() {
  for (std::uint32_t seen = 0;;) {
    while (own->asked.load(std::memory_order_acquire) == seen) futex_wait(own->asked, seen);
    seen = own->asked.load(std::memory_order_acquire);
    Held const held;
    for (auto const& event : world().events.all()) {
      if (event->shared == nullptr || event->exporter != 0 || event->destroyed || event->lost || !event->recorded)
        continue;
      if (world().devices[event->device].error == cudaSuccess) scheduler::reach(event->latest, false);
    }
  }
}

/// Without the world's lock.
void await_event(SharedEvent& event, std::uint64_t wanted, Table& theirs, pid_t process) {
  for (;;) {
    auto const seen = event.changes.load(std::memory_order_acquire);
    if (event.done.load(std::memory_order_acquire) >= wanted || is_gone(process)) return;
    theirs.asked.fetch_add(1, std::memory_order_release);
    futex_wake(theirs.asked);
    futex_wait(event.changes, seen, 50);
  }
}

Table& table_with(SharedEvent const& event) {
  for (auto const& [mark, other] : others()) {
    if (&event >= other.table->events && &event < other.table->events + most_exports) return *other.table;
  }
  mistake({"an event of another process that is not known"});
}

void expect_there(Event const& event) {
  if (event.shared->state.load() != 1) {
    mistake({"an event of process ", static_cast<std::uint64_t>(event.exporter), " is used that it destroyed"});
  }
}

struct Waited {
  SharedEvent& event;
  std::uint64_t wanted;
  Table& theirs;
  pid_t process;
};

}  // namespace

cudaError_t get(cudaIpcMemHandle_t& handle, void* pointer) {
  Allocation* const found = regions().find_allocation(pointer);
  bool const can = found != nullptr && found->kind == Kind::device && found->pool < 0 && !found->imported &&
                   found->state == State::live && pointer >= found->begin && pointer < found->end();
  if (!can) return cudaErrorInvalidValue;
  Region const& region = *regions().find(found->pages);
  if (found->exported == 0) {
    if (exported + 1 == most_exports) return cudaErrorMemoryAllocation;
    found->exported = ++exported;
    Export& entry = table().exports[found->exported];
    entry.offset = region.offset_of(found->pages), entry.length = found->length, entry.size = found->size;
    entry.live.store(1);
  }
  write_handle(handle, name_of_memory, found->exported, region.file());
  return cudaSuccess;
}

cudaError_t open(void** pointer, cudaIpcMemHandle_t const& opaque, Entry const& entry) {
  Handle handle;
  Table* theirs = nullptr;
  if (auto const error = read_handle(opaque, name_of_memory, handle, theirs); error != cudaSuccess) return error;
  Export& from = theirs->exports[handle.number];
  if (from.live.load() != 1) return cudaErrorInvalidResourceHandle;  // it was freed
  for (auto& [allocation, import] : imports()) {
    if (import.from != &from) continue;
    ++import.opened;
    *pointer = allocation->begin;
    return cudaSuccess;
  }
  auto const path = path_of(handle.process, handle.file);
  int const file = ::open(path.data(), O_RDWR | O_CLOEXEC);
  if (file < 0) return cudaErrorMapBufferObjectFailed;
  Allocation* const made = regions().reserve(Kind::device, current_device(), from.size);
  bool shown = made != nullptr && regions().begin_import(*made, file, from.offset);
  ::close(file);
  if (shown && !sanitizer::threads) shown = gpu::show(*made, path.data(), from.offset);
  if (!shown) {
    if (made != nullptr) regions().end_import(*made);
    return cudaErrorMapBufferObjectFailed;
  }
  made->made_by = entry.name(), made->made_at = entry.caller();
  imports().emplace(made, Import{&from, 1});
  for (auto& importer : from.importers) {
    std::int32_t none = 0;
    if (importer.compare_exchange_strong(none, getpid())) break;
  }
  *pointer = made->begin;
  return cudaSuccess;
}

cudaError_t give_up(void* pointer) {
  Allocation* const found = regions().find_allocation(pointer);
  auto const import = imports().find(found);
  if (found == nullptr || import == imports().end() || found->begin != pointer) return cudaErrorInvalidValue;
  if (--import->second.opened == 0) close(*found);
  return cudaSuccess;
}

void close(Allocation& allocation) {
  auto const import = imports().find(&allocation);
  if (import == imports().end()) return;
  allocation.free_asked = true;
  gpu::close(allocation, ~std::uint32_t{0});
  Region const& region = *regions().find(allocation.pages);
  if (!sanitizer::threads) gpu::show(allocation, "", region.offset_of(allocation.pages));
  regions().end_import(allocation);
  for (auto& importer : import->second.from->importers) {
    std::int32_t self = getpid();
    if (importer.compare_exchange_strong(self, 0)) break;
  }
  imports().erase(import);
}

void end(Allocation const& allocation) {
  if (allocation.exported == 0) return;
  Export& entry = table().exports[allocation.exported];
  for (auto& importer : entry.importers) {
    auto const process = importer.load();
    if (process == 0 || is_gone(process)) continue;
    mistake({"device memory of ", allocation.size, " bytes made by ", allocation.made_by, " at ",
             Piece::place(allocation.made_at), " is freed while process ", static_cast<std::uint64_t>(process),
             " has it open"});
  }
  entry.live.store(2);
}

SharedEvent* new_event() {
  if (events + 1 == most_exports) mistake({"more than ", most_exports, " events between processes"});
  static std::thread const& answering = *[] {
    (void)table();
    auto* const thread = new std::thread{answer_others};
    thread->detach();
    return thread;
  }();
  static_cast<void>(answering);
  SharedEvent& made = table().events[++events];
  made.state.store(1);
  return &made;
}

cudaError_t get(cudaIpcEventHandle_t& handle, Event const& event) {
  if (event.shared == nullptr || event.exporter != 0) return cudaErrorInvalidResourceHandle;
  write_handle(handle, name_of_event, static_cast<std::uint32_t>(event.shared - table().events), 0);
  return cudaSuccess;
}

cudaError_t open(cudaEvent_t* event, cudaIpcEventHandle_t const& opaque, void* caller) {
  Handle handle;
  Table* theirs = nullptr;
  if (auto const error = read_handle(opaque, name_of_event, handle, theirs); error != cudaSuccess) return error;
  SharedEvent& shared = theirs->events[handle.number];
  if (shared.state.load() != 1) return cudaErrorInvalidResourceHandle;
  Event* made = nullptr;
  *event = world().events.add(made);
  made->device = current_device();
  made->flags = cudaEventDisableTiming | cudaEventInterprocess;
  made->made_at = caller;
  made->shared = &shared;
  made->exporter = handle.process;
  return cudaSuccess;
}

void end(Event const& event) {
  if (event.shared != nullptr && event.exporter == 0) event.shared->state.store(2);
}

std::function<void()> recorded(Event const& event) {
  if (event.shared == nullptr) return {};
  return [shared = event.shared, number = event.shared->recorded.fetch_add(1) + 1] {
    shared->done.store(number, std::memory_order_release);
    shared->changes.fetch_add(1, std::memory_order_release);
    futex_wake(shared->changes);
  };
}

bool is_done(Event const& event) {
  expect_there(event);
  Table& theirs = table_with(*event.shared);
  theirs.asked.fetch_add(1, std::memory_order_release);
  futex_wake(theirs.asked);
  return event.shared->done.load(std::memory_order_acquire) >= event.shared->recorded.load();
}

void wait(Event const& event) {
  expect_there(event);
  Table& theirs = table_with(*event.shared);
  auto const wanted = event.shared->recorded.load();
  world().lock.unlock();
  await_event(*event.shared, wanted, theirs, event.exporter);
  world().lock.lock();
}

void wait_in(Stream& stream, Event const& event, void* caller) {
  expect_there(event);
  Operation operation;
  operation.caller = caller;
  operation.host_function = [](void* argument) {
    std::unique_ptr<Waited> const waited(static_cast<Waited*>(argument));
    await_event(waited->event, waited->wanted, waited->theirs, waited->process);
  };
  operation.argument =
      new Waited{*event.shared, event.shared->recorded.load(), table_with(*event.shared), event.exporter};
  scheduler::enqueue(stream, std::move(operation));
}

}  // namespace emulation::exports
