// expect: tessera: as<T>() returns a bool, a number, std::string, Number, List, Members, a std::vector of these
#include <tessera/tessera.hpp>
using namespace tessera;
std::string program(Members const& attributes) {
#ifdef CURED
  return attributes.at("unit").as<std::string>();
#else
  return attributes.at("unit").as<char const*>();
#endif
}
