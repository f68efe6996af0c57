// nvCOMP's codecs. BloscLz4 precedes Blosc: it needs no trust.
#include "decoding.hpp"

#include <tessera/tessera.cuh>
#include <tessera/with/nvcomp.cuh>

namespace python {

DecoderRows nvcomp_codecs(bool is_trusted) {
  using tessera::detail::known_codecs, tessera::nvcomp::Trusted;
  namespace nvcomp = tessera::nvcomp;
  using Device = tessera::space::Device;
  using Host = tessera::space::Host;
  if (is_trusted)
    return known_codecs<Device, Host, nvcomp::Lz4, nvcomp::BloscLz4, Trusted<nvcomp::Blosc>, Trusted<nvcomp::Zstd>,
                        Trusted<nvcomp::Gzip>, Trusted<nvcomp::Zlib>>;
  return known_codecs<Device, Host, nvcomp::Lz4, nvcomp::BloscLz4, nvcomp::Blosc, nvcomp::Zstd, nvcomp::Gzip,
                      nvcomp::Zlib>;
}

}  // namespace python
