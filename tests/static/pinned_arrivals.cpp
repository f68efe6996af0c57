// A distant store of pinned memory tells of each value that arrived: its chunk is decoded and placed while others
// travel.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tessera/node/create.hpp>
#include <tessera/with/zstd.hpp>

#include "sample.hpp"

using namespace sample;
using tessera::Pipeline, tessera::Queue, tessera::SplitStore, tessera::codec::Bytes, tessera::codec::Zstd;

namespace {

struct Distant {
  using buffer_type = stub::PinnedBuffer;
  using Request = tessera::ReadRequest<space::Pinned>;
  HostStore values;
  std::vector<std::int32_t> const* read_into = nullptr;
  std::vector<std::size_t>* there;  // elements in place after each arrival

  std::string name() const { return "distant"; }
  static bool is_near() { return false; }
  std::optional<std::size_t> read(tessera::Key const& key, tessera::ByteRange range,
                                  tessera::Destination<space::Pinned> to, Queue<space::Device>& on) const {
    Request request{&key, range, to};
    get_many({&request, 1}, on);
    return request.size;
  }
  void get_many(std::span<Request> requests, Queue<space::Device>& on) const {
    for (auto& request : requests) {
      auto const to = [&](std::size_t size) {
        auto const memory = request.destination(size);
        return tessera::ByteSpan<space::Host>{memory.data, memory.size};
      };
      request.size = values.read(*request.key, request.range, to, on.host());
      if (!request.arrived) continue;
      while ((*request.arrived)(request.size)) continue;
      auto const& elements = *read_into;
      there->push_back(elements.size() - static_cast<std::size_t>(std::count(elements.begin(), elements.end(), 0)));
    }
  }
};

}  // namespace

int main() {
  Queue<space::Device> on;
  HostStore const values;
  std::vector<std::int32_t> elements(std::size_t{256} * 512), found(elements.size());
  std::iota(elements.begin(), elements.end(), 1);
  // Rows of a chunk lie apart in the result: they are decoded to other memory, and placed.
  tessera::create_array<std::int32_t, 2>(values, "a", {.shape = {256, 512}, .chunks = {64, 256}},
                                         Pipeline<space::Host, Bytes, Zstd>{})
      .write(tessera::all, elements);
  std::vector<std::size_t> there;
  SplitStore const store{values, Distant{values, &found, &there}};
  auto const array = tessera::open_array<std::int32_t, 2, Pipeline<space::Pinned, Bytes, Zstd>>(store, "a", on);
  auto const memory = tessera::ArrayView<std::int32_t, 2, space::Pinned>::c_order(found.data(), {256, 512});
  array.read(tessera::all, memory).wait();
  check(found == elements, "the elements, of a distant store, in pinned memory");
  check(there.size() == 8, "a request for each chunk");
  for (std::size_t i = 0; i < there.size(); ++i)
    check(there[i] == (i + 1) * 64 * 256, "a chunk that arrived is in place while others travel");
  return failed;
}
