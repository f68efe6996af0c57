// Arguments of each subcommand. main.cpp fills them in; the functions throw UsageError or tessera::Error.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"

namespace cli {

/// How commands reach what is at an address. Empty members: from the environment, as S3Options says.
struct Access {
  std::string endpoint{}, region{}, profile{};  ///< of s3:// addresses
  bool anonymous = false;                       ///< their requests are not signed
  std::vector<std::string> headers{};           ///< of each request to an address: "Name: value"
};

/// How commands access the files of a hierarchy.
struct Files {
  bool sync = false;          ///< writes survive a loss of power
  bool follow_links = false;  ///< symbolic links below the root are followed; otherwise they are errors
  Access access{};            ///< of sources that are addresses
};

struct Info : Files {
  std::string path;
  bool json = false;
};

struct Read : Files {
  std::string path;
  std::string region, index;   ///< empty: everything
  std::string output;          ///< "-": the standard output
  std::string format;          ///< empty: from the output's name
  std::string space = "host";  ///< or "device": where elements are placed
  std::size_t threads = 1;
  std::optional<std::size_t> memory{};  ///< MiB in all; otherwise 256 of elements, or a row of chunks
  bool unpacked = false;                ///< numbers scaled and masked by CF's attributes
};

struct Show : Files {
  std::string path;
  std::string region, index;  ///< empty: everything
  bool unpacked = false;      ///< as of Read
  std::size_t limit = 1000;   ///< elements that are shown at most
  std::size_t threads = 1;
};

struct Diff : Files {
  std::string one, other;
  std::string region;  ///< empty: everything
  std::size_t threads = 1;
  std::size_t memory = 256;  ///< MiB of elements held at once
};

/// A group and all nodes below it, without looking at chunks.
struct Listing : Files {
  std::string path = ".";
  bool is_long = false;                 ///< the kind of each node, too
  bool is_tree = false;                 ///< all levels, not one
  std::optional<std::size_t> levels{};  ///< of a tree
};

struct View : Files {
  std::string path;
  std::string region;  ///< empty: everything
  std::string axis;    ///< a dimension's name or number; empty: not given
  std::string index;   ///< "94" or "z=94,c=0"; empty: not given
  std::string output;  ///< empty: the terminal
  std::size_t threads = 1;
};

struct Attrs : Files {
  std::string path, name;                            ///< empty: all
  std::vector<std::string> settings{}, deletions{};  ///< "NAME=JSON", "NAME"
};

struct Write : Files {
  std::string file, path;
  std::optional<std::string> chunks, shards, fill, data_type{};
  std::string codecs, names;  ///< empty: not given
  std::optional<int> zarr_format{};
  bool overwrite = false;
  std::size_t threads = 1;
};

struct Copy : Files {
  std::string source, destination;
  std::optional<std::string> chunks, shards;
  std::string codecs;  ///< empty: not given
  std::optional<int> zarr_format{};
  bool overwrite = false;
  bool resume = false;  ///< goes on with a copy that ended early, and leaves one
  std::size_t threads = 1;
  std::size_t memory = 256;  ///< MiB in all
};

struct Resize : Files {
  std::string path, shape;
  std::size_t threads = 1;
};

struct Append : Files {
  std::string file, path;
  std::string axis = "0";  ///< a dimension's name or number
  std::size_t threads = 1;
};

struct Compact : Files {
  std::string path;
  std::string region;  ///< empty: everything
  bool recover = false;
  std::size_t threads = 1;
};

struct Remove : Files {
  std::string path;
  bool yes = false;  ///< allow a whole hierarchy without a question
};

struct Move : Files {
  std::string source, destination;
};

struct Consolidate : Files {
  std::string path;
};

struct Convert : Files {
  std::string path;
  std::string to;  ///< "v2" or "v3"
};

struct Validate : Files {
  std::string path;
  std::string space = "host";  ///< or "device"
  bool json = false;
  std::size_t threads = 1;
};

struct Bench : Files {
  std::string path;
  std::string space = "host";  ///< or "device"
  std::string region;          ///< empty: everything
  std::size_t threads = 1, repetitions = 5;
  std::size_t memory = 256;  ///< MiB of decoded chunks
  bool cold = false, json = false;
};

Status run(Info const&);
Status run(Read const&);
Status run(Show const&);
Status run(Diff const&);
Status run(Listing const&);
Status run(View const&);
Status run(Attrs const&);
Status run(Write const&);
Status run(Copy const&);
Status run(Resize const&);
Status run(Append const&);
Status run(Compact const&);
Status run(Remove const&);
Status run(Move const&);
Status run(Consolidate const&);
Status run(Convert const&);
Status run(Validate const&);
Status run(Bench const&);

}  // namespace cli
