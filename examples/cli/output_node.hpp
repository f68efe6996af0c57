// A node that is there when it is whole, and not before.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <tessera/array/create.hpp>
#include <tessera/core/error.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/group_metadata.hpp>

#include "node.hpp"
#include "sync.hpp"

namespace cli {

/// Made in a folder beside it of a temporary name, which has no document, so that whoever walks the hierarchy
/// passes it over; commit() puts it in its place. What was
/// there until then stays until then, and stays for good if there is no commit.
class OutputNode {
 public:
  /// `sync`: the node outlasts a loss of power when commit() has returned. Throws: tessera::Error, if there is
  /// something at `path` that may not be replaced.
  OutputNode(std::string const& path, bool overwrite, bool sync)
      : shown_{path}, place_{find_place(path, sync)}, target_{folder_of(path)}, sync_{sync} {
    namespace fs = std::filesystem;
    expect_nothing(overwrite);
    expect_groups_above();
    auto beside = target_.parent_path();
    std::error_code error;
    while (!fs::exists(beside, error)) beside = beside.parent_path();
    for (int i = 0; unfinished_.empty(); ++i) {
      auto const name = beside / (".tessera-" + std::to_string(::getpid()) + '-' + std::to_string(i));
      if (fs::create_directory(name, error))
        unfinished_ = name;
      else if (error)
        fail("cannot make a folder: " + error.message());
    }
  }
  OutputNode(OutputNode const&) = delete;
  OutputNode& operator=(OutputNode const&) = delete;
  ~OutputNode() {
    std::error_code ignored;
    if (!unfinished_.empty()) std::filesystem::remove_all(unfinished_, ignored);
  }

  /// Its root is the node.
  Store store() const { return Store{(unfinished_ / "new").string(), {.fsync = sync_}}; }

  void commit() {
    namespace fs = std::filesystem;
    for (auto const& group : groups_) tessera::write_document(place_.store, group, to_value(tessera::GroupMetadata{}));
    std::error_code error;
    try {
      if (!fs::exists(target_.parent_path(), error))
        tessera::detail::posix::make_folders(target_.parent_path().string(), sync_);
    } catch (tessera::StoreError& problem) {
      problem.in_store(shown_);
      throw;
    }
    fs::path old;
    if (fs::exists(target_, error)) {
      old = unfinished_ / "old";
      fs::rename(target_, old, error);
      if (error) fail("cannot rename what is there: " + error.message());
    }
    fs::rename(unfinished_ / "new", target_, error);
    if (error) {
      auto const problem = error.message();
      if (!old.empty()) fs::rename(old, target_, error);
      if (!old.empty() && error) unfinished_.clear();  // what was there is still in it
      fail("cannot rename the folder: " + problem);
    }
    if (sync_) sync_folder(target_.parent_path());
    auto const beside = unfinished_.parent_path();
    fs::remove_all(std::exchange(unfinished_, {}), error);
    if (error) fail("it is written, but what was there before cannot be erased: " + error.message());
    if (sync_) sync_folder(beside);
  }

 private:
  [[noreturn]] void fail(std::string problem) const { throw tessera::StoreError{std::move(problem)}.in_store(shown_); }

  void expect_nothing(bool overwrite) const {
    namespace fs = std::filesystem;
    std::error_code error;
    auto const status = fs::status(target_, error);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status)) fail("there is a file of that name");
    if (!detail::has_document(target_, error)) {
      if (!fs::is_empty(target_, error) || error)
        fail("there is a folder of that name, with other things than a Zarr node in it; they are not overwritten");
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
  }

  std::optional<std::string> type_of(std::string const& path) const {
    return tessera::read_document(place_.store, path, [](tessera::Reader& reader) {
      return reader.at("node_type").one_of({"array", "group"});
    });
  }

  // Finds out which of them are yet to be made.
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
  std::filesystem::path target_, unfinished_;
  bool sync_;
  std::vector<std::string> groups_;
};

}  // namespace cli
