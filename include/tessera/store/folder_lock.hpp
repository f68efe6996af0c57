// Keeps apart those who change what is below one folder as a whole: an array's shape, a node that is made or erased.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>

namespace tessera { inline namespace v0 {

/// Many may share a folder, or one has it alone.
enum class Sharing { shared, alone };

/// Held until it ends; of nothing, if it was made so. It does not outlive the store that gave it.
class FolderLock {
 public:
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

 private:
  Owner* owner_ = nullptr;
  std::intptr_t handle_ = 0;
  Sharing sharing_ = Sharing::alone;
};

namespace detail {

/// Of the store, if it has such locks: among all that show the same folder, in this process and in others.
template <class S>
FolderLock lock_folder([[maybe_unused]] S const& store, [[maybe_unused]] std::string_view path,
                       [[maybe_unused]] Sharing sharing) {
  if constexpr (requires { store.lock_folder(path, sharing); })
    return store.lock_folder(path, sharing);
  else
    return {};
}

}  // namespace detail
}}  // namespace tessera::v0
