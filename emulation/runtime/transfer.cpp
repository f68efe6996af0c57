#include "transfer.hpp"

#include <cstring>

#include "exports.hpp"
#include "report.hpp"
#include "sanitizer.hpp"

namespace emulation {
namespace {

bool is_registered(void const* address) {
  auto const& registered = world().registered;
  auto const* const byte = static_cast<std::byte const*>(address);
  auto next = registered.upper_bound(byte);
  return next != registered.begin() && (--next, byte < next->first + next->second);
}

[[noreturn]] void wrong_access(char const* what, char const* call, void* caller, void const* begin, std::size_t size,
                               Allocation const& allocation) {
  auto const* const first = static_cast<std::byte const*>(begin);
  bool const before = first < allocation.begin;
  mistake({what,
           ": ",
           call,
           " called at ",
           Piece::place(caller),
           " touches ",
           size,
           " bytes ",
           before ? "before" : "at offset ",
           before ? Piece("") : Piece(static_cast<std::size_t>(first - allocation.begin)),
           " of the allocation of ",
           allocation.size,
           " bytes at ",
           static_cast<void const*>(allocation.begin),
           " made by ",
           allocation.made_by,
           " at ",
           Piece::place(allocation.made_at),
           allocation.freed_at != nullptr ? ", freed at " : "",
           allocation.freed_at != nullptr ? Piece::place(allocation.freed_at) : Piece("")});
}

/// The allocation that the range must lie in; null for memory that is not the runtime's.
Allocation const* bounds(char const* call, void* caller, void const* begin, std::size_t size) {
  if (size == 0 || regions().find(begin) == nullptr) return nullptr;
  Allocation const* const allocation = regions().find_allocation(begin);
  if (allocation == nullptr) {
    mistake({"out of bounds: ", call, " called at ", Piece::place(caller), " touches ", size, " bytes at ", begin,
             ", where nothing is allocated"});
  }
  auto const* const first = static_cast<std::byte const*>(begin);
  if (first < allocation->begin || size > static_cast<std::size_t>(allocation->end() - first)) {
    wrong_access("out of bounds", call, caller, begin, size, *allocation);
  }
  return allocation;
}

}  // namespace

Place place_of(void const* address) {
  if (Region const* const region = regions().find(address)) {
    if (region->kind() == Kind::device) return Place::device;
    return region->kind() == Kind::managed ? Place::managed : Place::page_locked;
  }
  return is_registered(address) ? Place::page_locked : Place::pageable;
}

cudaMemcpyKind kind_of(Place to, Place from) {
  bool const to_device = to >= Place::managed;
  if (from >= Place::managed) return to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  return to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

bool allowed(cudaMemcpyKind kind, Place to, Place from) {
  auto const host = [](Place place) { return place != Place::device; };
  auto const device = [](Place place) { return place != Place::pageable; };
  switch (kind) {
    case cudaMemcpyHostToHost:
      return host(to) && host(from);
    case cudaMemcpyHostToDevice:
      return device(to) && host(from);
    case cudaMemcpyDeviceToHost:
      return host(to) && device(from);
    case cudaMemcpyDeviceToDevice:
      return device(to) && device(from);
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

void check_named(char const* call, void* caller, void const* begin, std::size_t size) {
  Allocation const* const allocation = bounds(call, caller, begin, size);
  if (allocation == nullptr || allocation->state == State::live || allocation->state == State::reserved) return;
  wrong_access("use after free", call, caller, begin, size, *allocation);
}

void check_access(char const* call, void* caller, void const* begin, std::size_t size) {
  Allocation const* const allocation = bounds(call, caller, begin, size);
  if (allocation == nullptr) return;
  bool const early = allocation->state == State::reserved || (allocation->imported && !exports::has_begun(*allocation));
  if (allocation->state == State::live && !early) return;
  wrong_access(early ? "use before the allocation in stream order" : "use after free in stream order", call, caller,
               begin, size, *allocation);
}

std::byte* inside(void const* address) {
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(address));
  Region const* const region = regions().find(address);
  return region != nullptr ? bytes + region->distance() : bytes;
}

void copy_rows(Transfer const& transfer) {
  std::byte* const to = inside(transfer.to.begin);
  std::byte const* const from = inside(transfer.from.begin);
  for (std::size_t row = 0; row < transfer.height; ++row) {
    std::memmove(to + row * transfer.to.pitch, from + row * transfer.from.pitch, transfer.width);
  }
}

void tell_sanitizer_read(Transfer const& transfer) {
  for (std::size_t row = 0; sanitizer::threads && row < transfer.height; ++row) {
    sanitizer::reads(transfer.from.begin + row * transfer.from.pitch, transfer.width);
  }
}

void tell_sanitizer_written(Transfer const& transfer) {
  for (std::size_t row = 0; sanitizer::threads && row < transfer.height; ++row) {
    sanitizer::writes(transfer.to.begin + row * transfer.to.pitch, transfer.width);
  }
}

}  // namespace emulation
