// Formats numbers and text with {fmt}, which is built header-only or as a library.
#include <cstddef>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

int main(int count, char** arguments) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += fmt::format("{:>4} {:<20} {:.3f}\n", i, arguments[i], 0.5 * i);
  fmt::print("{}{} bytes\n", lines, lines.size());
  return lines.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
