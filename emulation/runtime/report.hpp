// Messages of the runtime on the standard error stream: without allocation, so that a signal handler can write them
// too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace emulation {

/// A piece of a message: text, a number, an address, or a place in the program ("program+0x1234 (function)").
struct Piece {
  enum class Form { text, decimal, address, place };

  Piece(char const* value) : text(value) {}
  Piece(int value) : number(static_cast<std::uint64_t>(value)), form(Form::decimal) {}
  Piece(std::size_t value) : number(value), form(Form::decimal) {}
  Piece(void const* value, Form shown = Form::address) : number(reinterpret_cast<std::uintptr_t>(value)), form(shown) {}
  static Piece place(void const* address) { return {address, Form::place}; }

  char const* text = "";
  std::uint64_t number = 0;
  Form form = Form::text;
};

/// Writes "emulation: ", the pieces and a line's end.
void say(std::initializer_list<Piece> pieces);

/// Reports an error of the program that a GPU might not notice, and ends it by abort().
[[noreturn]] void mistake(std::initializer_list<Piece> pieces);

}  // namespace emulation
