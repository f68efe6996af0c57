// expect: tessera: sum, mean and minmax need a range of numbers; for an array of any type, 'visit<RealTypes>(array, f)' calls f if its elements are numbers
#include <complex>
#include <string>
#include <vector>

#include <tessera/view/sum.hpp>
#ifdef CURED
using Number = float;
#else
using Number = std::complex<float>;
#endif
std::string program(std::vector<Number> const& numbers) {
  return to_string(tessera::minmax(numbers));
}
