// From a path on disk to a node of a hierarchy in a store. Other sources: address.hpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/local_store.hpp>

#include "commands.hpp"
#include "interruption.hpp"
#include "mapped_file.hpp"
#include "read_count.hpp"
#include "read_log.hpp"

namespace cli {

/// A folder on disk, or another source that is only read (address.hpp). Ctrl-C ends work on it anywhere. Throws:
/// Interrupted, too. Copies share the read log, if there is one.
struct Store : tessera::LocalStore<tessera::HostBuffer> {
  using Base = tessera::LocalStore<tessera::HostBuffer>;
  using Base::Base;
  using Elsewhere = tessera::AnyStore<tessera::HostBuffer>;
  using Destination = tessera::Destination<tessera::space::Host>;
  using Queue = tessera::Queue<tessera::space::Host>;

  explicit Store(Elsewhere elsewhere) : Base{"."}, elsewhere_{std::move(elsewhere)} {}

  bool is_folder() const { return !elsewhere_; }
  std::string name() const { return elsewhere_ ? elsewhere_->name() : Base::name(); }
  bool is_near() const { return !elsewhere_ || elsewhere_->is_near(); }
  bool can_list() const { return !elsewhere_ || elsewhere_->can_list(); }

  std::optional<std::size_t> read(tessera::Key const& key, tessera::ByteRange range, Destination destination,
                                  Queue& on) const {
    Interruption::check();
    auto const read_to = [&](Destination to) {
      auto const size = elsewhere_ ? elsewhere_->read(key, range, to, on) : Base::read(key, range, to, on);
      count_->requests += 1, count_->bytes += size.value_or(0);
      return size;
    };
    if (auto* const noting = log()) return noting->note(key, range, destination, read_to);
    return read_to(destination);
  }
  void get_many(std::span<tessera::ReadRequest<tessera::space::Host>> requests, Queue& on) const {
    Interruption::check();
    auto const get = [&](std::span<tessera::ReadRequest<tessera::space::Host>> wanted) {
      elsewhere_ ? elsewhere_->get_many(wanted, on) : Base::get_many(wanted, on);
      count_->requests += wanted.size();
      for (auto const& request : wanted) count_->bytes += request.size.value_or(0);
    };
    if (auto* const noting = log()) return noting->note_many(requests, get);
    get(requests);
  }
  std::optional<std::uint64_t> size(tessera::Key const& key, Queue& on) const {
    return elsewhere_ ? elsewhere_->size(key, on) : Base::size(key, on);
  }
  tessera::ValueWatch watch(tessera::Key const& key) const {
    return elsewhere_ ? elsewhere_->watch(key) : Base::watch(key);
  }
  tessera::SequenceCounter& changes(tessera::Key const& key) const {
    return elsewhere_ ? elsewhere_->changes(key) : Base::changes(key);
  }
  bool has_folder(std::string_view path) const {
    return elsewhere_ ? elsewhere_->has_folder(path) : Base::has_folder(path);
  }
  void list(std::string_view prefix, tessera::Visitor visit) const {
    elsewhere_ ? elsewhere_->list(prefix, visit) : Base::list(prefix, visit);
  }
  void list_directory(std::string_view prefix, tessera::Visitor visit) const {
    elsewhere_ ? elsewhere_->list_directory(prefix, visit) : Base::list_directory(prefix, visit);
  }
  void list_own(std::string_view prefix, tessera::Visitor visit) const {
    elsewhere_ ? elsewhere_->list_own(prefix, visit) : Base::list_own(prefix, visit);
  }
  void list_unfinished(std::string_view prefix, tessera::Visitor visit) const {
    elsewhere_ ? elsewhere_->list_unfinished(prefix, visit) : Base::list_unfinished(prefix, visit);
  }

  void write(tessera::Key const& key, tessera::ByteView<tessera::space::Host> value, Queue& on) const {
    expect_reason_to_write();
    elsewhere_ ? elsewhere_->write(key, value, on) : Base::write(key, value, on);  // other sources are not written
  }
  bool append(tessera::Key const& key, tessera::ByteView<tessera::space::Host> bytes, std::uint64_t size,
              Queue& on) const {
    expect_reason_to_write();
    return !elsewhere_ && Base::append(key, bytes, size, on);
  }
  void write_many(std::span<tessera::WriteRequest<tessera::space::Host> const> requests, Queue& on) const {
    for (auto const& request : requests) {
      expect_reason_to_write();
      elsewhere_ ? elsewhere_->write_many({&request, 1}, on) : Base::write_many({&request, 1}, on);
    }
  }
  bool erase(tessera::Key const& key, Queue& on) const {
    return elsewhere_ ? elsewhere_->erase(key, on) : Base::erase(key, on);
  }

  /// From now on reads are noted there, or nowhere. Requires: no read is in progress, and the log lives until the next
  /// call.
  void note_reads(ReadLog* log) const { *log_ = log; }
  /// Of all copies, as long as one lives.
  ReadCount const& reads() const { return *count_; }

 private:
  static void expect_reason_to_write() {
    Interruption::check();
    MappedFile::expect_open_one_unchanged();  // written bytes may have been made from it
  }
  ReadLog* log() const { return *log_; }

