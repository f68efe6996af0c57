// A copy's kind contradicts its memory.
#include "mistake.hpp"

namespace wrong {
namespace {

char const* const refused = "direction|cudaErrorInvalidValue|cudaErrorInvalidMemcpyDirection";

bool swapped(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  std::vector<int> here(count);
  good(cudaMemcpy(here.data(), there.data(), there.bytes(), cured ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice));
  return all_are(7, here);
}
Mistake const of_swapped{"wrong_direction: of a copy to the host", Caught::always, refused, swapped};

bool on_the_device(bool cured) {
  Device<int> there{count};
  std::vector<int> here(count, 7);
  good(cudaMemcpy(there.data(), here.data(), there.bytes(), cured ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice));
  return all_are(7, read(there.data(), count));
}
Mistake const of_on_the_device{"wrong_direction: memory of the host is copied as the device's", Caught::always, refused,
                               on_the_device};

bool on_the_host(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  std::vector<int> here(count);
  good(cudaMemcpy(here.data(), there.data(), there.bytes(), cured ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost));
  return all_are(7, here);
}
Mistake const of_on_the_host{"wrong_direction: memory of the device is copied as the host's", Caught::always, refused,
                             on_the_host};

}  // namespace
}  // namespace wrong
