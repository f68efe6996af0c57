// Tests of device memory: the same files run on the emulated runtime, under many seeds, and on a GPU.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/tessera.cuh>

#include <support/temporary_folder.hpp>

#if defined(TESSERA_CUDA_EMULATION)
#include <emulation/emulation.hpp>
#endif

namespace test {

using DeviceQueue = tessera::Queue<tessera::space::Device>;
using HostQueue = tessera::Queue<tessera::space::Host>;

#if defined(TESSERA_CUDA_EMULATION)
/// `count`, or TESSERA_TEST_SEEDS of the environment if that is less: tests that run tests use fewer.
inline std::uint64_t seeds(std::uint64_t count) {
  auto const* const most = std::getenv("TESSERA_TEST_SEEDS");
  return most ? std::min<std::uint64_t>(count, std::strtoull(most, nullptr, 10)) : count;
}

/// Checks that no object of the runtime is left.
inline void check_nothing_left() {
  emulation::run_all();
  auto const left = emulation::alive();
  CHECK(left.allocations == 0);
  CHECK(left.page_locked == 0);
  CHECK(left.streams == 0);
  CHECK(left.events == 0);
  CHECK(left.pools == 0);
}
#endif

/// Calls f under each of `count` seeds, of which the first 16 are every combination of four early and late streams;
/// once on a GPU. Nothing may be left when it returns.
template <class F>
void under_seeds([[maybe_unused]] std::uint64_t count, F&& f) {
#if defined(TESSERA_CUDA_EMULATION)
  for (std::uint64_t seed = 0; seed < seeds(count); ++seed) {
    CAPTURE(seed);
    emulation::seed(seed);
    f();
    check_nothing_left();
  }
#else
  f();
#endif
}

inline tessera::ByteView<tessera::space::Host> host_bytes(std::string_view text) {
  return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
}

/// A buffer with these bytes, in the queue's order.
template <class B>
B made(std::string_view text, DeviceQueue& on) {
  using Space = typename B::space_type;
  tessera::HostBuffer host{text.size()};
  if (!text.empty()) std::memcpy(host.span().data, text.data(), text.size());
  B buffer(text.size(), tessera::queue_in<Space>(on));
  tessera::crossing<Space, tessera::space::Host>::copy(host.view(), buffer.span(),
                                                       tessera::queue_between<Space, tessera::space::Host>(on));
  on.keep(std::move(host));
  return buffer;
}

/// The bytes, once the queue has reached this point.
template <class S>
std::string text(tessera::ByteView<S> bytes, DeviceQueue& on) {
  std::string result(bytes.size, '?');
  tessera::ByteSpan<tessera::space::Host> const to{reinterpret_cast<std::byte*>(result.data()), result.size()};
  tessera::crossing<tessera::space::Host, S>::copy(bytes, to, tessera::queue_between<tessera::space::Host, S>(on));
  on.wait();
  return result;
}

template <class S>
void put(S const& store, std::string const& key, std::string_view value, DeviceQueue& on) {
  auto const buffer = made<tessera::buffer_of<S>>(value, on);
  store.write({key}, buffer.view(), tessera::queue_in<tessera::space_of<S>>(on));
}
template <class S>
std::string value(S const& store, std::string const& key, DeviceQueue& on, tessera::ByteRange range = {}) {
  auto const buffer = tessera::get_value(store, {key}, tessera::queue_in<tessera::space_of<S>>(on), range);
  return buffer ? text(buffer->view(), on) : "(missing)";
}

/// Text without a short period, so that a byte in the wrong place shows.
inline std::string long_text(std::size_t size, std::uint32_t seed = 1) {
  std::string result(size, ' ');
  for (auto& c : result) c = static_cast<char>('a' + (seed = seed * 1664525 + 1013904223) / (1u << 28));
  return result;
}

}  // namespace test
