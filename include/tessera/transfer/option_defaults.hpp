// What a handle of an array does where the options of a call say nothing.
#pragma once
#include <memory>
#include <optional>

#include <tessera/transfer/read_options.hpp>
#include <tessera/transfer/write_options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class Member>
void complete(Member& given, Member const& usual) {
  if (!given) given = usual;
}

// The members that reads and writes have both. The size of a mini-batch is one thing, said in chunks or in bytes.
template <class Options>
void complete_batches(Options& given, Options const& usual) {
  if (given.mini_batch == 0 && given.mini_batch_bytes == 0) {
    given.mini_batch = usual.mini_batch;
    given.mini_batch_bytes = usual.mini_batch_bytes;
  }
  complete(given.in_flight, usual.in_flight);
  complete(given.memory, usual.memory);
  complete(given.stop, usual.stop);
  complete(given.progress, usual.progress);
}

inline ReadOptions completed(ReadOptions given, ReadOptions const& usual) {
  complete_batches(given, usual);
  complete(given.max_gap, usual.max_gap);
  complete(given.max_request_bytes, usual.max_request_bytes);
  complete(given.traffic, usual.traffic);
  return given;
}
inline WriteOptions completed(WriteOptions given, WriteOptions const& usual) {
  complete_batches(given, usual);
  complete(given.store_fill_chunks, usual.store_fill_chunks);
  complete(given.append_to_shards, usual.append_to_shards);
  return given;
}

/// The options that a call works with: what it was given itself, not a copy, where there are no defaults.
template <class Options>
class UsedOptions {
 public:
  explicit UsedOptions(Options const& given) : used_{given} {}
  UsedOptions(Options const& given, Options const& usual) : completed_{completed(given, usual)}, used_{*completed_} {}
  UsedOptions(UsedOptions const&) = delete;

  Options const& get() const { return used_; }

 private:
  std::optional<Options> const completed_{};
  Options const& used_;
};

/// Copied with its handle, and never changed: handles are for any thread.
class OptionDefaults {
 public:
  OptionDefaults with(ReadOptions const& options) const { return {options, kept_ ? kept_->write : WriteOptions{}}; }
  OptionDefaults with(WriteOptions const& options) const { return {kept_ ? kept_->read : ReadOptions{}, options}; }

  /// What is given outlives what this returns.
  template <class Options>
  UsedOptions<Options> used_for(Options const& given) const {
    if (!kept_) return UsedOptions<Options>{given};
    return UsedOptions<Options>{given, usual(given)};
  }

  OptionDefaults() = default;

 private:
  ReadOptions const& usual(ReadOptions const&) const { return kept_->read; }
  WriteOptions const& usual(WriteOptions const&) const { return kept_->write; }

  struct Kept {
    ReadOptions read;
    WriteOptions write;
  };
  OptionDefaults(ReadOptions const& read, WriteOptions const& write)
      : kept_{std::make_shared<Kept const>(Kept{read, write})} {}

  std::shared_ptr<Kept const> kept_;  // null: there are none
};

}}}  // namespace tessera::v0::detail
