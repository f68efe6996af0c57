// A file that is watched while a value is read by several calls.
#pragma once
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <sys/stat.h>

#include <tessera/store/local_root.hpp>
#include <tessera/store/posix/folder.hpp>
#include <tessera/store/watch.hpp>

namespace tessera::inline v0::detail {

/// Holds the file, so that its inode is no other's meanwhile.
class LocalWatch final : public ValueWatch::Interface {
 public:
  LocalWatch(std::shared_ptr<LocalRoot> root, std::string path)
      : root_{std::move(root)}, path_{std::move(path)}, file_{find()}, version_{version_of(file_)} {
    version_.watch = ++root_->watches;
  }

  ValueVersion version() const override { return version_; }
  bool is_current() const override { return version_of(find()).numbers == version_.numbers; }

 private:
  std::optional<posix::Descriptor> find() const {
    return root_->find([&](posix::Folder const& root) { return root.find(path_, posix::pass); });
  }

  static ValueVersion version_of(std::optional<posix::Descriptor> const& file) {
    if (!file) return {{}, true};
    auto const info = file->status();
    constexpr std::int64_t second = 1'000'000'000, settled = second / 20;  // some ticks of the clock that files go by
    auto const changed = std::int64_t{info.st_ctim.tv_sec} * second + info.st_ctim.tv_nsec;
    std::timespec now{};
    bool const is_known = std::timespec_get(&now, TIME_UTC) == TIME_UTC;
    auto const age = std::int64_t{now.tv_sec} * second + now.tv_nsec - changed;
    return {{static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
             static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(changed), 1},
            is_known && age > settled};
  }

  std::shared_ptr<LocalRoot> root_;
  std::string path_;
  std::optional<posix::Descriptor> file_;
  ValueVersion version_;
};

}  // namespace tessera::inline v0::detail
