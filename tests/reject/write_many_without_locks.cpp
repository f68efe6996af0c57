// expect: tessera: a store that has a write_many of its own holds its 'lock(Key const&)' of each key that it writes
#include <span>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Own : MemoryStore<HostBuffer> {
  void write_many(std::span<WriteRequest<space::Host> const>, tessera::Queue<space::Host>&) const {}
#ifndef CURED
  void lock(Key const&) const = delete;
#endif
};
void program(Own store, std::span<WriteRequest<space::Host> const> requests, Queue<space::Host> on) {
  write_many(store, requests, on);
}
