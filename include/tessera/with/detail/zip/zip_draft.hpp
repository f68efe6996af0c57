// ZipDraft: the state of a WritableZipStore: an old zip file, or none, and changes to it.
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
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

  ZipDraft(std::string path, bool sync) : path_{std::move(path)}, sync_{sync} {
    expect_path(path_);
    struct stat there {};
    if (::stat(path_.c_str(), &there) == 0)
      old_ = std::make_shared<ZipFile>(path_);
    else
      in_store([&] { errno == ENOENT ? (void)writer() : posix::fail("open it"); });  // now, not at the first write
  }

  std::string const& name() const { return path_; }

  /// Errors of f() name the file.
  template <class F>
  void in_store(F&& f) try {
    f();
  } catch (Error& error) {
    error.in_store(path_);
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
    auto record = writer().add(name, value);
    std::lock_guard const changing{mutex_};
    changes_.insert_or_assign(name, std::move(record));
  }

  bool erase(std::string const& name) {
    std::shared_lock const flushing{flush_};
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
    if (changes_.empty() && !is_changed_ && old_) return;
    auto& to = writer();
    if (old_) copy_unchanged(to);
    std::vector<ZipRecord const*> records;
    for (auto const& [name, record] : changes_)
      if (record) records.push_back(&*record);
    std::string comment;
    if (path_.ends_with(".ozx")) {
      comment = comment_for_ome();
      std::ranges::stable_sort(records, {}, [](ZipRecord const* one) { return place_for_ome(one->name); });
    }
    to.finish(records, comment, sync_);
    writer_.reset();
    changes_.clear(), is_changed_ = false;
    old_ = std::make_shared<ZipFile>(path_);
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
    auto const archive = old_->archive();
    std::vector<std::byte> part;
    for (auto [at, end] = old_->below(""); at != end; ++at)
      if (!changes_.contains(at->first)) changes_.emplace(at->first, copied(to, *archive, *at, part));
  }
  static ZipRecord copied(ZipWriter& to, ZipArchive& archive, ZipFile::Values::value_type const& old,
                          std::vector<std::byte>& part) try {
    auto const& [name, value] = old;
    (void)ZipEntry{archive, value.entry, name, value.size};  // refuses encrypted and impossible ones
    zip_stat_t found;
    if (zip_stat_index(archive.get(), value.entry, 0, &found) != 0) fail_by(zip_get_error(archive.get()));
    std::unique_ptr<zip_file_t, ZipEntry::Close> const file{
        zip_fopen_index(archive.get(), value.entry, ZIP_FL_COMPRESSED)};
    if (!file) fail_by(zip_get_error(archive.get()));
    auto record = to.begun({name, found.comp_method, found.crc, found.comp_size, found.size});
    auto offset = ZipWriter::data_of(record);
    constexpr std::uint64_t most = 1 << 20;
    part.resize(static_cast<std::size_t>(std::min(most, found.comp_size)));
    for (auto left = found.comp_size; left > 0;) {
      auto const n = zip_fread(file.get(), part.data(), std::min<std::uint64_t>(left, part.size()));
      if (n < 0) fail_by(zip_file_get_error(file.get()));
      if (n == 0) throw StoreError{"the entry ends before the size that the zip file's directory states"};
      to.write({part.data(), static_cast<std::size_t>(n)}, offset);
      offset += static_cast<std::uint64_t>(n), left -= static_cast<std::uint64_t>(n);
    }
    return record;
  } catch (Error& error) {
    error.in_key(old.first);
    throw;
  }
  [[noreturn]] static void fail_by(zip_error_t* error) {
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
  // Empty: the root has none.
  std::string version_of_ome() const {
    auto const found = changes_.find("zarr.json");
    if (found == changes_.end() || !found->second || found->second->method != 0) return {};
    std::string text(static_cast<std::size_t>(found->second->size), '\0');
    posix::Piece piece{text.data(), text.size()};
    posix::read(writer_->file(), {&piece, 1}, ZipWriter::data_of(*found->second));
    Value const* value = nullptr;
    auto const document = parse_json(text);
    value = &document;
    for (auto const* name : {"attributes", "ome", "version"}) {
      auto const* const members = value->get_if<Members>();
      value = members ? members->find(name) : nullptr;
      if (!value) return {};
    }
    auto const* const version = value->get_if<std::string>();
    return version ? *version : std::string{};
  }

  std::string const path_;
  bool const sync_;
  std::shared_ptr<ZipFile> old_;         // null: no file yet
  std::unique_ptr<ZipWriter> writer_{};  // null: nothing written since the last flush
  std::map<std::string, Change, std::less<>> changes_{};
  bool is_changed_ = false;
  std::mutex mutable mutex_{};         // of writer_ and changes_
  std::shared_mutex mutable flush_{};  // shared by calls, alone in `flush`
};

}}}  // namespace tessera::v0::detail
