// Transfer of chunks to and from a device, with its kernels, compiled once, by nvcc. Where units are compiled with
// TESSERA_SEPARATE_CUDA, exactly one unit of the program includes this. CMake's tessera::compiled_cuda is that unit.
#pragma once
#if !defined(TESSERA_SEPARATE)
#define TESSERA_SEPARATE
#endif
#if !defined(TESSERA_SEPARATE_CUDA)
#define TESSERA_SEPARATE_CUDA
#endif
#include <tessera/tessera.cuh>
#include <tessera/any_spaces.hpp>

#define TESSERA_INSTANCE
#include <tessera/detail/device_instances.ipp>
#undef TESSERA_INSTANCE
