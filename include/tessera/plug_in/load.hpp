// load_plug_in: codecs in shared libraries, as described in tessera/plug_in/codec.h, for lists with
// codec::AtRunTime. Needs dlopen of POSIX.
#pragma once
#include <dlfcn.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/pipeline/run_time_codecs.hpp>
#include <tessera/plug_in/codec.h>
#include <tessera/plug_in/detail/plug_in_stage.hpp>

namespace tessera { inline namespace v0 { namespace codec {

/// Loads a plug-in and registers its codecs as register_at_run_time does; returns their names. Runs code of that file,
/// so load only files that you trust. A path without a slash is searched for as by dlopen. The library stays loaded
/// until the process ends. Thread-safe. A second call for one file only returns the names. Throws: CodecError naming
/// the file: it cannot be loaded, is no plug-in, is for another version of the interface, or lacks a function; or
/// another codec is registered under a name, and codecs before it stay.
inline std::vector<std::string> load_plug_in(std::filesystem::path const& file) {
  auto const refuse = [&](std::string const& why) {
    return CodecError{to_text({"plug-in ", describe(file.string()), ": ", why})};
  };
  auto* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // kept: open arrays run its code
  if (library == nullptr) throw refuse(::dlerror());
  auto const exported = reinterpret_cast<tessera_codec_plug_in_function*>(::dlsym(library, "tessera_codec_plug_in"));
  auto const* const plug_in = exported ? exported() : nullptr;
  if (!exported || !plug_in) {
    ::dlclose(library);
    throw refuse(exported ? "tessera_codec_plug_in returned NULL" : "it does not export tessera_codec_plug_in");
  }
  if (std::uint32_t{plug_in->version} != TESSERA_PLUG_IN_VERSION)
    throw refuse(to_text({"it is for version ", plug_in->version, " of tessera/plug_in/codec.h, expected version ",
                          std::uint32_t{TESSERA_PLUG_IN_VERSION}}));
  if (plug_in->count != 0 && !plug_in->codecs)
    throw refuse(to_text({"it has ", std::uint32_t{plug_in->count}, " codecs, but codecs is NULL"}));
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < plug_in->count; ++i) {
    auto const& codec = plug_in->codecs[i];
    if (!detail::is_whole(codec))
      throw refuse(to_text({"its codec ", i, " lacks a name or a function, or has an unknown kind"}));
    detail::add_at_run_time(detail::row_of(codec), std::shared_ptr<void const>{std::shared_ptr<void>{}, &codec});
    names.emplace_back(codec.name);
  }
  return names;
}

}}}  // namespace tessera::v0::codec
