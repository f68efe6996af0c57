#include "entry.hpp"

#include <pthread.h>

#include "capture.hpp"
#include "injection.hpp"
#include "log.hpp"
#include "sanitizer.hpp"
#include "scheduler.hpp"
#include "unasked.hpp"

namespace emulation {
namespace {

/// A forked child has neither the GPU's processes nor the threads of the streams.
bool forked = false;

__attribute__((constructor)) void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
}

}  // namespace

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

void kill_context(int device, cudaError_t error) {
  world().devices[device].error = error;
  scheduler::drop(device);
}

Entry::Entry(char const* name, Role role, void* caller) : name_(name), role_(role), caller_(caller) {
  bool const refused = forked || Worker::here();
  if (refused) {
    result_ = forked ? cudaErrorInitializationError : cudaErrorNotPermitted;
    ends_ = role != Role::sure;
    if (ends_) last_error() = result_;
    return;
  }
  sanitizer::look_away();
  world().lock.lock();
  locked_ = true;

  std::vector<void*> site;
  if (log::wants_sites()) site = log::site_of(caller);
  if (role == Role::order && log::left_out(name, site)) {
    ends_ = true;
    return;
  }
  log_ = log::current();
  if (log_ != 0) logged_ = log::add({.name = name, .site = std::move(site)});
  if (role == Role::sure) return;

  result_ = injection::next(name);
  if (is_sticky(result_)) kill_context(current_device(), result_);
  bool const needs_context = role == Role::work || role == Role::release || role == Role::order;
  if (result_ == cudaSuccess && needs_context) contexts::need(name, caller);
  if (result_ == cudaSuccess && needs_context) {
    result_ = world().machine.devices == 0 ? cudaErrorNoDevice : world().devices[current_device()].error;
  }
  if (result_ == cudaSuccess && capture::prohibits(name)) result_ = cudaErrorStreamCaptureUnsupported;
  if (result_ == cudaSuccess) return;
  if (role != Role::driver) last_error() = result_;
  ends_ = role != Role::release;
  if (Call* const logged = call()) logged->result = result_;
}

Entry::~Entry() {
  if (!locked_) return;
  if (role_ != Role::release) unasked::returned(result_);  // destructors do not report their errors
  world().lock.unlock();
  sanitizer::look_again();
}

cudaError_t Entry::end(cudaError_t work) {
  if (result_ == cudaSuccess) result_ = work;
  if (role_ == Role::sure) return work;
  // "cudaErrorNotReady ... is not considered an error and is therefore not reported by cudaGetLastError()."
  if (result_ != cudaSuccess && result_ != cudaErrorNotReady && role_ != Role::driver) last_error() = result_;
  if (Call* const logged = call()) logged->result = result_;
  return result_;
}

Call* Entry::call() { return log_ != 0 && log_ == log::current() ? &log::at(logged_) : nullptr; }

void Entry::tell_bytes(std::size_t bytes) {
  if (Call* const logged = call()) logged->bytes = bytes;
}

void Entry::tell_kind(cudaMemcpyKind kind) {
  if (Call* const logged = call()) logged->kind = kind;
}

void Entry::tell_spins(bool spins) {
  if (Call* const logged = call()) logged->spins = spins;
}

void Entry::tell_stream(Stream const& stream) {
  if (Call* const logged = call()) logged->stream = stream.number;
}

}  // namespace emulation
