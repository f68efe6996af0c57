// A picture drawn with characters.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "picture.hpp"

namespace cli {
namespace detail {

// A cell of a terminal is two pixels high and one wide: two rows of the picture per line.
inline Picture fitted(Picture const& picture, std::size_t width) {
  auto const columns = static_cast<double>(picture.columns), rows = static_cast<double>(picture.rows);
  auto const limit = static_cast<double>(width);
  auto const scale = std::min({1.0, limit / columns, 2 * limit / rows});  // so that tall ones end, too
  auto const scaled = [&](double n) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(n * scale)));
  };
  return shrunk(picture, scaled(rows), scaled(columns));
}

inline void draw_blocks(std::ostream& out, Picture const& picture) {
  // The 256 colours have 24 greys between black (16) and white (231).
  auto const colour = [&](std::size_t row, std::size_t column) {
    if (!picture.is_nan.empty() && picture.is_nan[row * picture.columns + column])
      return std::string{"201"};  // magenta
    auto const level = picture.grey[row * picture.columns + column] * 25 / 255;
    return std::to_string(level == 0 ? 16 : level == 25 ? 231 : 231 + level);
  };
  for (std::size_t row = 0; row < picture.rows; row += 2) {
    std::string line;
    for (std::size_t column = 0; column < picture.columns; ++column) {
      line += "\x1b[38;5;" + colour(row, column);
      if (row + 1 < picture.rows) line += ";48;5;" + colour(row + 1, column);
      line += "m▀";
    }
    out << line << "\x1b[0m\n";
  }
}

inline void draw_letters(std::ostream& out, Picture const& picture) {
  constexpr std::string_view ramp = " .:-=+*#%@";
  auto const lines = shrunk(picture, (picture.rows + 1) / 2, picture.columns);
  for (std::size_t row = 0; row < lines.rows; ++row) {
    std::string line;
    for (std::size_t column = 0; column < lines.columns; ++column) {
      auto const at = row * lines.columns + column;
      bool const is_nan = !lines.is_nan.empty() && lines.is_nan[at];
      line += is_nan ? '?' : ramp[lines.grey[at] * ramp.size() / 256];
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

}  // namespace detail

/// Half blocks in greys, if standard output is a terminal and NO_COLOR is not set; else letters.
inline void draw(std::ostream& out, Picture const& picture) {
  winsize size{};
  bool const terminal = ::isatty(STDOUT_FILENO);
  bool const known = terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  auto const fitted = detail::fitted(picture, known ? size.ws_col : 80);
  auto const* no_colour = std::getenv("NO_COLOR");
  if (terminal && !(no_colour && *no_colour))
    detail::draw_blocks(out, fitted);
  else
    detail::draw_letters(out, fitted);
}

}  // namespace cli
