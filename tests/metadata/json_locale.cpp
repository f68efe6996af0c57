#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/temporary_folder.hpp>

#include <tessera/metadata/detail/floating_fill.hpp>

using namespace tessera;

TEST_CASE("json: numbers keep what they say in a program whose locale writes them with a comma") {
  // Such a locale may not be installed; the test makes one.
  test::TemporaryFolder const folder;
  std::string const make = "localedef -i de_DE -f UTF-8 '" + folder / "de_DE.UTF-8" + "' >/dev/null 2>&1";
  bool const made = std::system(make.c_str()) == 0;
  ::setenv("LOCPATH", folder.path().c_str(), 1);
  bool const set = made && std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr;
  ::unsetenv("LOCPATH");
  if (!set) MESSAGE("not run: the locale de_DE cannot be made here");
  auto const value = parse_json("[0.5, -1.25e3]");
  auto const array =
      test::array_metadata(test::array_document().set("data_type", "\"float32\"").set("fill_value", "0.5").text());
  std::setlocale(LC_NUMERIC, "C");
  CHECK(value == Value{List{Number{"0.5"}, Number{"-1.25e3"}}});
  CHECK(array.fill == detail::bytes_of(0.5f));
}
