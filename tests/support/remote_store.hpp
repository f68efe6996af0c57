// A store in memory that reads like a remote one, and notes its requests.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <support/is_document.hpp>
#include <tessera/store/memory_store.hpp>

namespace test {

/// Reads, except for documents.
struct Asked {
  std::mutex mutex{};
  std::vector<std::string> reads{};
  std::vector<std::byte*> destinations{};  // destination of each
  std::vector<std::string> take() {
    std::lock_guard lock{mutex};
    std::ranges::sort(reads);
    return std::exchange(reads, {});
  }
};

/// A request for each read. Has only the required functions of a store.
struct Remote {
  using Space = tessera::space::Host;
  using HostQueue = tessera::Queue<Space>;
  using Key = tessera::Key;

  using buffer_type = tessera::HostBuffer;
  tessera::MemoryStore<buffer_type> values{};
  std::shared_ptr<Asked> asked = std::make_shared<Asked>();

  std::string name() const { return "remote"; }
  std::optional<std::size_t> read(Key const& key, tessera::ByteRange range, tessera::Destination<Space> destination,
                                  HostQueue& on) const {
    if (is_document(key)) return values.read(key, range, destination, on);
    auto const first = range.from_end ? "last" : std::to_string(range.offset) + " +";
    std::lock_guard lock{asked->mutex};
    asked->reads.push_back(range.is_whole() ? key.path : key.path + ' ' + first + ' ' + std::to_string(range.size));
    auto noting = [&](std::size_t size) {
      auto const to = destination(size);
      asked->destinations.push_back(to.data);
      return to;
    };
    return values.read(key, range, noting, on);
  }
  void write(Key const& key, tessera::ByteView<Space> value, HostQueue& on) const { values.write(key, value, on); }
  bool erase(Key const& key, HostQueue& on) const { return values.erase(key, on); }
};

}  // namespace test
