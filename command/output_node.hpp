// A node in a folder that appears only when it is complete.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/node/create.hpp>

#include "consolidated.hpp"
#include "node.hpp"
#include "output_place.hpp"
#include "sync.hpp"

namespace cli {

/// Made in a folder beside it with a temporary name. The folder has no document, so walks of the hierarchy skip it, and
/// it is locked until it is finished; commit() moves it into place. A previous node stays until then, and for good
/// without a commit. A replaced link is removed itself, not its target.
class OutputNode final : public OutputPlace {
 public:
  /// Throws: tessera::Error, if `path` holds data that may not be replaced.
  OutputNode(std::string const& path, bool overwrite, Files const& files, tessera::ZarrFormat format)
      : shown_{path},
        place_{find_place(path, files)},
        target_{folder_of(path)},
        options_{options_of(files)},
        format_{format} {
    namespace fs = std::filesystem;
    std::error_code error;
    auto const root = folder_of(place_.store.name());
    auto outer = root;
    if (place_.path.empty() || !fs::is_directory(root, error)) outer = root.parent_path();
    while (!fs::is_directory(outer, error)) outer = outer.parent_path();
    outer_.emplace(outer.string(), options_);
    path_ = target_.lexically_relative(outer).generic_string();
    replaces_ = replaces_something(overwrite);
    expect_groups_above();
    auto beside = fs::path{path_}.parent_path();
    while (!beside.empty() && !fs::is_directory(outer / beside, error)) beside = beside.parent_path();
    in_store([&] { unfinished_.emplace(outer_->make_unfinished(beside.generic_string())); });
    folder_ = outer / unfinished_->path;
    beside_ = beside.generic_string();
  }
  ~OutputNode() override {
    std::error_code ignored;
    if (unfinished_ && !(stays_ && std::filesystem::exists(folder_ / "new", ignored)))
      std::filesystem::remove_all(folder_, ignored);
  }

  /// Its root is the node.
  Store store() const override { return Store{(folder_ / "new").string(), options_}; }

  /// Names the groups above that lose their consolidated metadata.
  void commit() override {
    saying_what_goes(place_.store, {place_.path}, [&] { put_in_place(); });
  }

  bool resume(std::string const& source) override {
    namespace fs = std::filesystem;
    stays_ = true;
    auto const what = source + "\nto " + target_.string() + '\n';
    std::error_code error;
    fs::remove(folder_ / "new", error);
    for (auto const& entry : fs::directory_iterator{folder_.parent_path()}) {
      auto const name = entry.path().filename().string();
      if (!tessera::detail::posix::is_unfinished(name) || text_of(entry.path() / "source") != what) continue;
      auto held = hold(name);
      if (!held || text_of(entry.path() / "source") != what) continue;  // another copy is at work there
      fs::remove_all(folder_, error);
      unfinished_->path = beside_.empty() ? name : beside_ + '/' + name;
      unfinished_->held = std::move(held);
      folder_ = entry.path();
      erase_cut_value();
      return true;
    }
    put_text(folder_ / "source", what);
    return false;
  }
  void begin_value(std::string const& key) override { put_text(folder_ / "value", key + '\n'); }

