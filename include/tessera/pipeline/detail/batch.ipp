#pragma once
#include <tessera/pipeline/detail/batch.hpp>

#include <utility>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL StageObject& StageObject::operator=(StageObject&& other) noexcept {
  StageObject{std::move(other)}.swap(*this);
  return *this;
}

TESSERA_DECL void StageObject::reset() noexcept {
  type_ = nullptr;
  if (auto* const object = std::exchange(object_, nullptr)) destroy_(object);
}

TESSERA_DECL void StageObject::swap(StageObject& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(object_, other.object_);
  std::swap(destroy_, other.destroy_);
}

}}}  // namespace tessera::v0::detail
