// What a write under a lock finds if somebody did not take the lock, or could not.
#pragma once
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// A value that was read to be changed is another one by now, so that what was made of it would undo what somebody else
/// wrote. Nothing was written: who reads it again and changes that loses nothing.
struct ValueChanged : StoreError {
  ValueChanged() : StoreError{"somebody else wrote this value while it was changed"} {}
};

namespace detail {

/// Calls f, which takes the lock of a value, reads it and writes it back, until nobody else wrote it meanwhile.
template <class F>
auto until_unchanged(F&& f) {
  constexpr int enough = 10'000;  // of one that others write that often there is something else to be said
  for (int tries = 0;; ++tries) try {
      return f();
    } catch (ValueChanged const&) {
      if (tries == enough) throw;
    }
}

}  // namespace detail
}}  // namespace tessera::v0
