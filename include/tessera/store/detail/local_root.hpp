// LocalRoot: the folder of a LocalStore, shared by its copies and opened on first use.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <tessera/store/detail/local_locks.hpp>
#include <tessera/store/detail/posix/watch.hpp>
#include <tessera/store/local_options.hpp>
#include <tessera/store/value_watch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct LocalRoot final : ValueWatch::Owner {
  LocalRoot(std::string path_, LocalOptions options_);

  /// nullptr: missing, or `gone` and not yet replaced.
  std::shared_ptr<posix::Folder const> folder(posix::Folder const* gone = nullptr);
  bool is_unchanged(std::intptr_t handle, ValueVersion const& seen) const override;
  void unwatch(std::intptr_t handle) noexcept override;

  /// The folder that has the path now; nullptr: none.
  std::shared_ptr<posix::Folder const> current();

  /// The result of f in the folder; if empty and the folder was erased, in the one that now has its path.
  template <class F>
  auto find(F&& f) -> decltype(f(std::declval<posix::Folder const&>())) {
    auto const before = folder();
    if (!before) return {};
    auto found = f(*before);
    if (found || !before->was_erased()) return found;
    auto const after = folder(before.get());
    if (!after) return {};
    return f(*after);
  }

  std::shared_ptr<posix::Folder const> make();
  posix::Waiting waiting(Stop stop = nullptr) const;

  std::string path;
  LocalOptions options;
  LocalLocks locks;
  std::atomic<std::uint64_t> written{0};

 private:
  std::mutex mutex_;
  std::shared_ptr<posix::Folder const> folder_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/local_root.ipp>
#endif
