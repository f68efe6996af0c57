// What each subcommand is asked. main.cpp fills these in; the functions throw UsageError or tessera::Error.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"

namespace cli {

/// How the files of a hierarchy are worked with.
struct Files {
  bool sync = false;          ///< what is written outlasts a loss of power
  bool follow_links = false;  ///< symbolic links below the root are followed; else they are errors
};

struct Info : Files {
  std::string path;
  bool json = false;
};

struct Read : Files {
  std::string path;
  std::string region, index;   ///< empty: everything
  std::string output;          ///< "-": the standard output
  std::string format;          ///< empty: as the output's name says
  std::string space = "host";  ///< or "device": where elements are placed
  std::size_t threads = 1;
  std::size_t memory = 256;  ///< MiB of elements held at once
};

struct Show : Files {
  std::string path;
  std::string region, index;  ///< empty: everything
  std::size_t limit = 1000;   ///< elements that are shown at most
  std::size_t threads = 1;
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
  std::size_t threads = 1;
  std::size_t memory = 256;  ///< MiB in all
};

struct Resize : Files {
  std::string path, shape;
  std::size_t threads = 1;
};

struct Append : Files {
  std::string file, path;
  std::size_t axis = 0;
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
