// Who decodes chunks of arrays in device memory: the host's processors, or the device by nvCOMP.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace python {

enum class Decoder {
  host,
  automatic,  ///< nvCOMP, where its bytes are checked first; otherwise the host
  device,     ///< nvCOMP; an array whose chunks it must not decode is refused
};

struct Decoding {
  Decoder by = Decoder::host;
  bool is_trusted = false;  ///< the caller vouches for the bytes, which nvCOMP may decode unchecked
};

using DecoderRows = std::span<tessera::detail::Implementation const>;

/// Those of nvCOMP; none, if the module was built without it.
DecoderRows nvcomp_codecs(bool is_trusted);

/// Pipelines that this thread makes during its life decode so.
class DecodingScope {
 public:
  explicit DecodingScope(Decoding wanted);
  ~DecodingScope();
  DecodingScope(DecodingScope const&) = delete;
  DecodingScope& operator=(DecodingScope const&) = delete;

 private:
  Decoding before_;
};

/// In a list of codecs: nvCOMP's, as the thread's DecodingScope says. They precede the others of their names.
struct DeviceDecoders {
  using kind = tessera::bytes_to_bytes;
  static constexpr std::string_view name{"(nvCOMP's)"};  // of no codec
  static std::vector<tessera::detail::Implementation> rows(DecoderRows listed, tessera::detail::SpaceName array,
                                                           tessera::detail::SpaceName bytes);
  template <tessera::MemorySpace S>
  static constexpr bool runs_in = false;
  std::size_t encoded_bound(std::size_t) const { return 0; }
};

template <class List>
struct with_device_decoders;
template <class... Cs>
struct with_device_decoders<tessera::Codecs<Cs...>> {
  using type = tessera::Codecs<Cs..., DeviceDecoders>;
};

}  // namespace python
