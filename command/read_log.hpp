// The requests to a store, with times, so that they can be repeated with nothing else around them.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/store/detail/read_request.hpp>

namespace cli {

/// Calls of a store, in the order in which they ended. For any thread.
class ReadLog {
 public:
  using Host = tessera::space::Host;
  using Request = tessera::ReadRequest<Host>;
  using Clock = std::chrono::steady_clock;

  struct Read {
    tessera::Key key;
    tessera::ByteRange range;
    std::optional<std::size_t> size;  ///< of the values found; nullopt: no such key
    std::byte* to = nullptr;          ///< destination
  };
  struct Call {
    std::vector<Read> reads{};
    std::optional<std::uint64_t> max_gap{};
    std::uint64_t max_request_bytes = ~std::uint64_t{0};
    bool is_many = false;  ///< of get_many
    std::thread::id thread{};
    Clock::time_point begin{}, end{};
  };

  /// Calls `read(room)`, which reads one value.
  template <class F>
  std::optional<std::size_t> note(tessera::Key const& key, tessera::ByteRange range,
                                  tessera::Destination<Host> destination, F&& read) {
    Noting noting{destination, nullptr};
    auto const begin = Clock::now();
    auto const size = read(tessera::Destination<Host>{noting, destination.limits()});
    add({{{key, range, size, noting.to}}}, begin, Clock::now());
    return size;
  }
  /// Calls `read(requests)`, which reads many.
  template <class F>
  void note_many(std::span<Request> requests, F&& read) {
    std::vector<Noting> destinations;
    for (auto const& request : requests) destinations.push_back({request.destination, nullptr});
    std::vector<Request> noted{requests.begin(), requests.end()};
    for (std::size_t i = 0; i < noted.size(); ++i)
      noted[i].destination = tessera::Destination<Host>{destinations[i], requests[i].destination.limits()};
    auto const begin = Clock::now();
    read(std::span{noted});
    auto const end = Clock::now();
    Call call{{}, requests.front().max_gap, requests.front().max_request_bytes, true};
    for (std::size_t i = 0; i < noted.size(); ++i) {
      requests[i].size = noted[i].size;
      call.reads.push_back({*noted[i].key, noted[i].range, noted[i].size, destinations[i].to});
    }
    add(std::move(call), begin, end);
  }

  std::vector<Call> take() { return std::exchange(calls_, {}); }

 private:
  struct Noting {
    tessera::Destination<Host> destination;
    std::byte* to;
    tessera::ByteSpan<Host> operator()(std::size_t n) {
      auto const given = destination(n);
      to = given.data;
      return given;
    }
  };

  void add(Call call, Clock::time_point begin, Clock::time_point end) {
    call.thread = std::this_thread::get_id();
    call.begin = begin, call.end = end;
    std::lock_guard lock{mutex_};
    calls_.push_back(std::move(call));
  }

  std::mutex mutex_;
  std::vector<Call> calls_;
};

}  // namespace cli
