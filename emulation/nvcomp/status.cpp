// Names of the statuses.
#include <nvcomp.h>

char const* nvcompGetStatusString(nvcompStatus_t status) {
  switch (status) {
    case nvcompSuccess:
      return "success";
    case nvcompErrorInvalidValue:
      return "invalid value";
    case nvcompErrorNotSupported:
      return "not supported";
    case nvcompErrorCannotDecompress:
      return "cannot decompress";
    case nvcompErrorCannotVerifyChecksums:
      return "cannot verify checksums";
    case nvcompErrorAlignment:
      return "wrong alignment";
    case nvcompErrorChunkSizeTooLarge:
      return "chunk too large";
    case nvcompErrorCudaError:
      return "an error of CUDA";
    default:
      return "an internal error";
  }
}
