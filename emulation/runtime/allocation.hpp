// Making and freeing memory: budgets, pools' books, and what is wrong about a pointer that is freed.
#pragma once
#include "entry.hpp"
#include "world.hpp"

namespace emulation {

/// Null when the budget does not allow it or there is no room. What is queued on the device runs first, if that frees
/// enough. The memory is reserved; regions().begin() makes it live.
Allocation* allocate(Entry const& entry, Kind kind, int device, std::size_t size, Pool* pool = nullptr);

/// Gives it back: from now on every touch is a mistake.
void release(Allocation& allocation, State state = State::gone);

/// The allocation that `call` frees. Stops the program if there is none, or none any more. Null, if it went with its
/// device's context.
Allocation* find_to_free(Entry const& entry, void* pointer, bool host);

/// Stops the program if something that is queued will touch the range.
void check_unused(Entry const& entry, std::byte const* begin, std::size_t size);

}  // namespace emulation
