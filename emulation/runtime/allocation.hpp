// Allocating and freeing memory: budgets, accounts of pools, and errors in freed pointers.
#pragma once
#include "entry.hpp"
#include "world.hpp"

namespace emulation {

/// Null if the budget or the room is exceeded. Work queued on the device runs first, if that frees enough. The memory
/// is reserved; regions().begin() makes it live.
Allocation* allocate(Entry const& entry, Kind kind, int device, std::size_t size, Pool* pool = nullptr);

/// Frees it: from now on every access is an error.
void release(Allocation& allocation, State state = State::gone);

/// The allocation that `call` frees. Stops the program if there is none, or it was freed. Null, if it was lost with its
/// device's context.
Allocation* find_to_free(Entry const& entry, void* pointer, bool host);

/// Stops the program if queued work will access the range.
void check_unused(Entry const& entry, std::byte const* begin, std::size_t size);

}  // namespace emulation
