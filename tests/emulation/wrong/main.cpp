// Runs one mistake, or its corrected twin, under one seed. The result is the exit status and stderr; run.py judges.
//
//     mistakes                       lists them
//     mistakes NAME wrong|cured SEED
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <emulation/emulation.hpp>

#include "mistake.hpp"

void test::good(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "a call failed: %s\n", cudaGetErrorName(status));
  std::_Exit(3);
}

int main(int count, char** arguments) {
  char const* const ways[]{"by_order", "by_answer", "always", "by_memory", "by_accesses"};
  if (count != 4) {
    for (auto const* one = wrong::Mistake::all; one; one = one->next)
      std::printf("%s\t%s\t%s\n", one->name, ways[static_cast<int>(one->caught)], one->says);
    return 0;
  }
  for (auto const* one = wrong::Mistake::all; one; one = one->next) {
    if (std::string_view{one->name} != arguments[1]) continue;
    emulation::seed(std::strtoull(arguments[3], nullptr, 10));
    if (one->run(std::string_view{arguments[2]} == "cured")) return 0;
    std::fprintf(stderr, "wrong data\n");
    return 1;
  }
  std::fprintf(stderr, "no mistake is called %s\n", arguments[1]);
  return 2;
}
