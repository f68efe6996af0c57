// Repeats the store requests of a read with nothing else around them; and reads the same files as fast as possible.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>

#include "../read_log.hpp"
#include "workers.hpp"

namespace cli {

class Requests {
 public:
  using Bytes = tessera::ByteSpan<tessera::space::Host>;

  /// `elements`: where the read put them; values that were read directly there are again. Requires: the store and they
  /// outlive it.
  Requests(Store const& store, std::vector<ReadLog::Call> calls, Bytes elements, Queue on);

  void ask_again();
  /// The same number of bytes of each, from its beginning, and again, if some were requested twice; a MiB at a time;
  /// into the elements' memory, if all values were.
  void read_files();

  std::vector<std::string> const& files() const { return files_; }  ///< present ones
  std::uint64_t count() const { return count_; }                    ///< ranges
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Memory {  // of one thread
    tessera::Scratch<tessera::space::Host> values{};
    std::vector<Bytes> destinations{};
  };
  struct PartOfFile {
    std::size_t file;
    std::uint64_t offset, size;
    std::byte* to;  // null: the thread's own memory
  };

  bool is_in_place(ReadLog::Read const& read) const;
  void ask_again(ReadLog::Call const& call, Memory& memory);

  Store const& store_;
  std::vector<ReadLog::Call> calls_;
  Bytes elements_;
  Workers<Memory> workers_;
  std::uint64_t count_ = 0, bytes_ = 0;
  std::vector<std::string> files_{};
  std::vector<PartOfFile> parts_{};
};

}  // namespace cli
