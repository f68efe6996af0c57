// GatedStore: a store in memory that counts reads, and lets them wait.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <tessera/store/memory_store.hpp>

namespace test {

struct GatedStore {
  struct Gate {
    std::mutex mutex{};
    std::condition_variable changed{};
    bool is_open = true;
    std::size_t waiting = 0;
    std::map<std::string, int> reads{};  // of each key

    void close() {
      std::lock_guard lock{mutex};
      is_open = false;
    }
    void open() {
      {
        std::lock_guard lock{mutex};
        is_open = true;
      }
      changed.notify_all();
    }
    /// Returns when a read waits at the closed gate.
    void await_read() {
      std::unique_lock lock{mutex};
      changed.wait(lock, [&] { return waiting > 0; });
    }
  };
  using buffer_type = tessera::HostBuffer;
  using Queue = tessera::Queue<tessera::space::Host>;

  tessera::MemoryStore<tessera::HostBuffer> inner{};
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();

  std::optional<std::size_t> read(tessera::Key const& key, tessera::ByteRange range,
                                  tessera::Destination<tessera::space::Host> destination, Queue& on) const {
    {
      std::unique_lock lock{gate->mutex};
      ++gate->reads[key.path];
      ++gate->waiting;
      gate->changed.notify_all();
      gate->changed.wait(lock, [&] { return gate->is_open; });
      --gate->waiting;
    }
    return inner.read(key, range, destination, on);
  }
  void write(tessera::Key const& key, tessera::ByteView<tessera::space::Host> value, Queue& on) const {
    inner.write(key, value, on);
  }
  bool erase(tessera::Key const& key, Queue& on) const { return inner.erase(key, on); }
};

}  // namespace test
