// Something is made and never given back.
#include "mistake.hpp"

namespace wrong {
namespace {

Mistake const device{"leak: device memory", Caught::always, "leak", [](bool cured) {
                       void* there = nullptr;
                       good(cudaMalloc(&there, 100));
                       if (cured) good(cudaFree(there));
                       return true;
                     }};

Mistake const page_locked{"leak: page-locked memory", Caught::always, "leak", [](bool cured) {
                            void* here = nullptr;
                            good(cudaMallocHost(&here, 100));
                            if (cured) good(cudaFreeHost(here));
                            return true;
                          }};

Mistake const managed{"leak: managed memory", Caught::always, "leak", [](bool cured) {
                        void* there = nullptr;
                        good(cudaMallocManaged(&there, 100));
                        if (cured) good(cudaFree(there));
                        return true;
                      }};

Mistake const of_a_stream{"leak: memory of a stream", Caught::always, "leak", [](bool cured) {
                            Stream stream;
                            void* there = nullptr;
                            good(cudaMallocAsync(&there, 100, stream));
                            if (cured) good(cudaFreeAsync(there, stream));
                            stream.wait();
                            return true;
                          }};

Mistake const registered{"leak: memory that stays registered", Caught::always, "leak", [](bool cured) {
                           static std::vector<char> here(10000);
                           good(cudaHostRegister(here.data(), here.size(), cudaHostRegisterDefault));
                           if (cured) good(cudaHostUnregister(here.data()));
                           return true;
                         }};

Mistake const stream{"leak: a stream", Caught::always, "leak", [](bool cured) {
                       cudaStream_t made = nullptr;
                       good(cudaStreamCreate(&made));
                       if (cured) good(cudaStreamDestroy(made));
                       return true;
                     }};

Mistake const event{"leak: an event", Caught::always, "leak", [](bool cured) {
                      cudaEvent_t made = nullptr;
                      good(cudaEventCreate(&made));
                      if (cured) good(cudaEventDestroy(made));
                      return true;
                    }};

Mistake const pool{"leak: a pool", Caught::always, "leak", [](bool cured) {
                     cudaMemPoolProps properties{};
                     properties.allocType = cudaMemAllocationTypePinned;
                     properties.location = {cudaMemLocationTypeDevice, 0};
                     cudaMemPool_t made = nullptr;
                     good(cudaMemPoolCreate(&made, &properties));
                     if (cured) good(cudaMemPoolDestroy(made));
                     return true;
                   }};

}  // namespace
}  // namespace wrong
