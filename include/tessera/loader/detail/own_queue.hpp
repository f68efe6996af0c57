// own_queue: a queue for work that runs beside that of another queue. loader.cuh has that of a device.
#pragma once
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// `make(like)`: a queue with the same host threads, and on a device a new stream on the same device. Many loaders
/// together have no more threads than one, apart from the thread that each begins.
template <class Q>
struct own_queue;

template <>
struct own_queue<Queue<space::Host>> {
  static Queue<space::Host> make(Queue<space::Host>& like) { return like; }
};

template <class Q>
consteval bool check_own_queue() {
  constexpr bool is_there = requires { sizeof(own_queue<Q>); };
  static_assert(is_there,
                "tessera: a Loader of an array in device memory needs <tessera/loader/loader.cuh>, which includes "
                "<tessera/loader/loader.hpp>");
  return is_there;
}

}}}  // namespace tessera::v0::detail
