#pragma once
#include <tessera/shard/detail/decoded_shard_store.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/value_codecs.hpp>
#include <tessera/store/detail/waiting.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL DecodedValues::Value DecodedValues::get(Key const& key, SequenceCounter const& changes, std::size_t few,
                                                     FunctionRef<Value()> decode, Stop stop) {
  auto const known = find(key);
  auto const lock = lock_mutex(known->mutex, stop);
  if (!changes.none_since(known->sequence)) {
    known->value.reset();  // first, so that only one is held
    known->sequence = SequenceCounter::unknown;
    keep(known, 0, few);
    auto const sequence = changes.sequence();
    known->value = decode();
    known->sequence = sequence;
    keep(known, known->value ? known->value->view.size : 0, few);
  }
  return known->value;
}

TESSERA_DECL void DecodedValues::expect(Key const& key, ValueVersion const& seen, FunctionRef<ValueWatch()> watch) {
  auto const known = find(key);
  std::lock_guard lock{known->mutex};
  if (known->watched && known->watched->version().is_same(seen)) return;
  known->value.reset();
  known->sequence = SequenceCounter::unknown;
  keep(known, 0, ~std::size_t{0});
  known->watched.emplace(seen.is_settled ? ValueWatch{seen} : watch());
}

TESSERA_DECL std::shared_ptr<DecodedValues::Known> DecodedValues::find(Key const& key) {
  std::lock_guard lock{mutex_};
  auto found = kept_.begin();
  while (found != kept_.end() && found->key != key.path) ++found;
  if (found == kept_.end())
    kept_.push_front({key.path, std::make_shared<Known>()});
  else
    kept_.splice(kept_.begin(), kept_, found);
  return kept_.front().known;
}

TESSERA_DECL void DecodedValues::keep(std::shared_ptr<Known> const& known, std::uint64_t size, std::size_t few) {
  constexpr std::uint64_t many = 64, most = std::uint64_t{64} << 20;
  std::lock_guard lock{mutex_};
  auto found = kept_.begin();
  while (found != kept_.end() && found->known != known) ++found;
  if (found == kept_.end()) return;
  size_ += size - found->size;
  found->size = size;
  while (kept_.size() > few && (kept_.size() > many || size_ > most)) {
    size_ -= kept_.back().size;
    kept_.pop_back();
  }
}

}}}  // namespace tessera::v0::detail
