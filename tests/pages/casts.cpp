// The rows of the table of casts in docs/device-memory.md, from the types. tests/device/casts.cpp runs them.
#include <concepts>
#include <iostream>
#include <string>

#include <tessera/tessera.cuh>

using namespace tessera;

namespace {

template <class To, class From>
std::string cell() {
  using target = typename To::space_type;
  using source = typename From::space_type;
  constexpr bool is_waited_for = std::same_as<target, space::Host> && !std::same_as<source, space::Host>;
  if (std::same_as<To, From>) return "moved";
  if (!AllocatableBuffer<To> || !CrossesFrom<target, source>) return "refused";
  std::string const copied = is_waited_for ? "copied, and waited for" : "copied";
  return is_seen_in<target, source> && !std::same_as<target, source> ? "seen; or " + copied : copied;
}

template <class From, class... To>
void print_row(char const* name) {
  std::cout << "| `" << name << "` |";
  ((std::cout << ' ' << cell<To, From>() << " |"), ...);
  std::cout << '\n';
}
template <class From>
void print(char const* name) {
  print_row<From, HostBuffer, PinnedBuffer, ManagedBuffer, DeviceBuffer, MappedBuffer>(name);
}

}  // namespace

int main() {
  print<HostBuffer>("HostBuffer");
  print<PinnedBuffer>("PinnedBuffer");
  print<ManagedBuffer>("ManagedBuffer");
  print<DeviceBuffer>("DeviceBuffer");
  print<MappedBuffer>("MappedBuffer");
}
