#include "output_place.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "address.hpp"
#include "output_node.hpp"

namespace cli {
namespace {

class OutputZip final : public OutputPlace {
 public:
  OutputZip(std::string const& path, bool overwrite, Files const& files)
      : zip_{new_zip(path, overwrite, files.sync)} {}

  Store store() const override { return Store{zip_.store}; }
  void commit() override { zip_.flush(); }
  bool resume(std::string const&) override {
    throw UsageError{"--resume is for copies to a folder; a zip file is written as a whole or not at all"};
  }
  void begin_value(std::string const&) override {}

 private:
  NewZip zip_;
};

}  // namespace

std::unique_ptr<OutputPlace> make_output(std::string const& path, bool overwrite, Files const& files,
                                         tessera::ZarrFormat format) {
  std::error_code error;
  bool const is_zip = path.ends_with(".zip") || path.ends_with(".ozx");
  if (!is_zip || std::filesystem::is_directory(path, error))
    return std::make_unique<OutputNode>(path, overwrite, files, format);
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error)) && !overwrite)
    throw tessera::StoreError{"there is a file of that name; --overwrite replaces it"}.in_store(path);
  return std::make_unique<OutputZip>(path, overwrite, files);
}

}  // namespace cli
