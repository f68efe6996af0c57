// Memory is freed twice, or by a function that did not make it.
#include "mistake.hpp"

namespace wrong {
namespace {

char const* const refused = "double free|which is|which no call allocated";

Mistake const device{"freed_twice: cudaFree", Caught::always, refused, [](bool cured) {
                       void* there = nullptr;
                       good(cudaMalloc(&there, 100));
                       good(cudaFree(there));
                       if (!cured) good(cudaFree(there));
                       return true;
                     }};

Mistake const page_locked{"freed_twice: cudaFreeHost", Caught::always, refused, [](bool cured) {
                            void* here = nullptr;
                            good(cudaMallocHost(&here, 100));
                            good(cudaFreeHost(here));
                            if (!cured) good(cudaFreeHost(here));
                            return true;
                          }};

Mistake const in_a_stream{"freed_twice: cudaFreeAsync", Caught::always, refused, [](bool cured) {
                            Stream stream;
                            void* there = nullptr;
                            good(cudaMallocAsync(&there, 100, stream));
                            good(cudaFreeAsync(there, stream));
                            if (!cured) good(cudaFreeAsync(there, stream));
                            stream.wait();
                            return true;
                          }};

Mistake const by_both{"freed_twice: cudaFreeAsync and cudaFree", Caught::always, refused, [](bool cured) {
                        Stream stream;
                        void* there = nullptr;
                        good(cudaMallocAsync(&there, 100, stream));
                        good(cudaFreeAsync(there, stream));
                        stream.wait();
                        if (!cured) good(cudaFree(there));
                        return true;
                      }};

Mistake const inside{"freed_twice: an address within an allocation", Caught::always, refused, [](bool cured) {
                       char* there = nullptr;
                       good(cudaMalloc(reinterpret_cast<void**>(&there), 1000));
                       if (!cured) good(cudaFree(there + 256));
                       good(cudaFree(there));
                       return true;
                     }};

Mistake const of_the_host{"freed_twice: cudaFree of page-locked memory", Caught::always, refused, [](bool cured) {
                            void* here = nullptr;
                            good(cudaMallocHost(&here, 100));
                            if (!cured) good(cudaFree(here));
                            good(cudaFreeHost(here));
                            return true;
                          }};

Mistake const of_the_device{"freed_twice: cudaFreeHost of device memory", Caught::always, refused, [](bool cured) {
                              void* there = nullptr;
                              good(cudaMalloc(&there, 100));
                              if (!cured) good(cudaFreeHost(there));
                              good(cudaFree(there));
                              return true;
                            }};

Mistake const cached{"freed_twice: of two owners of one allocation, each frees it", Caught::always, refused,
                     [](bool cured) {
                       void* there = nullptr;
                       good(cudaMalloc(&there, 100));
                       void* const other = there;
                       good(cudaFree(there));
                       void* more = nullptr;  // which must not be given the address that was just freed
                       good(cudaMalloc(&more, 100));
                       if (!cured) good(cudaFree(other));
                       good(cudaFree(more));
                       return true;
                     }};

}  // namespace
}  // namespace wrong
