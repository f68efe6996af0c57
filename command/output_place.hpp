// A node that appears only when it is complete: in a folder, or as a zip file.
#pragma once
#include <memory>
#include <string>

#include <tessera/metadata/documents.hpp>

#include "node.hpp"

namespace cli {

class OutputPlace {
 public:
  OutputPlace() = default;
  OutputPlace(OutputPlace const&) = delete;
  OutputPlace& operator=(OutputPlace const&) = delete;
  virtual ~OutputPlace() = default;

  virtual Store store() const = 0;  ///< whose root is the node
  /// Keeps what was written if the copy of `source` ends early, and returns whether it has what an earlier one wrote.
  /// Throws: UsageError, if the place cannot.
  virtual bool resume(std::string const& source) = 0;
  /// Names a value that is written in several steps, before the first of them. An earlier one that was cut off in it
  /// loses the value. Requires: `resume` was called.
  virtual void begin_value(std::string const& key) = 0;
  virtual void commit() = 0;        ///< without it, a previous node stays
};

/// A path that ends in .zip or .ozx is that of a whole zip file. Throws: tessera::Error, if something is there that may
/// not be replaced; UsageError, if the command was built without libzip.
std::unique_ptr<OutputPlace> make_output(std::string const& path, bool overwrite, Files const& files,
                                         tessera::ZarrFormat format);

}  // namespace cli
