// expect: tessera: a const view such as std::views::filter cannot be iterated: write 'auto numbers = ...', not 'auto const'
#include <tessera/view/sum.hpp>

// Like std::views::filter, which has no const begin().
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
