// expect: the_list_lacks< ... codec::Zstd ... codec::Crc32c ... one_of_another_name
#include <tessera/pipeline/route.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>
using namespace tessera;
#ifdef CURED
struct Mine : codec::Crc32c {
  static constexpr std::string_view name = "mine";
  static Mine from(ObjectReader&) { return {}; }
};
using Known = Codecs<codec::Bytes, codec::Zstd, codec::Crc32c, Mine>;
#else
using Known = Codecs<codec::Bytes>;
#endif
using P = Route<Known, space::Host, space::Host, Chain<"bytes", "zstd", "crc32c", "mine", "crc32c">>;
static_assert(P::crossings == 0);
void program(LocalStore<HostBuffer> store) {
  auto array = open_array<float, 2, P>(store, "a");
  auto part = array.read(all);
}
