#pragma once
#include <tessera/core/detail/value_types.hpp>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL Value::Value(Value const&) = default;
TESSERA_DECL Value::Value(Value&&) noexcept = default;
TESSERA_DECL Value& Value::operator=(Value const&) = default;
TESSERA_DECL Value& Value::operator=(Value&&) noexcept = default;
TESSERA_DECL Value::~Value() = default;

TESSERA_DECL Value Value::integer(long long n) { return Number{to_text({n})}; }

}}  // namespace tessera::v0
