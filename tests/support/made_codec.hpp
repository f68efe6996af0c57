// Codecs made from documents, and their refusals.
#pragma once
#include <string>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/metadata/json.hpp>

namespace test {

template <class C>
C made(std::string const& configuration) {
  return tessera::make_codec<C>(
      specification(R"({"name": ")" + std::string{C::name} + R"(", "configuration": )" + configuration + "}"));
}
/// The error names the codec and the member.
template <class C>
void refuse(std::string const& configuration, char const* member) {
  CAPTURE(configuration);
  check_refused<tessera::MetadataError>([&] { (void)made<C>(configuration); }, {std::string{C::name}.c_str(), member});
}
/// The document of a codec that was made from this.
template <class C>
std::string written(std::string const& configuration) {
  return tessera::to_json(tessera::specification_of(made<C>(configuration)).configuration);
}

}  // namespace test
