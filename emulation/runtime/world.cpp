#include "world.hpp"

namespace emulation {

World& world() {
  static World& only = *new World;  // never destroyed: static objects call the runtime later
  return only;
}

}  // namespace emulation
