// What an array returns where the compiler gave a message.
#pragma once

namespace tessera::inline v0::detail {

/// Unlike a Pending it may be dropped, so that no second message follows.
struct Mistaken {
  void wait() const {}
  void leave() const {}
};

}  // namespace tessera::inline v0::detail
