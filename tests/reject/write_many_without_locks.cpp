// expect: tessera: a store with its own write_many must have a 'lock(Key const&)', and hold the lock of each key that it writes
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
