// ValueChanged: an update met a writer that did not, or could not, take the lock.
#pragma once
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// The value changed after it was read: writing it back would undo another writer's change. Nothing was written: read
/// again and repeat the change.
struct ValueChanged : StoreError {
  ValueChanged() : StoreError{"another writer wrote this value while it was being changed"} {}
};

namespace detail {

/// Calls f, which locks, reads and writes back a value, until no other writer interferes.
template <class F>
auto until_unchanged(F&& f) {
  constexpr int enough = 10'000;  // a value that changes this often during one update points to a bug elsewhere
  for (int tries = 0;; ++tries) try {
      return f();
    } catch (ValueChanged const&) {
      if (tries == enough) throw;
    }
}

}  // namespace detail
}}  // namespace tessera::v0