 private:
  // The value that the ended copy was writing, if any.
  void erase_cut_value() const {
    auto key = text_of(folder_ / "value");
    if (!key.ends_with('\n')) return;  // it was not yet begun
    key.pop_back();
    if (!tessera::detail::is_key(key))
      fail("found " + tessera::describe(key) + " in " + (folder_ / "value").string() +
           ", expected a key; erase the folder");
    std::error_code error;
    std::filesystem::remove(folder_ / "new" / key, error);
    if (error) fail("cannot erase " + (folder_ / "new" / key).string() + ": " + error.message());
  }
  // The folder of that name beside the node, if its writer has ended and was the same user: another's may have links.
  tessera::detail::posix::Locked hold(std::string const& name) const {
    namespace posix = tessera::detail::posix;
    posix::Descriptor const above{::open(folder_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    auto held = above ? posix::hold_stale(above.number(), name.c_str()) : posix::Locked{};
    bool const is_mine = held && held.descriptor().status().st_uid == unfinished_->held.descriptor().status().st_uid;
    return is_mine ? std::move(held) : posix::Locked{};
  }
  static std::string text_of(std::filesystem::path const& file) {
    std::ifstream from{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{from}, {}};
  }
  void put_text(std::filesystem::path const& file, std::string const& text) const {
    if (!(std::ofstream{file, std::ios::binary} << text << std::flush)) fail("cannot write " + file.string());
  }

  void put_in_place() {
    namespace fs = std::filesystem;
    auto const locks = tessera::detail::lock_new_node(place_.store, place_.path, format_, {place_.path});
    if (format_ == tessera::ZarrFormat::v2)
      for (auto const& group : groups_) make_attributes(tessera::detail::v2_attributes_key(group));
    tessera::detail::drop_consolidated_above(place_.store, place_.path, tessera::ZarrFormat::v2);
    auto const made = unfinished_->path + "/new";
    std::error_code error;
    fs::path old;
    fs::remove(folder_ / "source", error);  // or the previous node, once it is there, would be taken for a copy
    if (error) fail("cannot erase " + (folder_ / "source").string() + ": " + error.message());
    in_store([&] {
      if (!replaces_)
        outer_->rename(made, path_);
      else if (!outer_->exchange(made, path_))
        old = replace_in_two_steps(made);
    });
    if (!old.empty()) fs::remove_all(old, error);
    if (!error) fs::remove_all(folder_, error);  // holds the previous node, if the two were exchanged
    unfinished_.reset();
    if (error) fail("it is written, but what was there before cannot be erased: " + error.message());
    if (options_.fsync) sync_folder(folder_.parent_path());
  }

  // Attributes that create_group makes: none, except those that another program has set.
  void make_attributes(tessera::Key const& key) const {
    tessera::detail::until_unchanged([&] {
      auto const held = place_.store.lock(key);
      tessera::detail::is_lockable(place_.store, key);
    });
  }

  [[noreturn]] void fail(std::string problem) const { throw tessera::StoreError{std::move(problem)}.in_store(shown_); }

  template <class F>
  void in_store(F&& f) const try {
    f();
  } catch (tessera::StoreError& error) {
    error.in_store(shown_);
    throw;
  }

  // For file systems that cannot exchange two folders. Between the two steps nothing is at the path: the previous node
  // has a visible name that is not taken for unfinished work. Returns where it is.
  std::filesystem::path replace_in_two_steps(std::string const& made) const {
    auto const aside = path_ + ".replaced-" + std::to_string(::getpid());
    auto const old = target_.string() + ".replaced-" + std::to_string(::getpid());
    report(shown_ +
           ": this file system cannot exchange two folders at once: if the command ends before it is done, what " +
           "was there is at " + old);
    if (!outer_->rename(path_, aside)) fail("what is there went meanwhile");
    try {
      outer_->rename(made, path_);
    } catch (tessera::StoreError const& error) {
      std::string where = "what was there is there again";
      try {
        outer_->rename(aside, path_);
      } catch (tessera::StoreError const&) {
        where = "what was there is at " + old;
      }
      fail(std::string{error.what()} + "; " + where);
    }
    return old;
  }

  // Otherwise the path is free, or an empty folder.
  bool replaces_something(bool overwrite) const {
    namespace fs = std::filesystem;
    std::error_code error;
    auto const status = fs::symlink_status(target_, error);
    if (!fs::exists(status)) return false;
    if (fs::is_symlink(status)) {
      if (!overwrite) fail("there is a symbolic link; --overwrite replaces it, not what it leads to");
    } else if (!fs::is_directory(status)) {
      fail("there is a file of that name");
    } else if (!detail::has_document(target_, error)) {
      if (holds_keys())
        fail("there is a folder of that name, with other things than a Zarr node in it; they are not overwritten");
      return false;
    } else if (!overwrite) {
      std::string what = "something";  // its document may be broken
      try {
        what = type_of(place_.path).value_or(what);
      } catch (tessera::Error const&) {
      }
      fail("there is " +
           (what == "array"   ? "an array"
            : what == "group" ? "a group"
                              : what) +
           " already; --overwrite replaces it and all below it");
    }
    return true;
  }

  // Whether the path holds more than empty folders and leftovers of ended writers.
  bool holds_keys() const {
    struct MemberValue {};
    try {
      outer_->list_own(path_, [](tessera::Listed const&) { throw MemberValue{}; });
    } catch (MemberValue) {
      return true;
    }
    return false;
  }

  std::optional<std::string> type_of(std::string const& path) const {
    return tessera::read_document(place_.store, path, [](tessera::ObjectReader& reader) {
      return reader.at("node_type").one_of({"array", "group"});
    });
  }

  // Finds out which of them must be made.
  void expect_groups_above() {
    tessera::detail::check_node_path(place_.path);
    for (std::size_t end = 0; end != std::string::npos && !place_.path.empty(); end = place_.path.find('/', end + 1)) {
      auto const above = place_.path.substr(0, end);
      auto const type = type_of(above);
      if (!type)
        groups_.push_back(above);
      else if (*type == "array")
        fail("there is an array above it, " + tessera::describe(above) + "; arrays have no children");
    }
  }

  std::string shown_;
  Node place_;
  std::filesystem::path target_, folder_;
  tessera::LocalOptions options_;
  tessera::ZarrFormat format_;  // of the new groups above
  std::optional<Store> outer_;  // the folder above the path and the unfinished folder
  std::string path_, beside_;   // in it; beside_: the folder of the unfinished one
  bool replaces_ = false, stays_ = false;
  std::optional<tessera::detail::posix::UnfinishedFolder> unfinished_;
  std::vector<std::string> groups_;
};

}  // namespace cli
