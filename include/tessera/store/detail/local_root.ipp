#pragma once
#include <tessera/store/detail/local_root.hpp>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <tessera/store/detail/posix/files.hpp>
#include <tessera/store/detail/posix/watch.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/local_options.hpp>
#include <tessera/store/value_watch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL LocalRoot::LocalRoot(std::string path_, LocalOptions options_)
    : path{std::move(path_)}, options{options_} {
  expect_path(path);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty()) path.push_back('.');  // g++ 12 mistakes an assignment for an overlap
}

TESSERA_DECL std::shared_ptr<posix::Folder const> LocalRoot::folder(posix::Folder const* gone) {
  std::lock_guard lock{mutex_};
  if (folder_.get() == gone) {
    folder_.reset();
    if (auto opened = posix::Folder::open(path, options.links))
      folder_ = std::make_shared<posix::Folder const>(std::move(*opened));
  }
  return folder_;
}

TESSERA_DECL bool LocalRoot::is_unchanged(std::intptr_t handle, ValueVersion const& seen) const {
  auto const file = posix::Descriptor::lent(static_cast<int>(handle));
  return posix::is_unchanged(file.status(), seen);
}

TESSERA_DECL void LocalRoot::unwatch(std::intptr_t handle) noexcept {
  posix::Descriptor const ends{static_cast<int>(handle)};
}

TESSERA_DECL std::shared_ptr<posix::Folder const> LocalRoot::current() {
  auto found = folder();
  return found && found->was_erased() ? folder(found.get()) : found;
}

TESSERA_DECL std::shared_ptr<posix::Folder const> LocalRoot::make() {
  auto found = current();
  if (found) return found;
  posix::make_folders(path, options.fsync);
  if (!(found = folder())) posix::fail("open the folder", ENOENT);
  return found;
}

TESSERA_DECL posix::Waiting LocalRoot::waiting(Stop stop) const { return {stop, options.patience}; }

}}}  // namespace tessera::v0::detail
