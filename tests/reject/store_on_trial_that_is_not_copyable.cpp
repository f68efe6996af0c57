// expect: tessera: a store is a handle and must be copyable; keep what copies share in a std::shared_ptr
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>
using namespace tessera;
struct Mine {
  using buffer_type = HostBuffer;
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host>, Queue<space::Host>&) const;
  std::optional<std::uint64_t> size(Key const&, Queue<space::Host>&) const;
  void get_many(std::span<ReadRequest<space::Host>>, Queue<space::Host>&) const;
  std::map<std::string, std::string> values{};
#ifdef CURED
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();
#else
  std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();
#endif
};
void program() { (void)testing::store_conformance([](testing::StoreValues const& given) { return Mine{given}; }); }