  std::optional<Elsewhere> elsewhere_;
  std::shared_ptr<ReadLog*> log_ = std::make_shared<ReadLog*>(nullptr);
  std::shared_ptr<ReadCount> count_ = std::make_shared<ReadCount>();
};

/// Notes reads as long as this lives. Requires: no read is in progress when it begins or ends.
class NotedReads {
 public:
  NotedReads(Store const& store, ReadLog& log) : store_{store} { store_.note_reads(&log); }
  NotedReads(NotedReads const&) = delete;
  NotedReads& operator=(NotedReads const&) = delete;
  ~NotedReads() { store_.note_reads(nullptr); }

 private:
  Store const& store_;
};

inline tessera::LocalOptions options_of(Files const& files) {
  return {.fsync = files.sync, .links = files.follow_links ? tessera::Links::follow : tessera::Links::refuse};
}

struct Node {
  Store store;
  std::string path;  ///< in the store; the root's is empty
};

namespace detail {

inline bool has_document(std::filesystem::path const& folder, std::error_code& error) {
  using std::filesystem::file_type;
  for (auto const* name : {"zarr.json", ".zarray", ".zgroup"}) {
    auto const type = std::filesystem::status(folder / name, error).type();
    if (type != file_type::none && type != file_type::not_found && type != file_type::directory) return true;
  }
  return false;
}

}  // namespace detail

/// The path without dots, from the file system's root: a link in it may matter.
inline std::filesystem::path named(std::string const& path) {
  namespace fs = std::filesystem;
  fs::path at;
  for (auto const& name : fs::absolute(path.empty() ? "." : path))
    if (name == "..")
      at = fs::weakly_canonical(at).parent_path();
    else if (!name.empty() && name != ".")
      at /= name;
  return at;
}

namespace detail {

inline std::filesystem::path outermost_node(std::filesystem::path root) {
  std::error_code error;
  while (root.has_relative_path() && has_document(root.parent_path(), error)) root = root.parent_path();
  return root;
}

}  // namespace detail

/// The folder, without links on the way to the root of its hierarchy. Links below it stay: they belong to the store.
inline std::filesystem::path folder_of(std::string const& path) {
  namespace fs = std::filesystem;
  auto const folder = named(path);
  std::error_code error;
  auto root = folder;
  while (root.has_relative_path() && !detail::has_document(root, error)) root = root.parent_path();
  root = root.has_relative_path() ? detail::outermost_node(root) : folder;
  auto const canonical = fs::weakly_canonical(root);
  return root == folder ? canonical : canonical / folder.lexically_relative(root);
}

namespace detail {

// Roots are shown as the user gave them: from here on, unless the path was absolute.
inline Node node_below(std::filesystem::path const& root, std::filesystem::path const& folder, std::string const& path,
                       Files const& files) {
  namespace fs = std::filesystem;
  auto const inside = folder == root ? "" : folder.lexically_relative(root).generic_string();
  auto const shown = fs::path{path}.is_absolute() ? root : root.lexically_relative(fs::current_path());
  return {Store{shown.string(), options_of(files)}, inside};
}

}  // namespace detail

namespace detail {

// Throws: StoreError, if one of the folders on the way is a file, such as a zip file.
inline void expect_folders_above(std::filesystem::path const& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (auto at = path.parent_path(); at.has_relative_path(); at = at.parent_path())
    if (fs::is_regular_file(at, ignored)) try {
        (void)Store{at.string()}.has_folder("");
      } catch (tessera::Error& error) {
        error.in_store(at.string());
        throw;
      }
}

[[noreturn]] inline void refuse_missing(std::string const& path) {
  expect_folders_above(path);
  Store const store{path};
  try {
    throw tessera::detail::missing_node(store, "", "array or group");
  } catch (tessera::Error& error) {
    error.in_key("zarr.json").in_store(path);
    throw;
  }
}

}  // namespace detail

/// The store is the outermost folder from which every folder down to `path` is a node: keys in messages then begin at
/// the hierarchy's root. Throws: tessera::StoreError, if there is no node at `path`.
inline Node find_node(std::string const& path, Files const& files) {
  auto const folder = folder_of(path);
  std::error_code error;
  if (!detail::has_document(folder, error)) {
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
      throw tessera::StoreError{"cannot look for the document: " + error.message()}.in_key("zarr.json").in_store(path);
    detail::refuse_missing(path);
  }
  return detail::node_below(detail::outermost_node(folder), folder, path, files);
}

/// Where a new node would be. Its store is that of the nearest node above it, otherwise the nearest folder called
/// *.zarr, otherwise its own.
inline Node find_place(std::string const& path, Files const& files) {
  detail::expect_folders_above(path);
  auto const folder = folder_of(path);
  std::error_code error;
  auto const above = [&](auto&& holds) {
    for (auto at = folder; at.has_relative_path(); at = at.parent_path())
      if (holds(at)) return at;
    return folder;
  };
  auto root = above([&](auto const& at) { return at != folder && detail::has_document(at, error); });
  if (root == folder)
    root = above([](auto const& at) { return at.extension() == ".zarr"; });
  else
    root = detail::outermost_node(root);
  return detail::node_below(root, folder, path, files);
}

}  // namespace cli
