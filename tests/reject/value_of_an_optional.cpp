// expect: tessera: a Value is made of a bool, a number, text of char, Members, a List or a range of such
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
