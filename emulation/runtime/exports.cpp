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

constexpr std::size_t most_exports = 65536, most_importers = 16;

struct Export {
  std::atomic<std::uint32_t> live;
  std::atomic<std::uint32_t> begun;
  std::int32_t pool;                   ///< -1: none
  std::uint64_t offset, length, size;  ///< of its pages in the region's file, and of the allocation
  std::atomic<std::int32_t> importers[most_importers];
};

struct Table {
  std::uint64_t mark;                ///< a random number that identifies the process
  std::atomic<std::uint32_t> asked;  ///< counts processes that wait for an event
  Export exports[most_exports];
  SharedEvent events[most_exports];
};

/// The contents of a handle's 64 bytes.
struct Handle {
  char name[8];
  std::uint64_t mark;
  std::int32_t process, table, file, number;
};
static_assert(sizeof(Handle) <= sizeof(cudaIpcMemHandle_t) && sizeof(Handle) <= sizeof(cudaIpcEventHandle_t));
constexpr char name_of_memory[8] = "emumem", name_of_event[8] = "emuevnt", name_of_pool[8] = "emupool",
               name_of_pointer[8] = "emuptr";

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

/// Or has ended as a zombie.
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

/// The other process's table; null if there is none, or it is of an earlier process with that number.
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

