#pragma once
#include <tessera/memory/pending.hpp>

#include <utility>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL void Pending::operator=(
    Pending&& other) noexcept {  // void: nvcc warns of a returned reference that is unused
  Pending before{std::exchange(work_, std::move(other.work_))};
}

TESSERA_DECL Pending::~Pending() {
  try {
    wait();
  } catch (...) {  // the caller dropped the error
  }
}

}}  // namespace tessera::v0
