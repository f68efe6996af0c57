#include "world.hpp"

namespace emulation {

World& world() {
  static World& only = *new World;  // never destroyed: objects of static life call the runtime later
  return only;
}

}  // namespace emulation
