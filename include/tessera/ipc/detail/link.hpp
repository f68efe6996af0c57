// Link: a consumer's connection to one producer, and the allocations open through it.
#pragma once
#include <cerrno>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/error.hpp>
#include <tessera/ipc/detail/messages.hpp>
#include <tessera/ipc/detail/posix/socket.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

/// An allocation of another process, open here; its owner closes it.
struct Opened {
  std::byte* data = nullptr;
  std::uint64_t size = 0;  ///< as the system reports it, not a descriptor
  std::shared_ptr<void> owner{};
};

/// Thread-safe; not usable in a child made by fork(). An allocation is opened and leased once for each access, however
/// many users it has.
class Link {
 public:
  struct Key {
    std::uint64_t number;
    std::string kind;
    bool writes;
    auto operator<=>(Key const&) const = default;
  };
  struct Entry {
    Opened opened;
    std::uint64_t lease;  // the number of the request that took it
    std::size_t users = 1;
  };
  using Entries = std::map<Key, Entry>;

  /// Throws: ProducerGone; IpcError, if another process or another user answers.
  explicit Link(Identity const& producer)
      : name_{to_text({"the producer, process ", producer.process, ","})}, socket_{connect_to(producer.session)} {
    if (!socket_) throw ProducerGone{to_text({name_, " has ended or no longer publishes"})};
    if (peer_of(socket_) != producer.process)
      throw IpcError{to_text({"the descriptor names process ", producer.process, ", but another one answers"})};
    peer_ = open_process(static_cast<pid_t>(producer.process));
  }

  bool is_alive() const { return is_connected(socket_, peer_); }
  void expect_alive() const {
    if (process_ != ::getpid()) throw IpcError{"a child made by fork() cannot use what its parent attached"};
    if (!is_alive()) throw ProducerGone{to_text({name_, " has ended or no longer publishes"})};
  }

  /// The open allocation. `open(reply, file)` opens it, if it is not open. Throws: ProducerGone, LeaseRefused,
  /// IpcError.
  template <class Open>
  Entries::iterator take(Key const& key, Open&& open) {
    std::lock_guard lock{mutex_};
    expect_alive();
    auto const found = entries_.find(key);
    if (found != entries_.end()) return ++found->second.users, found;
    auto granted = ask(key);
    auto const lease = granted.message.number;
    try {
      return entries_.emplace(key, Entry{open(granted.message, std::move(granted.file)), lease}).first;
    } catch (...) {
      expect_alive();  // ProducerGone, if it has ended, explains more than the failed open
      give_back(lease);
      throw;
    }
  }
  void release(Entries::iterator entry) noexcept {
    std::lock_guard lock{mutex_};
    if (--entry->second.users != 0) return;
    auto const lease = entry->second.lease;
    { auto const closed = entries_.extract(entry); }  // closes it and releases its pool before the producer is told
    give_back(lease);
  }

 private:
  Received<Reply> ask(Key const& key) {
    if (!send(socket_, Request{.allocation = key.number, .writes = key.writes, .number = ++asked_}))
      throw ProducerGone{to_text({name_, " does not accept requests: ", std::strerror(errno)})};
    auto got = answer();
    auto const& reply = got.message;
    if (reply.answer == Answer::held) throw LeaseRefused{to_text({"no lease: ", reply.reason()})};
    if (reply.answer != Answer::granted) throw IpcError{to_text({"no lease: ", reply.reason()})};
    return got;
  }
  // The answer to the last request. A stopped producer may answer earlier ones late, after the caller gave up; leases
  // that it grants then are already given back.
  Received<Reply> answer() {
    for (;;) {
      auto got = receive<Reply>(socket_);
      bool const is_reply = got.is_whole && got.message.version == protocol;
      if (is_reply && got.message.number == asked_) return got;
      if (!is_reply) give_back(asked_), ++late_;
      if (!is_reply || late_ == 0) throw ProducerGone{to_text({name_, " did not answer a request for a lease"})};
      --late_;
    }
  }
  void give_back(std::uint64_t lease) noexcept {
    if (process_ == ::getpid()) send(socket_, Request{.what = What::give_back, .number = lease});
  }

  std::string name_;
  File socket_, peer_{-1};
  pid_t process_ = ::getpid();
  std::uint64_t asked_ = 0;  // the number of the last request
  std::uint64_t late_ = 0;   // requests whose answers may still arrive
  std::recursive_mutex mutex_;  // recursive: opening memory of a pool takes the pool
  Entries entries_;
};

/// A use of an open allocation. Move-only; a moved-from object holds nothing.
class Hold {
 public:
  Hold() = default;
  Hold(std::shared_ptr<Link> link, Link::Entries::iterator entry) : link_{std::move(link)}, entry_{entry} {}
  Hold(Hold&& other) noexcept : link_{std::move(other.link_)}, entry_{other.entry_} {}
  Hold& operator=(Hold&& other) noexcept {
    release();
    link_ = std::move(other.link_), entry_ = other.entry_;
    return *this;
  }
  ~Hold() { release(); }

  explicit operator bool() const { return link_ != nullptr; }
  Opened const& opened() const { return entry_->second.opened; }
  void expect_alive() const { link_->expect_alive(); }
  void release() noexcept {
    if (auto const link = std::exchange(link_, nullptr)) link->release(entry_);
  }

 private:
  std::shared_ptr<Link> link_;
  Link::Entries::iterator entry_{};
};

}}}}  // namespace tessera::v0::ipc::detail
