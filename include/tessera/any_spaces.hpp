// Template bodies for arrays between memory spaces that the compiled library lacks: tessera::compiled has those of the
// host, tessera::compiled_cuda those that end in device memory. The compiler reports when a unit needs this header. The
// templates have only memory spaces as parameters.
#pragma once
#include <tessera/array/detail/open_array.tpp>
#include <tessera/pipeline/detail/composed_pipeline.tpp>
#include <tessera/pipeline/detail/stages.tpp>