/// Other processes wait for this process's events, which on a GPU complete by themselves: run the work before them.
void answer_others() {
  for (std::uint32_t seen = 0;;) {
    while (own->asked.load(std::memory_order_acquire) == seen) futex_wait(own->asked, seen);
    seen = own->asked.load(std::memory_order_acquire);
    Held const held;
    auto const& all = world().events.all();
    for (std::size_t i = 0; i < all.size(); ++i) {  // reach() releases the lock: events may be made meanwhile
      Event const& event = *all[i];
      if (event.shared == nullptr || event.exporter != 0 || event.destroyed || event.lost || !event.recorded) continue;
      if (world().devices[event.device].error == cudaSuccess) scheduler::reach(event.latest, false);
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

std::uint32_t number_of(Allocation& allocation) {
  if (allocation.exported != 0) return allocation.exported;
  if (exported + 1 == most_exports) return 0;
  allocation.exported = ++exported;
  Export& entry = table().exports[allocation.exported];
  Region const& region = *regions().find(allocation.pages);
  entry.offset = region.offset_of(allocation.pages), entry.length = allocation.length, entry.size = allocation.size;
  entry.pool = allocation.pool;
  entry.begun.store(allocation.state == State::live ? 1 : 0);
  entry.live.store(1);
  return allocation.exported;
}

/// Null: it cannot be mapped.
Allocation* map_import(Handle const& handle, Export& from, Entry const& entry) {
  auto const path = path_of(handle.process, handle.file);
  int const file = ::open(path.data(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  Allocation* const made = regions().reserve(Kind::device, current_device(), from.size);
  bool shown = made != nullptr && regions().begin_import(*made, file, from.offset);
  ::close(file);
  if (shown && !sanitizer::threads) shown = gpu::show(*made, path.data(), from.offset);
  if (!shown) {
    if (made != nullptr) regions().end_import(*made);
    return nullptr;
  }
  made->made_by = entry.name(), made->made_at = entry.caller();
  imports().emplace(made, Import{&from, 1});
  for (auto& importer : from.importers) {
    std::int32_t none = 0;
    if (importer.compare_exchange_strong(none, getpid())) break;
  }
  return made;
}

bool can_export(Allocation const* found, void const* pointer) {
  return found != nullptr && found->kind == Kind::device && !found->imported && pointer >= found->begin &&
         pointer < found->end();
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
  bool const can = can_export(found, pointer) && found->pool < 0 && found->state == State::live;
  if (!can) return cudaErrorInvalidValue;
  if (number_of(*found) == 0) return cudaErrorMemoryAllocation;
  write_handle(handle, name_of_memory, found->exported, regions().find(found->pages)->file());
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
  Allocation* const made = from.pool < 0 ? map_import(handle, from, entry) : nullptr;
  if (made == nullptr) return cudaErrorMapBufferObjectFailed;
  *pointer = made->begin;
  return cudaSuccess;
}

cudaError_t share(int& file, Pool const& pool) {
  auto const& all = world().pools.all();
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.get() == &pool; });
  cudaMemPoolPtrExportData contents{};
  write_handle(contents, name_of_pool, static_cast<std::uint32_t>(found - all.begin()), pool.device);
  file = memfd_create("emulated pool", MFD_CLOEXEC);
  if (file < 0) return cudaErrorOperatingSystem;
  if (write(file, &contents, sizeof contents) != sizeof contents) mistake({"no memory file for a pool"});
  return cudaSuccess;
}

cudaError_t import(cudaMemPool_t* pool, int file, void* caller) {
  cudaMemPoolPtrExportData contents{};
  Handle handle;
  Table* theirs = nullptr;
  if (pread(file, &contents, sizeof contents, 0) != sizeof contents) return cudaErrorInvalidValue;
  if (auto const error = read_handle(contents, name_of_pool, handle, theirs); error != cudaSuccess) return error;
  if (handle.file < 0 || handle.file >= world().machine.devices) return cudaErrorInvalidValue;
  Pool* made = nullptr;
  *pool = world().pools.add(made);
  made->device = handle.file;
  made->accessible = std::uint32_t{1} << made->device;
  made->made_at = caller;
  made->exporter = handle.mark, made->number = handle.number;
  return cudaSuccess;
}

cudaError_t get(cudaMemPoolPtrExportData& data, void* pointer) {
  Allocation* const found = regions().find_allocation(pointer);
  bool const can = can_export(found, pointer) && pointer == found->begin && found->pool >= 0 && !found->free_asked &&
                   world().pools.all()[static_cast<std::size_t>(found->pool)]->exportable;
  if (!can) return cudaErrorInvalidValue;
  if (number_of(*found) == 0) return cudaErrorMemoryAllocation;
  write_handle(data, name_of_pointer, found->exported, regions().find(found->pages)->file());
  return cudaSuccess;
}

cudaError_t open(void** pointer, Pool const& pool, cudaMemPoolPtrExportData const& data, Entry const& entry) {
  Handle handle;
  Table* theirs = nullptr;
  if (auto const error = read_handle(data, name_of_pointer, handle, theirs); error != cudaSuccess) return error;
  Export& from = theirs->exports[handle.number];
  bool const is_of_pool = handle.mark == pool.exporter && from.pool == pool.number && from.live.load() == 1;
  bool const is_open =
      std::any_of(imports().begin(), imports().end(), [&](auto const& one) { return one.second.from == &from; });
  if (!is_of_pool || is_open) return cudaErrorInvalidValue;
  Allocation* const made = map_import(handle, from, entry);
  if (made == nullptr) return cudaErrorMapBufferObjectFailed;
  auto const& all = world().pools.all();
  auto const here = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.get() == &pool; });
  made->pool = static_cast<int>(here - all.begin());
  made->accessible = pool.accessible;
  *pointer = made->begin;
  return cudaSuccess;
}

void begun(Allocation const& allocation) {
  if (allocation.exported != 0) table().exports[allocation.exported].begun.store(1);
}

bool has_begun(Allocation const& allocation) {
  auto const import = imports().find(const_cast<Allocation*>(&allocation));
  return import == imports().end() || import->second.from->begun.load() != 0;
}

cudaError_t give_up(void* pointer) {
  Allocation* const found = regions().find_allocation(pointer);
  auto const import = imports().find(found);
  if (import == imports().end() || found->begin != pointer || found->pool >= 0) return cudaErrorInvalidValue;
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
  if (!has_begun(allocation)) allocation.state = State::reserved;  // its neighbours do not exist yet
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
    // Two streams may have recorded it, and the later record may be reached first: waits are for no less than that.
    auto reached = shared->done.load(std::memory_order_relaxed);
    while (reached < number && !shared->done.compare_exchange_weak(reached, number, std::memory_order_release)) {
    }
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
