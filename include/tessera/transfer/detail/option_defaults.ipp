#pragma once
#include <tessera/transfer/detail/option_defaults.hpp>

#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL OptionDefaults OptionDefaults::with(ReadOptions const& options) const {
  return {options, kept_ ? kept_->write : WriteOptions{}};
}

TESSERA_DECL OptionDefaults OptionDefaults::with(WriteOptions const& options) const {
  return {kept_ ? kept_->read : ReadOptions{}, options};
}

}}}  // namespace tessera::v0::detail
