// CountedStore: a store of one rank, which counts its calls and may let one of them fail.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <tessera/store/memory_store.hpp>

namespace test {

/// Copies see the same values, and count together.
struct CountedStore {
  using buffer_type = tessera::HostBuffer;
  using On = tessera::Queue<tessera::space::Host>;
  tessera::MemoryStore<tessera::HostBuffer> inner{};
  std::shared_ptr<std::atomic<int>> documents_read = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> values_read = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> values_written = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<long>> left = std::make_shared<std::atomic<long>>(-1);

  std::string name() const { return "ranks"; }
  void call(tessera::Key const& key) const {
    if (*left >= 0 && (*left)-- == 0)
      throw tessera::StoreError{"the line is down"}.in_key(key.path).in_store(name());
  }
  std::optional<std::size_t> read(tessera::Key const& key, tessera::ByteRange range,
                                  tessera::Destination<tessera::space::Host> to, On& on) const {
    call(key);
    ++*(key.path.ends_with(".json") ? documents_read : values_read);
    return inner.read(key, range, to, on);
  }
  void write(tessera::Key const& key, tessera::ByteView<tessera::space::Host> value, On& on) const {
    call(key);
    if (!key.path.ends_with(".json")) ++*values_written;
    inner.write(key, value, on);
  }
  bool erase(tessera::Key const& key, On& on) const { return call(key), inner.erase(key, on); }
  void forget() const { *documents_read = *values_read = *values_written = 0; }
  CountedStore of_one_rank() const {
    auto store = *this;
    store.left = std::make_shared<std::atomic<long>>(-1);
    return store;
  }
};

}  // namespace test
