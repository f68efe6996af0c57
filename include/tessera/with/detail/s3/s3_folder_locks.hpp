// s3::FolderLocks: locks of folders that all processes see: objects that are made and changed conditionally.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/with/detail/s3/s3_call.hpp>
#include <tessera/with/detail/s3/s3_lock_state.hpp>
#include <tessera/with/detail/s3/s3_site.hpp>
#include <tessera/with/detail/s3/s3_versions.hpp>
#include <tessera/with/detail/s3/s3_write.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// The object is ".tessera-lock" in the folder. Its holders renew it while they write; one that does not for the lease
/// has ended, as a killed process has, and is removed by the next that waits.
class FolderLocks final : FolderLock::Owner {
  using Clock = std::chrono::steady_clock;

 public:
  explicit FolderLocks(Site const& site) : site_{site} {}

  /// Throws: Cancelled; StoreError, if others hold it for longer than the patience.
  FolderLock lock(std::string_view folder, Sharing sharing, Stop stop) {
    auto held = std::make_unique<Held>();
    held->key = folder / lock_name;
    held->line = {site_.unique(), sharing, 0, static_cast<std::uint64_t>(site_.settings().lease.count())};
    auto const end = detail::end_of(site_.settings().lock_patience);
    Patience patience;
    Found found;  // free, as most are: then one request is enough
    int refusals = 0;
    for (auto pause = shortest;;) {
      if (found.state.admits(sharing)) {
        found.state.holders.push_back(held->line);
        if (put(*held, found.state, found.version)) break;
        found = read(held->key, stop);
        if (found.state.find(held->line.id)) {  // the answer was lost
          held->found = found;
          held->renewed = Clock::now();
          break;
        }
        patience.remove_ended(found.state);
        if (found.state.admits(sharing) && ++refusals < 3) continue;
      }
      if (Clock::now() > end)
        throw StoreError{to_text({"another program held the lock of this folder for ",
                                  static_cast<std::uint64_t>(site_.settings().lock_patience.count()), " seconds"})};
      detail::expect_going(stop);
      std::this_thread::sleep_for(pause + std::chrono::milliseconds{hash(held->line.id) % 10});
      pause = std::min(2 * pause, longest);
      found = read(held->key, stop);
      patience.remove_ended(found.state);
    }
    auto* const handle = held.get();
    std::lock_guard lock{mutex_};
    held_.push_back(std::move(held));
    return {*this, reinterpret_cast<std::intptr_t>(handle), sharing};
  }

  /// Called before each write of a key. Throws: StoreError, if a lock of a folder above was lost, because this program
  /// did not renew it for longer than the lease.
  void renew(Key const& key) {
    std::lock_guard lock{mutex_};
    for (auto const& held : held_) {
      if (!held->is_lost && Clock::now() - held->renewed > site_.settings().lease / 3) renew(*held);
      auto const folder = std::string_view{held->key.path}.substr(0, held->key.path.size() - lock_name.size());
      if (held->is_lost && key.path.starts_with(folder))
        throw StoreError{
            "this program's lock of the folder was taken by another, because it was not renewed for "
            "longer than S3Options::lease"}
            .in_key(held->key.path);
    }
  }

 private:
  static constexpr std::chrono::milliseconds shortest{10}, longest{500};
  static constexpr int most_tries = 100;  // of a conditional write that the server refuses

  static constexpr std::string_view lock_name = ".tessera-lock";

  struct Found {
    LockState state{};
    Version version{};
  };
  struct Held {
    Key key;
    LockState::Holder line;
    Found found{};  // with the lines of others, as last written or read
    Clock::time_point renewed{};
    bool is_lost = false;
  };

  static std::size_t hash(std::string const& text) { return std::hash<std::string>{}(text); }

