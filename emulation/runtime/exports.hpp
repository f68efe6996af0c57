// Objects of this process that others may open, and objects of others that this one has opened: a table for each
// process in a memory file, which the others map as they map the memory itself, through /proc.
#pragma once
#include <cuda_runtime_api.h>

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "entry.hpp"
#include "world.hpp"

namespace emulation {

/// An event as all processes see it.
struct SharedEvent {
  std::atomic<std::uint64_t> recorded;  ///< how often, and ...
  std::atomic<std::uint64_t> done;      ///< ... how many of these the stream has reached
  std::atomic<std::uint32_t> changes;   ///< of `done`
  std::atomic<std::uint32_t> state;     ///< 0: none, 1: an event, 2: it was destroyed
};

namespace exports {

/// The device memory of an address, for export. cudaErrorInvalidValue: it cannot be exported.
cudaError_t get(cudaIpcMemHandle_t& handle, void* pointer);
/// Another process's memory, opened now or before. Requires: the world's lock.
cudaError_t open(void** pointer, cudaIpcMemHandle_t const& handle, Entry const& entry);
cudaError_t give_up(void* pointer);

/// A pool's file, for export: the owning process and its number there; and that pool here. Its memory.
cudaError_t share(int& file, Pool const& pool);
cudaError_t import(cudaMemPool_t* pool, int file, void* caller);
cudaError_t get(cudaMemPoolPtrExportData& data, void* pointer);
cudaError_t open(void** pointer, Pool const& pool, cudaMemPoolPtrExportData const& data, Entry const& entry);
/// The stream has reached an allocation's beginning, here or in the owning process.
void begun(Allocation const& allocation);
bool has_begun(Allocation const& allocation);

/// Closes an import, however often it was opened: with its context.
void close(Allocation& allocation);
/// Before memory is freed: stops the program if another process has it open.
void end(Allocation const& allocation);

SharedEvent* new_event();
cudaError_t get(cudaIpcEventHandle_t& handle, Event const& event);
cudaError_t open(cudaEvent_t* event, cudaIpcEventHandle_t const& handle, void* caller);
void end(Event const& event);
/// What the stream does when it reaches the record made now; empty if no other process sees it.
std::function<void()> recorded(Event const& event);
bool is_done(Event const& event);
/// Returns, or lets the stream continue, when the latest record of now is done, or its process has ended.
void wait(Event const& event);
void wait_in(Stream& stream, Event const& event, void* caller);

}  // namespace exports
}  // namespace emulation
