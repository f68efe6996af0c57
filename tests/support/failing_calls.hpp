// Stores in memory whose calls fail on request.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <type_traits>

#include <tessera/store/memory_store.hpp>

namespace test {

/// Without a listing and without locks.
struct FailingCalls {
  using buffer_type = tessera::HostBuffer;
  using Queue = tessera::Queue<tessera::space::Host>;
  struct State {
    tessera::MemoryStore<tessera::HostBuffer> inner;
    std::atomic<long> left = -1;  ///< calls until the one that fails, in any thread; below 0: none does
    bool after = false;           ///< it fails when it is done
  };
  std::shared_ptr<State> state = std::make_shared<State>();

  template <class F>
  auto call(F&& f) const -> decltype(f()) {
    bool const fails = state->left >= 0 && state->left-- == 0;
    auto const fail = [&](bool now) {
      if (fails && now) throw tessera::StoreError{"the line is down"};
    };
    fail(!state->after);
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      fail(true);
    } else {
      auto result = f();
      fail(true);
      return result;
    }
  }
  std::optional<std::size_t> read(tessera::Key const& key, tessera::ByteRange range,
                                  tessera::Destination<tessera::space::Host> destination, Queue& on) const {
    return call([&] { return state->inner.read(key, range, destination, on); });
  }
  void write(tessera::Key const& key, tessera::ByteView<tessera::space::Host> value, Queue& on) const {
    call([&] { state->inner.write(key, value, on); });
  }
  bool erase(tessera::Key const& key, Queue& on) const {
    return call([&] { return state->inner.erase(key, on); });
  }
};
static_assert(tessera::Store<FailingCalls> && !tessera::ListableStore<FailingCalls>);

struct FailingCallsAndLists : FailingCalls {
  void list(std::string_view prefix, tessera::Visitor visit) const {
    call([&] { state->inner.list(prefix, visit); });
  }
  void list_directory(std::string_view prefix, tessera::Visitor visit) const {
    call([&] { state->inner.list_directory(prefix, visit); });
  }
};
static_assert(tessera::ListableStore<FailingCallsAndLists>);

}  // namespace test
