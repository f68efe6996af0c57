// The module without nvCOMP.
#include "decoding.hpp"

namespace python {

DecoderRows nvcomp_codecs(bool) { return {}; }

}  // namespace python
