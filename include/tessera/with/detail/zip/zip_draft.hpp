// ZipDraft: the state of a WritableZipStore: an old zip file, or none, and changes to it.
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/with/detail/zip/zip_writer.hpp>
#include <tessera/with/zip.hpp>

namespace tessera { inline namespace v0 { namespace detail {

class ZipDraft {
  using Change = std::optional<ZipRecord>;  // nullopt: erased

 public:
  using Sizes = std::map<std::string, std::uint64_t, std::less<>>;

  KeyLocks locks{};

  ZipDraft(std::string path, bool sync, bool overwrite)
      : name_{std::move(path)}, path_{whole_path(name_)}, sync_{sync}, replaces_{overwrite || exists()} {
    if (!overwrite && replaces_)
      old_ = std::make_shared<ZipFile>(path_, name_);
    else
      in_store([&] { writer(); });  // an error now, not at the first write
  }

  std::string const& name() const { return name_; }

  /// Errors of f() name the file.
  template <class F>
  void in_store(F&& f) const try {
    f();
  } catch (Error& error) {
    error.in_store(name_);
    throw;
  }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    std::shared_lock const flushing{flush_};
    auto const [change, is_changed] = find(key.path);
    if (!is_changed) return old_ ? ZipStore{old_}.read(key, range, destination, on) : std::nullopt;
    if (!change) return std::nullopt;
    auto const [offset, size] = range.resolve(change->size);
    auto const to = destination(static_cast<std::size_t>(size));
    posix::Piece piece{to.data, to.size};
    posix::read(writer_->file(), {&piece, 1}, ZipWriter::data_of(*change) + offset);
    return to.size;
  }

  std::optional<std::uint64_t> size(std::string const& name) const {
    std::shared_lock const flushing{flush_};
    auto const [change, is_changed] = find(name);
    if (is_changed) return change ? std::optional{change->size} : std::nullopt;
    auto const* const found = old_ ? old_->find(name) : nullptr;
    return found ? std::optional{found->size} : std::nullopt;
  }

  void write(std::string const& name, ByteView<space::Host> value) {
    if (name.size() > zip_limit2) throw StoreError{"a name in a zip file has at most 65535 bytes"};
    std::shared_lock const flushing{flush_};
    expect_own_process();
    auto record = writer().add(name, value);
    std::lock_guard const changing{mutex_};
    changes_.insert_or_assign(name, std::move(record));
  }

  bool erase(std::string const& name) {
    std::shared_lock const flushing{flush_};
    expect_own_process();
    bool const is_old = old_ && old_->find(name);
    std::lock_guard const changing{mutex_};
    auto const found = changes_.find(name);
    bool const was_there = found == changes_.end() ? is_old : found->second.has_value();
    if (is_old)
      changes_.insert_or_assign(name, std::nullopt);
    else
      changes_.erase(name);
    is_changed_ = true;
    return was_there;
  }

  /// The keys below a folder. Throws: StoreError.
  Sizes below(std::string_view folder) const {
    if (!folder.empty()) at_key(*this, Key{std::string{folder}}, [] {});
    std::shared_lock const flushing{flush_};
    Sizes sizes;
    if (old_)
      for (auto [at, end] = old_->below(folder); at != end; ++at) sizes.emplace(at->first, at->second.size);
    auto const prefix = folder.empty() ? std::string{} : std::string{folder} + '/';
    std::lock_guard const changing{mutex_};
    for (auto at = changes_.lower_bound(prefix); at != changes_.end() && at->first.starts_with(prefix); ++at)
      if (at->second)
        sizes.insert_or_assign(at->first, at->second->size);
      else
        sizes.erase(at->first);
    return sizes;
  }

  void flush() {
    in_store([&] { make_file(); });
  }

 private:
  void make_file() {
    std::unique_lock const flushing{flush_};
    expect_own_process();
    if (changes_.empty() && !is_changed_ && old_) return sync_name();
    auto& to = writer();
    auto const comment = is_of_ome() ? comment_for_ome() : std::string{};
    if (old_) copy_unchanged(to);
    std::vector<ZipRecord const*> records;
    for (auto const& [name, record] : changes_)
      if (record) records.push_back(&*record);
    if (is_of_ome())
      std::ranges::stable_sort(records, {}, [](ZipRecord const* one) { return place_for_ome(one->name); });
    std::shared_ptr<ZipFile> made;
    to.finish(records, comment, sync_, replaces_,
              [&](std::string const& hidden) { made = std::make_shared<ZipFile>(hidden, name_); });
    old_ = std::move(made), writer_.reset(), changes_.clear(), is_changed_ = false, replaces_ = true;
    is_name_new_ = sync_;
    sync_name();
  }
  // Also in a flush that follows one that failed here.
  void sync_name() {
    if (is_name_new_) ZipWriter::sync_name(path_);
    is_name_new_ = false;
  }

  // Of the file that a link names; whatever becomes the current folder.
  static std::string whole_path(std::string const& path) {
    expect_path(path);
    std::error_code error;
    auto const found = std::filesystem::canonical(path, error);
    return (error ? std::filesystem::absolute(path) : found).string();
  }
  bool exists() const {
    struct stat there {};
    if (::lstat(path_.c_str(), &there) == 0) return true;
    in_store([] {
      if (errno != ENOENT) posix::fail("open it");
    });
    return false;
  }
  void expect_own_process() const {
    std::lock_guard const making{mutex_};
    if (writer_ && !writer_->is_of_this_process())
      throw StoreError{"another process, whose child this one is, writes the zip file"};
  }

