// ReadOnlyStore: a wrapped store that cannot be written: trying does not compile.
#pragma once
#include <concepts>
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/forwarding_store.hpp>

namespace tessera { inline namespace v0 {

/// Shows `S`, and its documents if it is split. Others may write: a reader can lock a key to wait for them.
template <class S>
class ReadOnlyStore : public detail::ForwardingStore<S, detail::Forwarded{.batches = true}> {
  using Base = detail::ForwardingStore<S, detail::Forwarded{.batches = true}>;
  using Documents = typename detail::metadata_half<tessera::ReadOnlyStore, S>::type;
  static constexpr bool has_documents = !std::same_as<Documents, detail::NoHalf>;

 public:
  explicit ReadOnlyStore(S store)
      : Base{std::move(store)}, documents_{detail::make_metadata_half<tessera::ReadOnlyStore>(source())} {}

  S const& source() const { return this->behind(); }
  auto const& metadata_store() const requires has_documents { return documents_; }
  bool has_folder(std::string_view path) const { return detail::has_folder(source(), path); }

 private:
  [[no_unique_address]] Documents documents_;
};

}}  // namespace tessera::v0
