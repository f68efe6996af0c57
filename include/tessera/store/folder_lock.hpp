// FolderLock: excludes concurrent changes of all below a folder: an array's shape, a node made or erased.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>

#include <tessera/core/stop.hpp>

namespace tessera { inline namespace v0 {

/// A folder has many shared holders, or one alone.
enum class Sharing { shared, alone };

/// Held until destroyed; default-constructed, it locks nothing. Must not outlive its store.
class FolderLock {
 public:
  /// Whose `unlock_folder` the lock calls when it ends, with its handle.
  struct Owner {
    virtual void unlock_folder(std::intptr_t handle, Sharing sharing) noexcept = 0;

   protected:
    ~Owner() = default;
  };

  FolderLock() = default;
  FolderLock(Owner& owner, std::intptr_t handle, Sharing sharing)
      : owner_{&owner}, handle_{handle}, sharing_{sharing} {}
  FolderLock(FolderLock&& other) noexcept
      : owner_{std::exchange(other.owner_, nullptr)}, handle_{other.handle_}, sharing_{other.sharing_} {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock() {
    if (owner_) owner_->unlock_folder(handle_, sharing_);
  }

  /// Whether it locks anything.
  explicit operator bool() const { return owner_ != nullptr; }

 private:
  Owner* owner_ = nullptr;
  std::intptr_t handle_ = 0;
  Sharing sharing_ = Sharing::alone;
};

namespace detail {

/// The store's lock, if any: against all users of the folder, in this process and in others.
template <class S>
FolderLock lock_folder([[maybe_unused]] S const& store, [[maybe_unused]] std::string_view path,
                       [[maybe_unused]] Sharing sharing, [[maybe_unused]] Stop stop = nullptr) {
  if constexpr (requires { store.lock_folder(path, sharing, stop); })
    return store.lock_folder(path, sharing, stop);
  else if constexpr (requires { store.lock_folder(path, sharing); })
    return store.lock_folder(path, sharing);
  else
    return {};
}

}  // namespace detail
}}  // namespace tessera::v0
