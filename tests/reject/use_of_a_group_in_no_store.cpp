// expect: tessera: this is not a store: it has no buffer_type; pass e.g. LocalStore<HostBuffer>{path}
#include <string>

#include <tessera/array/convert.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/tessera.hpp>
using namespace tessera;
struct Folder {
  std::string path;
};
std::size_t program(Folder folder) {
#ifdef CURED
  auto const group = open_group(LocalStore<HostBuffer>{folder.path}, "a");
#else
  auto const group = open_group(folder, "a");
#endif
  for (auto const& node : group.children()) (void)open_array<float, 3>(group, node.path).read(all);
  for (auto const& [name, array] : group.arrays()) visit(array, [](auto const& typed) { return typed.size(); });
  auto const a = open_array<float, 3>(group, "a");
  auto const b = create_array<float, 3>(group, "b", {.shape = {1, 2, 3}, .chunks = {1, 2, 3}});
  OwnedArray<float, 3, HostBuffer> const part = a.read(all);
  b.write(all, part);
  auto const whole = open_any(group, "a").as<float, 3>().read(all);
  return part.size() + whole.size() + read_as<double>(b, {{0, 1}, all, 2}).size();
}
