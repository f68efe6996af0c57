// expect: tessera: this is not a store: it has no buffer_type; pass e.g. LocalStore<HostBuffer>{path}
#include <string>

#include <tessera/tessera.hpp>
using namespace tessera;
struct Folder {
  std::string path;
};
void program(Folder folder) {
#ifdef CURED
  auto array = open_array<float, 3>(LocalStore<HostBuffer>{folder.path}, "a");
#else
  auto array = open_array<float, 3>(folder, "a");
#endif
  (void)array;
}
