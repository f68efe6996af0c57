#pragma once
#include <tessera/transfer/options.hpp>

#include <cstdint>
#include <utility>

#include <tessera/core/detail/option.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL FetchLimits::FetchLimits(ReadOptions const& options)
    : max_gap{options.max_gap.value()},
      max_request_bytes{options.max_request_bytes ? options.max_request_bytes.value() : ~std::uint64_t{0}},
      stop{options.stop.value()} {}

template <class T>
void complete(Option<T>& given, Option<T> const& usual) {
  if (!given.is_given()) given = usual;
}

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

TESSERA_DECL Defaults const*& defaults_of_scope() {
  static thread_local constinit Defaults const* of_thread = nullptr;
  return of_thread;
}

TESSERA_DECL DefaultsScope::DefaultsScope(Defaults const& inner) : all_{inner}, around_{defaults_of_scope()} {
  if (around_) all_ = {completed(inner.read, around_->read), completed(inner.write, around_->write)};
  defaults_of_scope() = &all_;
}

TESSERA_DECL DefaultsScope::~DefaultsScope() { defaults_of_scope() = around_; }

}}}  // namespace tessera::v0::detail
