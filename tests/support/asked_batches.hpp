// A store that notes the batches of values that are requested.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/wrapper_store.hpp>

namespace test {

template <class S>
struct AskedBatches : tessera::WrapperStore<S> {
  using Space = tessera::space_of<S>;
  using Queue = tessera::queue_for<Space>;
  struct Asked {
    std::mutex mutex{};
    std::string batches{};     // "key, key 2+3; key": a value and three bytes of another from 2 on, then one more
    std::size_t versions = 0;  // values requested
    std::string fails{};       // at this key
  };
  std::shared_ptr<Asked> asked = std::make_shared<Asked>();

  explicit AskedBatches(S store) : tessera::WrapperStore<S>{std::move(store)} {}

  void get_many(std::span<tessera::ReadRequest<Space>> requests, Queue& on) const {
    std::lock_guard const lock{asked->mutex};
    char const* between = asked->batches.empty() ? "" : "; ";
    for (auto& request : requests) {
      auto const& path = request.key->path;
      auto const& range = request.range;
      asked->batches += std::exchange(between, ", ") + path;
      if (!range.is_whole()) asked->batches += ' ' + std::to_string(range.offset) + '+' + std::to_string(range.size);
      if (path == asked->fails) throw tessera::StoreError{"the disk is gone"}.in_key(path);
      request.size = this->source().read(*request.key, range, request.destination, on);
    }
  }
  /// Each is a batch of one.
  std::optional<std::size_t> read(tessera::Key const& key, tessera::ByteRange range,
                                  tessera::Destination<Space> destination, Queue& on) const {
    tessera::ReadRequest<Space> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }
  tessera::ValueWatch watch(tessera::Key const& key) const {
    std::lock_guard const lock{asked->mutex};
    ++asked->versions;
    return this->source().watch(key);
  }

  /// Since the last call of this.
  std::string batches() const {
    std::lock_guard const lock{asked->mutex};
    return std::exchange(asked->batches, {});
  }
};

}  // namespace test
