// expect: tessera: sum, mean and minmax need a range of numbers
#include <string>
#include <vector>

#include <tessera/view/sum.hpp>
#ifdef CURED
using Word = int;
#else
using Word = std::string;
#endif
double program(std::vector<Word> const& words) {
  return tessera::mean(words);
}
