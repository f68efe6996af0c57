// expect: tessera: the elements of a lease to read are const: call view<T const, N>(), or attach with a lease to write
#include <tessera/ipc/consumer.hpp>
using namespace tessera;
void program(ipc::Consumer& consumer, ipc::Descriptor const& array) {
#ifdef CURED
  auto const attached = consumer.attach_to_write(array);
#else
  auto const attached = consumer.attach(array);
#endif
  auto const view = attached.view<float, 2>();
  (void)view;
}
