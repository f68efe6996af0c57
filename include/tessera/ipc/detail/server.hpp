// Server: the thread that grants a producer's leases and takes them back.
#pragma once
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tessera/ipc/detail/messages.hpp>
#include <tessera/ipc/detail/posix/socket.hpp>
#include <tessera/ipc/detail/process_thread.hpp>
#include <tessera/ipc/detail/publications.hpp>
#include <tessera/store/detail/waiting.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

/// Serves until its destruction, and then while a lease is held on memory that must outlast it; after `patience` such
/// memory is never freed. Each consumer has one connection: when its process ends in any way, the kernel closes it, and
/// its leases are given back.
class Server {
 public:
  Server(std::string const& session, std::shared_ptr<Publications> published, std::chrono::seconds patience)
      : published_{std::move(published)},
        patience_{patience},
        listening_{listen_as(session)},
        woken_{::eventfd(0, EFD_CLOEXEC)},
        process_{::getpid()} {
    if (!woken_) fail("make an event descriptor");
    asked_.reserve(2);
    thread_.start([this] { serve(); });
  }
  Server(Server const&) = delete;
  Server& operator=(Server const&) = delete;
  /// Throws: IpcError, in a child made by fork(), which has no thread that would grant leases.
  void expect_here() const {
    if (!thread_.is_here()) throw IpcError{"a child made by fork() cannot publish with its parent's producer"};
  }
  ~Server() {
    if (!thread_.is_here()) return;  // fork() copies no threads: none to join here
    stop_.store(true);
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const told = ::write(woken_.number(), &one, sizeof one);
    thread_.join();
  }

 private:
  struct Lease {
    std::uint64_t number, allocation;  // number: of the request that took it
  };
  struct Consumer {
    File socket;
    pid_t process;
    std::vector<Lease> leases{};
    std::optional<Request> asked{};  // a pending request for a lease
  };

  bool is_own(Consumer const& consumer) const { return consumer.process == process_; }

  void serve() noexcept {
    std::optional<std::chrono::steady_clock::time_point> end;
    while (!stop_.load() || published_->must_wait()) {
      auto const time = std::chrono::steady_clock::now();
      if (stop_.load() && !end) end = tessera::detail::end_of(patience_);
      if (end && time >= *end) {
        published_->never_free();
        break;
      }
      asked_.assign({{woken_.number(), POLLIN, 0}, {listening_.number(), POLLIN, 0}});
      if (stop_.load()) asked_[0].events = 0;
      if (stop_.load() || is_full_) asked_[1].events = 0;
      for (auto const& consumer : consumers_) asked_.push_back({consumer.socket.number(), POLLIN, 0});
      if (::poll(asked_.data(), asked_.size(), is_full_ || stop_.load() ? 100 : -1) < 0) continue;
      auto answer = asked_.begin() + 2;
      for (auto at = consumers_.begin(); at != consumers_.end(); ++answer) {
        auto const now = at++;
        if (answer->revents != 0 && !hear(*now)) drop(now);
      }
      // After all returns: a consumer that was told of one, in any way, gets its lease.
      for (auto at = consumers_.begin(); at != consumers_.end();)
        if (auto const now = at++; now->asked && !take(*now, *std::exchange(now->asked, {}))) drop(now);
      is_full_ = false;
      if ((asked_[1].revents & POLLIN) != 0) accept();
    }
    while (!consumers_.empty()) drop(consumers_.begin());
  }

  void accept() noexcept try {
    File socket{::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC)};
    is_full_ = !socket && (errno == EMFILE || errno == ENFILE);
    if (!socket) return;
    auto const process = peer_of(socket);
    asked_.reserve(consumers_.size() + 3);  // now: an exception in serve() would end the program
    consumers_.push_back({std::move(socket), process});
  } catch (std::exception const&) {  // another user, or no memory: the socket is closed
  }

  void drop(std::list<Consumer>::iterator consumer) noexcept {
    for (auto const& lease : consumer->leases) published_->give_back(lease.allocation, is_own(*consumer));
    consumers_.erase(consumer);
  }

  // False: the connection is of no more use.
  bool hear(Consumer& consumer) noexcept {
    while (!consumer.asked) {
      auto const got = receive<Request>(consumer.socket, MSG_DONTWAIT);
      auto const& request = got.message;
      if (got.is_nothing) break;
      if (!got.is_whole || request.version != protocol) return false;
      if (request.what == What::take)
        consumer.asked = request;
      else if (request.what == What::give_back)
        give_back(consumer, request.number);
      else
        return false;
    }
    return true;
  }
  void give_back(Consumer& consumer, std::uint64_t number) noexcept {
    auto const found = std::find_if(consumer.leases.begin(), consumer.leases.end(),
                                    [&](auto const& lease) { return lease.number == number; });
    if (found == consumer.leases.end()) return;  // it was refused after the consumer had stopped waiting
    auto const allocation = found->allocation;
    consumer.leases.erase(found);
    published_->give_back(allocation, is_own(consumer));
  }

  bool take(Consumer& consumer, Request const& request) noexcept try {
    Reply reply{.number = request.number};
    File file{-1};
    consumer.leases.reserve(consumer.leases.size() + 1);
    auto const granted = published_->take(request.allocation, request.writes != 0, is_own(consumer));
    if (granted.allocation) {
      consumer.leases.push_back({request.number, request.allocation});
      reply.size = granted.allocation->size;
      reply.set_handle(granted.allocation->handle);
      if (is_own(consumer)) {
        reply.address = reinterpret_cast<std::uintptr_t>(granted.allocation->data);
        reply.event = reinterpret_cast<std::uintptr_t>(granted.allocation->own_event);
      }
      try {
        if (granted.allocation->open) file = File{granted.allocation->open(request.writes != 0)};
        reply.answer = Answer::granted;
      } catch (Error const& error) {
        reply.set_reason(error.what());
        consumer.leases.pop_back();
        published_->give_back(request.allocation, is_own(consumer));
      }
    } else {
      reply.answer = granted.is_known ? Answer::held : Answer::unknown;
      reply.set_reason(granted.why);
    }
    return send(consumer.socket, reply, file.number(), MSG_DONTWAIT);  // never waits for a consumer
  } catch (std::exception const&) {  // no memory
    return false;
  }

  std::shared_ptr<Publications> published_;
  std::chrono::seconds patience_;
  File listening_, woken_;
  pid_t process_;
  std::atomic<bool> stop_{false};
  std::list<Consumer> consumers_;  // used by the thread only
  std::vector<pollfd> asked_;      // likewise: two sockets, and one of each consumer
  bool is_full_ = false;           // of open files: connecting consumers wait a little
  ProcessThread thread_;
};

}}}}  // namespace tessera::v0::ipc::detail
