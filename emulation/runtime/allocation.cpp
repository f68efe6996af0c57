#include "allocation.hpp"

#include <algorithm>

#include "exports.hpp"
#include "fault.hpp"
#include "gpu.hpp"
#include "report.hpp"
#include "scheduler.hpp"

namespace emulation {
namespace {

void count_in_pool(Pool& pool, std::size_t size) {
  pool.used += size;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved = std::max(pool.reserved, pool.used);
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
}

bool fits(Kind kind, int device, std::size_t size, Pool const* pool) {
  World const& all = world();
  if (kind == Kind::page_locked) return size <= all.machine.page_locked - all.page_locked;
  if (pool != nullptr && pool->limit != 0 && size > pool->limit - std::min(pool->limit, pool->used)) return false;
  return size <= all.machine.memory - all.devices[device].used;
}

int index_of(Pool const& pool) {
  int index = -1;
  for (std::size_t i = 0; i < world().pools.all().size(); ++i) {
    if (world().pools.all()[i].get() == &pool) index = static_cast<int>(i);
  }
  return index;
}

/// Whether a pool can lend a block again whose free no stream has reached yet. It cannot join or divide such blocks.
bool has_freed(Pool const& pool, std::size_t size) {
  int const index = index_of(pool);
  auto const& all = regions().all();
  return std::any_of(all.begin(), all.end(), [&](Allocation const& one) {
    bool const is_there = one.state == State::live || one.state == State::reserved;
    return one.pool == index && is_there && one.free_asked && one.size >= size;
  });
}

std::size_t& used_by(Kind kind, int device) {
  return kind == Kind::page_locked ? world().page_locked : world().devices[device].used;
}

}  // namespace

Allocation* allocate(Entry const& entry, Kind kind, int device, std::size_t size, Pool* pool) {
  if (!fits(kind, device, size, pool) && (pool == nullptr || has_freed(*pool, size))) scheduler::drain(device, false);
  if (!fits(kind, device, size, pool)) return nullptr;
  Allocation* const made = regions().reserve(kind, device, size);
  if (made == nullptr) return nullptr;
  fault::watch();
  made->made_by = entry.name();
  made->made_at = entry.caller();
  used_by(kind, device) += size;
  if (kind == Kind::device && pool == nullptr) {
    for (int other = 0; other < most_devices; ++other) {
      if ((world().devices[other].peers >> device & 1) != 0) made->accessible |= std::uint32_t{1} << other;
    }
  }
  if (pool == nullptr) return made;
  made->accessible = pool->accessible;
  made->pool = index_of(*pool);
  count_in_pool(*pool, size);
  return made;
}

void release(Allocation& allocation, State state) {
  if (allocation.imported) return exports::close(allocation);
  exports::end(allocation);
  used_by(allocation.kind, allocation.device) -= allocation.size;
  if (allocation.pool >= 0) world().pools.all()[static_cast<std::size_t>(allocation.pool)]->used -= allocation.size;
  allocation.free_asked = true;
  gpu::close(allocation, ~std::uint32_t{0});
  regions().end(allocation, state);
}

Allocation* find_to_free(Entry const& entry, void* pointer, bool host) {
  Allocation* const found = regions().find_allocation(pointer);
  if (found == nullptr || found->begin != pointer || (found->kind == Kind::page_locked) != host) {
    mistake({entry.name(), " called at ", Piece::place(entry.caller()), " frees ", pointer,
             found == nullptr          ? ", which is not allocated"
             : found->begin != pointer ? ", which is not allocated, but lies within an allocation"
             : host                    ? ", which is not allocated as page-locked memory"
                                       : ", which is not allocated as device or managed memory"});
  }
  if (found->imported && found->pool < 0) {
    mistake({entry.name(), " called at ", Piece::place(entry.caller()), " frees ", pointer,
             ", which is another process's: cudaIpcCloseMemHandle closes it"});
  }
  if (found->state == State::lost) return nullptr;
  if (found->free_asked) {
    mistake({"double free: ", entry.name(), " called at ", Piece::place(entry.caller()), " frees ", pointer, ", ",
             found->size, " bytes made by ", found->made_by, " at ", Piece::place(found->made_at),
             ", which was freed at ", Piece::place(found->freed_at)});
  }
  found->freed_at = entry.caller();
  return found;
}

void check_unused(Entry const& entry, std::byte const* begin, std::size_t size) {
  for (auto const& [number, stream] : world().active) {
    for (Operation const& operation : stream->queue) {
      for (Range const& range : operation.touches) {
        if (begin + size <= range.begin || range.begin + range.size <= begin) continue;
        mistake({entry.name(), " called at ", Piece::place(entry.caller()), " gives back ", size, " bytes at ",
                 static_cast<void const*>(begin), ", which the operation queued at ", Piece::place(operation.caller),
                 " will touch"});
      }
    }
  }
}

}  // namespace emulation
