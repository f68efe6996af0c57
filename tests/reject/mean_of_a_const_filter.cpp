// expect: tessera: a view such as std::views::filter cannot be read while it is const: write 'auto numbers = ...', not 'auto const'
#include <tessera/view/sum.hpp>

// As std::views::filter is, which has no begin() that is const.
struct Filtered {
  int* begin();
  int* end();
};
#ifdef CURED
using Numbers = Filtered;
#else
using Numbers = Filtered const;
#endif
double program(Numbers& numbers) {
  return tessera::mean(numbers);
}
