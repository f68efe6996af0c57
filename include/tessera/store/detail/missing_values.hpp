// MissingValues: reads the values of a batch that a cache lacks, at once and without duplicates.
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/recent_values.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// For one thread, and a batch whose keys outlive it.
template <class S>
class MissingValues {
  using Space = space_of<S>;
  using Queue = queue_for<Space>;
  using Values = RecentValues<buffer_of<S>>;
  using Name = typename Values::Name;
  using Shared = typename Values::Shared;

 public:
  MissingValues(Values& values, Queue& on) : values_{values}, on_{on} {}

  /// The value of a ReadRequest or a LendRequest, once it is read; null: no such key.
  template <class Request>
  Shared const& add(Name name, ValueVersion const& version, Request const& request) {
    auto const [found, is_new] = missing_.try_emplace(std::move(name), values_, on_, version, request);
    if (!is_new) found->second.ask_again(request);
    return found->second.value;
  }

  /// Reads the values, and caches them if the budget allows. Throws: StoreError; then none is cached.
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
        : values{of}, on{queue}, room{of}, version{seen}, request{asked.key, asked.range, {*this, limits_of(asked)}} {
      request.max_gap = asked.max_gap;
      request.max_request_bytes = asked.max_request_bytes;
      if constexpr (requires { asked.destination; }) reader = asked.destination;
    }

    // Allocates memory for the value.
    ByteSpan<Space> operator()(std::size_t n) {
      auto const most = request.destination.limits().most;
      if (n > most && reader) refuse_size(*reader, n);
      if (n > most) throw StoreError{to_text({"a value of ", n, " bytes; expected at most ", most})};
      room.take(n);
      try {
        value->buffer.emplace(n, on);
      } catch (OutOfMemory const&) {
        values.clear();
        on.trim();  // waits: the cleared values are free after that
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

    static ReadLimits limits_of(ReadRequest<Space> const& asked) { return asked.destination.limits(); }
    static ReadLimits limits_of(LendRequest<Space> const& asked) { return asked.limits; }
    // The larger limit of two requests for the same value holds.
    template <class Request>
    void ask_again(Request const& asked) {
      auto limits = request.destination.limits();
      limits.most = std::max(limits.most, limits_of(asked).most);
      request.destination = {*this, limits};
    }

    Values& values;
    Queue& on;
    typename Values::Room room;
    ValueVersion version;
    std::optional<Destination<Space>> reader{};  // throws for a value that is too large
    ReadRequest<Space> request;
    Shared value = std::make_shared<typename Values::Value>();
  };

  Values& values_;
  Queue& on_;
  std::map<Name, Missing> missing_;  // by key, then by range
};

}}}  // namespace tessera::v0::detail