  Found read(Key const& key, Stop stop) const {
    auto const answer =
        call(site_, key, {.path = site_.path_of(key.path)}, found_or_missing(site_), Sent::until_answered, stop);
    if (answer.status() != 200) return {};
    auto version = version_of(site_.kind(), answer.response());
    if (!version) refuse_unknown_version();
    return {LockState::from(answer.body()), *std::move(version)};
  }

  // Replaces the object, if it still is of that version. False: it is not; or it was replaced, and the answer lost.
  bool put(Held& held, LockState const& state, Version const& before) const {
    auto const text = state.text();
    Ask ask{.method = "PUT",
            .path = site_.path_of(held.key.path),
            .body = {reinterpret_cast<std::byte const*>(text.data()), text.size()}};
    add_condition(site_.kind(), ask.headers, before);
    auto const now = Clock::now();
    auto const answer = call(site_, held.key, std::move(ask), {200, 404, 409, 412});
    if (answer.status() != 200) return false;
    held.found = {state, version_of(site_.kind(), answer.response()).value_or(Version{})};
    held.renewed = now;
    return true;
  }

  void renew(Held& held) const {
    auto found = held.found;
    for (int tries = 0; tries < most_tries; ++tries) {
      auto next = held.line;
      ++next.count;
      for (auto& one : found.state.holders)
        if (one.id == next.id) one = next;
      bool const is_put = put(held, found.state, found.version);
      if (is_put) held.line = next;
      if (is_put) return;
      found = read(held.key, nullptr);
      auto const* const mine = found.state.find(held.line.id);
      if (!mine) {
        held.is_lost = true;
        return;
      }
      held.line.count = mine->count;
    }
    held.is_lost = true;
  }

  void unlock_folder(std::intptr_t handle, Sharing) noexcept override {
    std::unique_ptr<Held> held;
    {
      std::lock_guard lock{mutex_};
      auto const at = std::ranges::find_if(
          held_, [&](auto const& one) { return reinterpret_cast<std::intptr_t>(one.get()) == handle; });
      if (at == held_.end()) return;
      held = std::move(*at);
      held_.erase(at);
    }
    try {
      release(*held);
    } catch (...) {  // others wait for the lease
    }
  }

  // The last holder is alone when it erases the object, so that it erases no other's line.
  void release(Held& held) const {
    // Others may have taken it by now, and not every server keeps to the condition of an erasure.
    bool const is_late = Clock::now() - held.renewed > site_.settings().lease / 2;
    if (held.line.sharing == Sharing::alone && is_late) renew(held);
    if (held.is_lost) return;
    if (held.line.sharing == Sharing::shared) {
      auto found = held.found;
      for (int tries = 0;; ++tries) {
        if (tries == most_tries) return;  // others wait for the lease
        found.state.erase(held.line.id);
        bool const is_last = found.state.holders.empty();
        auto mine = held.line;
        mine.sharing = Sharing::alone;
        if (is_last) found.state.holders.push_back(mine);
        bool const is_put = put(held, found.state, found.version);
        if (is_put && !is_last) return;
        if (is_put) break;
        found = read(held.key, nullptr);
        auto const* const line = found.state.find(held.line.id);
        if (!line) return;
        if (line->sharing == Sharing::alone) {  // the answer was lost
          held.found = found;
          break;
        }
      }
    }
    // Once: a second request might erase the next holder's object.
    Ask ask{.method = "DELETE", .path = site_.path_of(held.key.path)};
    add_condition(site_.kind(), ask.headers, held.found.version);
    auto const answer = call(site_, held.key, std::move(ask), {200, 204, 404, 412, 501}, Sent::once);
    if (answer.status() == 501 && Clock::now() - held.renewed < site_.settings().lease)  // it knows no condition here
      call(site_, held.key, {.method = "DELETE", .path = site_.path_of(held.key.path)}, {200, 204, 404}, Sent::once);
  }

  Site const& site_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Held>> held_;
};

}  // namespace s3
}}  // namespace tessera::v0
