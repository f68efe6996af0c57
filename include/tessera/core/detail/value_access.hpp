// Lookup in Values by name and index, and their description in error messages.
#pragma once
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/value_types.hpp>

namespace tessera { inline namespace v0 {

/// A short form for messages: long lists and objects are abbreviated.
TESSERA_DECL std::string describe(Value const& value);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/value_access.ipp>
#endif
