#include "fault.hpp"

#include <ucontext.h>

#include <csetjmp>
#include <csignal>

#include "managed.hpp"
#include "regions.hpp"
#include "transfer.hpp"

namespace emulation::fault {
namespace {

struct sigaction before {};  ///< the previous handler
bool said = false;

/// Of a thread in which a kernel runs.
thread_local sigjmp_buf* way_out = nullptr;
thread_local void const* touched_address = nullptr;

void* place_of_fault(void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  static_cast<void>(context);
  return nullptr;
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (way_out != nullptr) {
    touched_address = info->si_addr;
    siglongjmp(*way_out, 1);
  }
  bool const ours = info->si_code > 0 && regions().find(info->si_addr) != nullptr;
  if (ours && !said) {
    said = true;
    say_touch("host code", "by what is at ", place_of_fault(context), info->si_addr);
  }
  // Calls the previous handler: the instruction runs again.
  struct sigaction next = before;
  if (said && info->si_code <= 0) next.sa_handler = SIG_DFL;
  sigaction(signal, &next, nullptr);
  if (info->si_code <= 0) raise(signal);
}

}  // namespace

void watch() {
  struct sigaction now {};
  sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) return;
  before = now;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
}

void say_touch(char const* who, char const* how, void const* place, void const* address) {
  Region const* const region = regions().find(address);
  if (region == nullptr) {
    bool const registered = place_of(address) == Place::page_locked;
    say({who, " touched ", address,
         registered ? ", memory that cudaHostRegister has page-locked, which emulated kernels cannot reach; "
                    : ", memory of the host that is not page-locked; ",
         how, Piece::place(place)});
    return;
  }
  char const* const kind = region->kind() == Kind::device        ? " touched device memory "
                           : region->kind() == Kind::page_locked ? " touched page-locked memory "
                                                                 : " touched managed memory ";
  Allocation const* const found = regions().find_allocation(address);
  if (found == nullptr) {
    say({who, kind, address, ", where nothing is allocated; ", how, Piece::place(place)});
    return;
  }
  auto const* const byte = static_cast<std::byte const*>(address);
  bool const before_it = byte < found->begin;
  auto const distance = static_cast<std::size_t>(before_it ? found->begin - byte : byte - found->begin);
  bool const freed = found->freed_at != nullptr;
  say({who, kind, address, ": ", distance, before_it ? " bytes before" : " bytes into", " the allocation of ",
       found->size, " bytes made by ", found->made_by, " at ", Piece::place(found->made_at), freed ? ", freed at " : "",
       freed ? Piece::place(found->freed_at) : Piece(""), "; ", managed::reason(*found), how, Piece::place(place)});
}

cudaError_t run_guarded(void (*kernel)(void* argument), void* argument, void const*& touched) {
  sigjmp_buf here;
  way_out = &here;
  bool const ended = sigsetjmp(here, 1) == 0;
  if (ended) kernel(argument);
  way_out = nullptr;
  touched = touched_address;
  return ended ? cudaSuccess : cudaErrorIllegalAddress;
}

}  // namespace emulation::fault
