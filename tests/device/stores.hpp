// Every store of a kind of buffer passes the suite of stores.
#pragma once
#include <memory>

#include <device/device.hpp>
#include <tessera/testing/store_conformance.hpp>

namespace test {

template <class Make, class Q>
void check_store(Make&& make, Q const& on) {
  for (auto const& broken : tessera::testing::store_conformance(make, on)) FAIL_CHECK(broken);
}

template <tessera::MemorySpace S>
auto filled(tessera::testing::StoreValues const& values, DeviceQueue on) {
  tessera::MemoryStore<tessera::buffer_in_t<S>> store;
  for (auto const& [key, value] : values) put(store, key, value, on);
  return store;
}

/// In folders below `folder`, a new one for each store.
template <class B>
void check_stores(TemporaryFolder const& folder) {
  using namespace tessera;
  using Space = typename B::space_type;
  using testing::StoreValues;
  int made = 0;
  auto const next = [&] { return folder / ("store/" + std::to_string(made++)); };
  DeviceQueue const on{HostQueue{2}};
  check_store([] { return MemoryStore<B>{}; }, on);
  check_store([&] { return LocalStore<B>{next()}; }, on);
  check_store([] { return SplitStore{MemoryStore<HostBuffer>{}, MemoryStore<B>{}}; }, on);
  check_store([&] { return RoutedStore{MemoryStore<B>{}, LocalStore<B>{next()}, KeysBelow{"a/c"}}; }, on);
  check_store([&] { return RoutedStore{LocalStore<B>{next()}, MemoryStore<B>{}, KeysBelow{"a"}}; }, on);
  check_store([] { return PrefixStore{MemoryStore<B>{}, "a/b"}; }, on);
  check_store([&](StoreValues const& values) { return ReadOnlyStore{filled<Space>(values, on)}; }, on);
  check_store([&] { return AnyStore<B>{LocalStore<B>{next()}}; }, on);
  check_store([] { return CastStore<B, MemoryStore<HostBuffer>>{{}}; }, on);
  check_store([&] { return CastStore<B, LocalStore<HostBuffer>>{LocalStore<HostBuffer>{next()}}; }, on);
  check_store([&] { return host_side(MemoryStore<B>{}, on); }, HostQueue{});
  check_store([&] { return host_side(PrefixStore{LocalStore<B>{next()}, "a"}, on); }, HostQueue{});
}

}  // namespace test
