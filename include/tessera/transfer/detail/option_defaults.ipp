#pragma once
#include <tessera/transfer/detail/option_defaults.hpp>

#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// The members that reads and writes share. mini_batch and mini_batch_bytes both set one size, so they are completed
// together.
template <class Options>
void complete_batches(Options& given, Options const& usual) {
  if (!given.mini_batch.is_given() && !given.mini_batch_bytes.is_given()) {
    given.mini_batch = usual.mini_batch;
    given.mini_batch_bytes = usual.mini_batch_bytes;
  }
  complete(given.in_flight, usual.in_flight);
  complete(given.memory, usual.memory);
  complete(given.stop, usual.stop);
  complete(given.progress, usual.progress);
}

TESSERA_DECL ReadOptions completed(ReadOptions given, ReadOptions const& usual) {
  complete_batches(given, usual);
  complete(given.max_gap, usual.max_gap);
  complete(given.max_request_bytes, usual.max_request_bytes);
  complete(given.traffic, usual.traffic);
  return given;
}

TESSERA_DECL WriteOptions completed(WriteOptions given, WriteOptions const& usual) {
  complete_batches(given, usual);
  complete(given.store_fill_chunks, usual.store_fill_chunks);
  complete(given.append_to_shards, usual.append_to_shards);
  return given;
}

TESSERA_DECL OptionDefaults OptionDefaults::with(ReadOptions const& options) const {
  return {options, kept_ ? kept_->write : WriteOptions{}};
}

TESSERA_DECL OptionDefaults OptionDefaults::with(WriteOptions const& options) const {
  return {kept_ ? kept_->read : ReadOptions{}, options};
}

}}}  // namespace tessera::v0::detail
