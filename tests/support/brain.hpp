// The sample volume: t1 and t1_half, whole and as elements.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <support/store_conformance.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

namespace test {

inline tessera::LocalStore<tessera::HostBuffer> brain_store() {
  return tessera::LocalStore<tessera::HostBuffer>{TESSERA_TEST_DATA "/brain.zarr"};
}

/// A copy that a test may damage.
inline tessera::MemoryStore<tessera::HostBuffer> brain_copy(std::string_view prefix) {
  tessera::MemoryStore<tessera::HostBuffer> copy;
  auto const source = brain_store();
  source.list(prefix, [&](tessera::Listed const& entry) {
    std::string const key{entry.path};
    put(copy, key, value(source, key));
  });
  return copy;
}

inline auto open_t1(HostQueue on = HostQueue{}) {
  return tessera::open_array<std::uint8_t, 3, tessera::AllCodecs>(brain_store(), "t1", on);
}
inline auto open_t1_half(HostQueue on = HostQueue{}) {
  return tessera::open_array<float, 3, tessera::AllCodecs>(brain_store(), "t1_half", on);
}

/// The elements in C order. array/brain.cpp checks their sums.
inline std::vector<std::uint8_t> const& t1_elements() {
  static auto const elements = [] {
    auto const array = open_t1().read(tessera::all);
    return std::vector<std::uint8_t>(array.elements().begin(), array.elements().end());
  }();
  return elements;
}
inline std::vector<float> const& t1_half_elements() {
  static auto const elements = [] {
    auto const array = open_t1_half().read(tessera::all);
    return std::vector<float>(array.elements().begin(), array.elements().end());
  }();
  return elements;
}

}  // namespace test
