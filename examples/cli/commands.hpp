// What each subcommand is asked. main.cpp fills these in; the functions throw UsageError or tessera::Error.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "failure.hpp"

namespace cli {

struct Info {
  std::string path;
  bool json = false;
};

struct Read {
  std::string path;
  std::string region;  ///< empty: everything
  std::string output;
  std::size_t threads = 1;
  std::size_t memory = 256;  ///< MiB of elements held at once
  bool sync = false;
};

struct View {
  std::string path;
  std::optional<std::size_t> axis;
  std::optional<std::uint64_t> index;
  std::string output;  ///< empty: the terminal
  std::size_t threads = 1;
  bool sync = false;
};

struct Write {
  std::string file, path;
  std::optional<std::string> chunks, shards, fill;
  std::string codecs, names;  ///< empty: not given
  bool overwrite = false;
  std::size_t threads = 1;
  bool sync = false;
};

struct Copy {
  std::string source, destination;
  std::optional<std::string> chunks, shards;
  std::string codecs;  ///< empty: not given
  bool overwrite = false;
  std::size_t threads = 1;
  std::size_t memory = 256;  ///< MiB in all
  bool sync = false;
};

struct Resize {
  std::string path, shape;
  std::size_t threads = 1;
  bool sync = false;
};

struct Append {
  std::string file, path;
  std::size_t axis = 0;
  std::size_t threads = 1;
  bool sync = false;
};

struct Compact {
  std::string path;
  std::string region;  ///< empty: everything
  bool recover = false;
  std::size_t threads = 1;
  bool sync = false;
};

struct Remove {
  std::string path;
  bool sync = false;
};

struct Move {
  std::string source, destination;
  bool sync = false;
};

struct Validate {
  std::string path;
  bool json = false;
  std::size_t threads = 1;
};

struct Bench {
  std::string path;
  std::string region;  ///< empty: everything
  std::size_t threads = 1, repetitions = 5;
  std::size_t memory = 256;  ///< MiB of decoded chunks
  bool cold = false, json = false;
};

Status run(Info const&);
Status run(Read const&);
Status run(View const&);
Status run(Write const&);
Status run(Copy const&);
Status run(Resize const&);
Status run(Append const&);
Status run(Compact const&);
Status run(Remove const&);
Status run(Move const&);
Status run(Validate const&);
Status run(Bench const&);

}  // namespace cli
