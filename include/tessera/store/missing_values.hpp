// Values that a batch asks for and nobody keeps: the store is asked for all of them at once, and for each of them once.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/store/at_key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/store/recent_values.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// In one thread, of a batch whose keys outlive it.
template <class S>
class MissingValues {
  using Space = space_of<S>;
  using Queue = queue_for<Space>;
  using Values = RecentValues<buffer_of<S>>;
  using Name = typename Values::Name;
  using Shared = typename Values::Shared;

 public:
  MissingValues(Values& values, Queue& on) : values_{values}, on_{on} {}

  /// Where the value of a ReadRequest or a LendRequest will be when it is read; null: there is no such key.
  template <class Request>
  Shared const& add(Name name, ValueVersion const& version, Request const& request) {
    return missing_.try_emplace(std::move(name), values_, on_, version, request).first->second.value;
  }

  /// They are kept, as far as the budget has room. Throws: StoreError; then none of them is kept.
  void read_from(S const& store) {
    if (missing_.empty()) return;
    std::vector<ReadRequest<Space>> requests;
    requests.reserve(missing_.size());
    for (auto const& [name, one] : missing_) requests.push_back(one.request);
    get_many(store, std::span{requests}, on_);
    auto const ready = std::make_shared<typename Values::Ready>(on_.record());
    auto answer = requests.begin();
    for (auto& missing : missing_) at_key(store, *answer->key, [&] { missing.second.arrive((answer++)->size, ready); });
    for (auto& [name, one] : missing_)
      if (one.value && one.version.is_settled) values_.keep(name, one.version, one.value, one.room);
  }

 private:
  struct Missing {
    template <class Request>
    Missing(Values& of, Queue& queue, ValueVersion const& seen, Request const& asked)
        : values{of}, on{queue}, room{of}, version{seen}, request{asked.key, asked.range, *this} {
      request.max_gap = asked.max_gap;
      request.max_request_bytes = asked.max_request_bytes;
    }

    // The memory that it is read into.
    ByteSpan<Space> operator()(std::size_t n) {
      room.take(n);
      try {
        value->buffer.emplace(n, on);
      } catch (OutOfMemory const&) {
        values.clear();
        on.trim();  // what was kept is free when the queue has come there
        value->buffer.emplace(n, on);
      }
      return value->buffer->span();
    }
    void arrive(std::optional<std::size_t> size, std::shared_ptr<typename Values::Ready> const& ready) {
      if (!size) return value.reset();
      expect_given(size, value->buffer ? value->buffer->view().size : 0, *request.key);
      if (!value->buffer) value->buffer.emplace(0, on);
      value->ready = ready;
    }

    Values& values;
    Queue& on;
    typename Values::Room room;
    ValueVersion version;
    ReadRequest<Space> request;
    Shared value = std::make_shared<typename Values::Value>();
  };

  Values& values_;
  Queue& on_;
  std::map<Name, Missing> missing_;  // in the order of their keys, and of the ranges of a key
};

}}}  // namespace tessera::v0::detail
