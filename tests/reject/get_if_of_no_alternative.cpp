// expect: tessera: a Value is null, a bool, a Number, a std::string, a List or Members: get_if<T>() returns only these
#include <tessera/tessera.hpp>
using namespace tessera;
double program(Value const& scale) {
#ifdef CURED
  return scale.as<double>();
#else
  return *scale.get_if<double>();
#endif
}
