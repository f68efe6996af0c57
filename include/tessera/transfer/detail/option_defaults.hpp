// OptionDefaults: an array handle's values for options that a call does not give.
#pragma once
#include <memory>
#include <optional>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The options that a call uses: its argument itself, not a copy, if there are no defaults.
template <class Options>
class UsedOptions {
 public:
  explicit UsedOptions(Options const& given) : used_{given} {}
  explicit UsedOptions(Options&& completed) : completed_{std::move(completed)}, used_{*completed_} {}
  UsedOptions(UsedOptions const&) = delete;

  Options const& get() const { return used_; }

 private:
  std::optional<Options> const completed_{};
  Options const& used_;
};

/// Copied with its handle and never changed, so that any thread can use it.
class OptionDefaults {
 public:
  OptionDefaults with(ReadOptions const& options) const;
  OptionDefaults with(WriteOptions const& options) const;

  /// The call's own, then the handle's, then the scope's. `given` must outlive the returned object.
  template <class Options>
  UsedOptions<Options> used_for(Options const& given) const {
    auto const* const of_scope = defaults_of_scope();
    if (!kept_ && !of_scope) return UsedOptions<Options>{given};
    auto used = kept_ ? completed(given, usual(*kept_, given)) : given;
    return UsedOptions<Options>{of_scope ? completed(std::move(used), usual(*of_scope, given)) : std::move(used)};
  }

  OptionDefaults() = default;

 private:
  static ReadOptions const& usual(Defaults const& from, ReadOptions const&) { return from.read; }
  static WriteOptions const& usual(Defaults const& from, WriteOptions const&) { return from.write; }

  OptionDefaults(ReadOptions const& read, WriteOptions const& write)
      : kept_{std::make_shared<Defaults const>(Defaults{read, write})} {}

  std::shared_ptr<Defaults const> kept_;  // null: no defaults
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/option_defaults.ipp>
#endif
