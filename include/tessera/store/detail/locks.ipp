#pragma once
#include <tessera/store/locks.hpp>

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/key/key.hpp>
#include <tessera/store/detail/waiting.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL std::uint64_t SequenceCounter::sequence() const {
  auto const ended = ended_.load();  // first: if begun_ equals it later, no replacement was under way in between
  return begun_.load() == ended ? ended : unknown;
}

TESSERA_DECL std::vector<std::unique_lock<std::mutex>> KeyLocks::lock_all() {
  std::vector<std::unique_lock<std::mutex>> locks;
  locks.reserve(count);
  for (auto& mutex : mutexes_) locks.emplace_back(mutex);
  return locks;
}

TESSERA_DECL FolderLock KeyLocks::lock_folder(std::string_view path, Sharing sharing, Stop stop) {
  std::unique_lock known{mutex_};
  auto found = folders_.find(path);
  if (found == folders_.end()) found = folders_.try_emplace(std::string{path}).first;
  auto& folder = found->second;
  known.unlock();
  bool const is_shared = sharing == Sharing::shared;
  if (stop)
    detail::try_until_true(stop, [&] { return is_shared ? folder.try_lock_shared() : folder.try_lock(); });
  else
    is_shared ? folder.lock_shared() : folder.lock();
  return {*this, reinterpret_cast<std::intptr_t>(&folder), sharing};
}

TESSERA_DECL void KeyLocks::unlock_folder(std::intptr_t handle, Sharing sharing) noexcept {
  auto& folder = *reinterpret_cast<std::shared_mutex*>(handle);
  sharing == Sharing::shared ? folder.unlock_shared() : folder.unlock();
}

}}  // namespace tessera::v0
