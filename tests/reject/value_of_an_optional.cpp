// expect: tessera: this type does not convert to a Value: use a bool, a number, text of char, Members, a List, a range of these
#include <optional>
#include <tessera/tessera.hpp>
using namespace tessera;
Value program(std::optional<double> scale) {
#ifdef CURED
  return scale ? Value{*scale} : Value{};
#else
  return scale;
#endif
}
