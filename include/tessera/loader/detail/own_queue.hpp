// own_queue: a queue like another one, for work that must not delay it. loader.cuh has that of a device.
#pragma once
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// `make(like)`: a new queue with as many threads, and on a device a stream on the same device.
template <class Q>
struct own_queue;

template <>
struct own_queue<Queue<space::Host>> {
  static Queue<space::Host> make(Queue<space::Host>& like) {
    return Queue<space::Host>{like.threads(), like.resource()};
  }
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
