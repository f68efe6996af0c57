#pragma once
#include <tessera/memory/detail/object_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL void ObjectPool::trim() noexcept {
  for (Entry entry; take_first([](Entry const&) { return true; }, entry);) entry.destroy(entry.object);
}

TESSERA_DECL void ObjectPool::trim_to(std::uint64_t most) noexcept {
  auto const is_dear = [&](Entry const& entry) {
    return idle_bytes_ > most && entry.bytes > 0 && entry.is_done(entry.object);
  };
  for (Entry entry; take_first(is_dear, entry);) entry.destroy(entry.object);
}

TESSERA_DECL void* ObjectPool::take_last(void const* type) {
  std::lock_guard lock{mutex_};
  for (auto i = idle_.size(); i-- > 0;)
    if (idle_[i].type == type) return take(i).object;
  make_room();
  return nullptr;
}

TESSERA_DECL ObjectPool::Entry ObjectPool::take(std::size_t i) {
  auto const entry = idle_[i];
  idle_bytes_ -= entry.bytes;
  for (; i + 1 < idle_.size(); ++i) idle_[i] = idle_[i + 1];
  idle_.pop_back();
  return entry;
}

TESSERA_DECL void ObjectPool::put_last(Entry const& entry) noexcept {
  std::lock_guard lock{mutex_};
  idle_bytes_ += entry.bytes;
  idle_.push_back(entry);
}

}}  // namespace tessera::v0
