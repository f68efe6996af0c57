#pragma once
#include <tessera/codec/detail/configuration.hpp>

#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void read_configuration(std::string_view codec, Specification const& specification,
                                     FunctionRef<void(ObjectReader&)> read) try {
  ObjectReader configuration{specification.configuration, "configuration"};
  read(configuration);
  configuration.finish(codec);
} catch (Error& error) {
  error.in_codec(codec);
  throw;
}

}}}  // namespace tessera::v0::detail
