// OptionDefaults: an array handle's values for options that a call does not give.
#pragma once
#include <memory>
#include <optional>

#include <tessera/core/config.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class T>
void complete(Option<T>& given, Option<T> const& usual) {
  if (!given.is_given()) given = usual;
}

TESSERA_DECL ReadOptions completed(ReadOptions given, ReadOptions const& usual);
TESSERA_DECL WriteOptions completed(WriteOptions given, WriteOptions const& usual);

/// The options that a call uses: its argument itself, not a copy, if the handle has no defaults.
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

/// Copied with its handle and never changed, so that any thread can use it.
class OptionDefaults {
 public:
  OptionDefaults with(ReadOptions const& options) const;
  OptionDefaults with(WriteOptions const& options) const;

  /// `given` must outlive the returned object.
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

  std::shared_ptr<Kept const> kept_;  // null: no defaults
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/option_defaults.ipp>
#endif
