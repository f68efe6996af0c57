// What a read asked of the store, asked again with nothing else around it; and the same files read as fast as can be.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tessera/buffer/scratch.hpp>

#include "../read_log.hpp"
#include "workers.hpp"

namespace cli {

class Requests {
 public:
  using Bytes = tessera::ByteSpan<tessera::space::Host>;

  /// `elements`: where the read put them; values that went right there go there again. Requires: the store and they
  /// outlive it.
  Requests(Store const& store, std::vector<ReadLog::Call> calls, Bytes elements, Queue on);

  void ask_again();
  /// As many bytes of each, from its beginning, and again, if some were asked for twice; a MiB at a time; to the
  /// elements' memory, if all values went there.
  void read_files();

  std::vector<std::string> const& files() const { return files_; }  ///< that were there
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
    std::byte* to;  // null: memory of the thread's own
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
