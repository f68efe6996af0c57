// Types for --space device. The command compiles no kernel: they are in tessera::compiled_cuda.
#pragma once
#include <tessera/tessera.cuh>

#include <tessera/pipeline/run_time_codecs.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/zfp.hpp>

#include "node.hpp"

namespace cli {

/// Elements in device memory; codecs run on the host, and their output crosses.
using DevicePipeline = tessera::AnyPipeline<tessera::space::Device, tessera::space::Host,
                                            tessera::WithRunTime<tessera::WithZfp<tessera::AllCodecs>>>;
using DeviceArray = tessera::AnyArray<Store, DevicePipeline>;
using DeviceQueue = tessera::Queue<tessera::space::Device>;

}  // namespace cli