  ZipWriter& writer() {
    std::lock_guard const making{mutex_};
    if (!writer_) writer_ = std::make_unique<ZipWriter>(path_);
    return *writer_;
  }

  std::pair<Change, bool> find(std::string const& name) const {
    std::lock_guard const changing{mutex_};
    auto const found = changes_.find(name);
    return found == changes_.end() ? std::pair{Change{}, false} : std::pair{found->second, true};
  }

  // Old values become changes, so that a flush that fails can be repeated.
  void copy_unchanged(ZipWriter& to) {
    Queue<space::Host> on;
    auto const archive = old_->archive(on);
    std::vector<std::byte> part;
    for (auto [at, end] = old_->below(""); at != end; ++at)
      if (!changes_.contains(at->first)) changes_.emplace(at->first, copied(to, *archive, *at, part));
  }
  static ZipRecord copied(ZipWriter& to, ZipArchive& archive, ZipFile::Values::value_type const& old,
                          std::vector<std::byte>& part) try {
    auto const& [name, value] = old;
    (void)ZipEntry{archive, value.entry, name, value.size};  // refuses encrypted and impossible ones
    zip_stat_t found;
    if (zip_stat_index(archive.get(), value.entry, 0, &found) != 0) fail_by(archive, zip_get_error(archive.get()));
    std::unique_ptr<zip_file_t, ZipEntry::Close> const file{
        zip_fopen_index(archive.get(), value.entry, ZIP_FL_COMPRESSED)};
    if (!file) fail_by(archive, zip_get_error(archive.get()));
    auto record = to.begun({name, found.comp_method, found.crc, found.comp_size, found.size});
    auto offset = ZipWriter::data_of(record);
    constexpr std::uint64_t most = 1 << 20;
    part.resize(static_cast<std::size_t>(std::min(most, found.comp_size)));
    for (auto left = found.comp_size; left > 0;) {
      auto const n = zip_fread(file.get(), part.data(), std::min<std::uint64_t>(left, part.size()));
      if (n < 0) fail_by(archive, zip_file_get_error(file.get()));
      if (n == 0) throw StoreError{"the entry ends before the size that the zip file's directory states"};
      to.write({part.data(), static_cast<std::size_t>(n)}, offset);
      offset += static_cast<std::uint64_t>(n), left -= static_cast<std::uint64_t>(n);
    }
    return record;
  } catch (Error& error) {
    error.in_key(old.first);
    throw;
  }
  [[noreturn]] static void fail_by(ZipArchive& archive, zip_error_t* error) {
    archive.rethrow();
    throw StoreError{to_text({"cannot read the entry of the zip file: ", zip_error_strerror(error)})};
  }

  // Of OME-Zarr's RFC-9 ("Zipped OME-Zarr"): the root's document, the documents below it level by level, the rest.
  static std::tuple<bool, std::ptrdiff_t, std::string_view> place_for_ome(std::string_view name) {
    bool const is_document = name == "zarr.json" || name.ends_with("/zarr.json");
    if (!is_document) return {true, 0, {}};
    return {false, std::ranges::count(name, '/'), name};
  }
  std::string comment_for_ome() const {
    Members zip_file{{"centralDirectory", Members{{"jsonFirst", true}}}}, ome;
    if (auto const version = version_of_ome(); !version.empty()) ome.push_back({"version", version});
    ome.push_back({"zipFile", std::move(zip_file)});
    return to_json(Members{{"ome", std::move(ome)}});
  }
  // Empty: the root has none. Before old values become changes.
  std::string version_of_ome() const {
    Key const key{"zarr.json"};
    auto const [change, is_changed] = find(key.path);
    std::string text;
    if (change) {
      text.resize(static_cast<std::size_t>(change->size));
      posix::Piece piece{text.data(), text.size()};
      posix::read(writer_->file(), {&piece, 1}, ZipWriter::data_of(*change));
    } else if (!is_changed && old_) {
      Queue<space::Host> on{1};
      auto const take = [&](std::size_t size) {
        text.resize(size);
        return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(text.data()), size};
      };
      ZipStore{old_}.read(key, {}, take, on);
    }
    try {
      Value const document = parse_json(text);
      Value const* value = &document;
      for (auto const* name : {"attributes", "ome", "version"}) {
        auto const* const members = value->get_if<Members>();
        value = members ? members->find(name) : nullptr;
        if (!value) return {};
      }
      auto const* const version = value->get_if<std::string>();
      constexpr std::size_t most = 64;  // the comment has less than 64 KiB
      return version && version->size() <= most ? *version : std::string{};
    } catch (MetadataError const&) {  // no document, or a damaged one
      return {};
    }
  }

  bool is_of_ome() const { return path_.ends_with(".ozx"); }

  std::string const name_, path_;  // as given; from the file system's root
  bool const sync_;
  bool replaces_;                        // the file that has the name
  std::shared_ptr<ZipFile> old_;         // null: no file yet
  std::unique_ptr<ZipWriter> writer_{};  // null: nothing written since the last flush
  std::map<std::string, Change, std::less<>> changes_{};
  bool is_changed_ = false;
  bool is_name_new_ = false;  // a loss of power may undo the renaming
  std::mutex mutable mutex_{};         // of writer_ and changes_
  std::shared_mutex mutable flush_{};  // shared by calls, alone in `flush`
};

}}}  // namespace tessera::v0::detail
