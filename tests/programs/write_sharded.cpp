#include <vector>
#include <tessera/all.hpp>
int main(int, char** argv) {
  auto const a = tessera::create<float, 2>(argv[1], "a", {.shape = {64, 64}, .shards = {32, 32}, .chunks = {8, 8}});
  a.write(tessera::all, std::vector(64 * 64, 1.5F));
}
