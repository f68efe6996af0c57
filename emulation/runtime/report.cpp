#include "report.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace emulation {
namespace {

/// A line that is composed in place: no allocation, and one write at its end.
class Line {
 public:
  void add(char const* text) {
    for (; *text != 0 && size_ + 1 < text_.size(); ++text) text_[size_++] = *text;
  }
  void add(std::uint64_t number, unsigned base) {
    std::array<char, 24> digits{};
    std::size_t at = digits.size() - 1;
    do {
      digits[--at] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number != 0);
    add(&digits[at]);
  }
  void add_place(std::uint64_t address) {
    Dl_info found{};
    if (address == 0 || dladdr(reinterpret_cast<void*>(address), &found) == 0 || found.dli_fname == nullptr) {
      add("0x");
      return add(address, 16);
    }
    char const* const slash = std::strrchr(found.dli_fname, '/');
    add(slash != nullptr ? slash + 1 : found.dli_fname);
    add("+0x");
    add(address - reinterpret_cast<std::uintptr_t>(found.dli_fbase), 16);
    if (found.dli_sname == nullptr) return;
    add(" (");
    add(found.dli_sname);
    add(")");
  }
  void write() {
    text_[size_++] = '\n';
    [[maybe_unused]] auto const written = ::write(STDERR_FILENO, text_.data(), size_);
  }

 private:
  std::array<char, 2048> text_{};
  std::size_t size_ = 0;
};

}  // namespace

void say(std::initializer_list<Piece> pieces) {
  Line line;
  line.add("emulation: ");
  for (Piece const& piece : pieces) {
    switch (piece.form) {
      case Piece::Form::text:
        line.add(piece.text);
        break;
      case Piece::Form::decimal:
        line.add(piece.number, 10);
        break;
      case Piece::Form::address:
        line.add("0x");
        line.add(piece.number, 16);
        break;
      case Piece::Form::place:
        line.add_place(piece.number);
        break;
    }
  }
  line.write();
}

void mistake(std::initializer_list<Piece> pieces) {
  say(pieces);
  std::abort();
}

}  // namespace emulation
