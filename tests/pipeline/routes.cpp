// Pipelines that the compiler chooses, with stand-ins for codecs of device memory: the choice depends only on types.
#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/pipeline/describe.hpp>
#include <tessera/pipeline/route.hpp>
#include <tessera/with/all.hpp>

namespace route_tests {

using namespace tessera;
using codec::Bytes, codec::Crc32c, codec::Transpose, codec::Zstd;
using Host = space::Host;
using Device = space::Device;

// Only on the device.
template <class C>
struct OnDevice : C {
  template <class S>
  static constexpr bool runs_in = std::same_as<S, Device>;
};
using DeviceCrc32c = OnDevice<Crc32c>;
// A decoder there, which needs its bytes checked; and one that trusts them.
struct DeviceZstd {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "zstd";
  template <class S>
  static constexpr bool runs_in = std::same_as<S, Device>;
  static constexpr bool needs_checked_bytes = true;
  std::size_t encoded_bound(std::size_t decoded) const { return decoded; }
  void decode(std::span<CodecTask<Device>>, Queue<Device>&) const {}
};
struct TrustedZstd : DeviceZstd {
  static constexpr bool needs_checked_bytes = false;
};
struct Delta {  // changes values, on the host
  using kind = array_to_array;
  static constexpr std::string_view name = "delta";
  void decode(std::span<int const>, std::span<int>) const {}
  void encode(std::span<int const>, std::span<int>) const {}
};

using Plain = Chain<"bytes">;
using Compressed = Chain<"bytes", "zstd">;
using Checked = Chain<"bytes", "zstd", "crc32c">;
using HostsAlone = Codecs<Transpose, Bytes, Zstd, Crc32c, Delta>;
using Both = Codecs<Transpose, Bytes, DeviceZstd, Zstd, Crc32c, DeviceCrc32c, Delta>;
using DeviceFirst = Codecs<Transpose, Bytes, DeviceZstd, Zstd, DeviceCrc32c, Crc32c>;
using Trusting = Codecs<Bytes, Zstd, TrustedZstd, Crc32c, DeviceCrc32c>;

template <class R, class... Stages>
concept Is = std::same_as<R, Pipeline<Stages...>>;

// Within one space, of codecs there.
static_assert(Is<Route<HostsAlone, Host, Host, Compressed>, Host, Bytes, Zstd>);
static_assert(Is<Route<Both, Host, Host, Checked>, Host, Bytes, Zstd, Crc32c>);
static_assert(Is<Route<Both, Device, Device, Checked>, Device, Bytes, DeviceZstd, DeviceCrc32c>);
static_assert(Is<Route<Both, space::Pinned, space::Pinned, Compressed>, space::Pinned, Bytes, Zstd>);

// Across the bus. Only elements: they cross as they are stored, and are read through after that.
static_assert(Is<Route<HostsAlone, Device, Host, Plain>, Device, Bytes, CastTo<Host>>);
static_assert(Is<Route<HostsAlone, Device, Host, Chain<"transpose", "bytes">>, Device, Transpose, Bytes, CastTo<Host>>);
static_assert(Is<Route<HostsAlone, Host, Device, Plain>, Host, Bytes, CastTo<Device>>);
// Compressed bytes are fewer, wherever the decoder is in the list.
static_assert(Is<Route<Trusting, Device, Host, Compressed>, Device, Bytes, TrustedZstd, CastTo<Host>>);
static_assert(Is<Route<Trusting, Host, Device, Compressed>, Host, Bytes, Zstd, CastTo<Device>>);
static_assert(Is<Route<HostsAlone, Device, Host, Compressed>, Device, Bytes, CastTo<Host>, Zstd>);
// A checksum has no cost: the list decides where it is checked, and the check lets the device decode.
static_assert(Is<Route<Both, Device, Host, Checked>, Device, Bytes, DeviceZstd, CastTo<Host>, Crc32c>);
static_assert(Is<Route<DeviceFirst, Device, Host, Checked>, Device, Bytes, DeviceZstd, DeviceCrc32c, CastTo<Host>>);
static_assert(Is<Route<Both, Device, Host, Compressed>, Device, Bytes, CastTo<Host>, Zstd>);
static_assert(
    Is<Route<Both, Device, Host, Chain<"bytes", "crc32c", "zstd">>, Device, Bytes, CastTo<Host>, Crc32c, Zstd>);
// If only one side has a codec, chunks cross there and back.
static_assert(Is<Route<Both, Device, Device, Compressed>, Device, Bytes, CastTo<Host>, Zstd, CastTo<Device>>);
static_assert(Is<Route<Codecs<Bytes, TrustedZstd>, Host, Host, Compressed>, Host, Bytes, CastTo<Device>, TrustedZstd,
                 CastTo<Host>>);
static_assert(Is<Route<Both, Device, Host, Chain<"delta", "bytes", "zstd", "crc32c">>, Device, CastTo<Host>, Delta,
                 Bytes, Zstd, Crc32c>);

// To write, of codecs that encode.
static_assert(Is<WritableRoute<Both, Device, Host, Checked>, Device, Bytes, CastTo<Host>, Zstd, Crc32c>);
static_assert(Is<WritableRoute<Both, Host, Host, Checked>, Host, Bytes, Zstd, Crc32c>);
static_assert(Is<WritableRoute<DeviceFirst, Device, Device, Chain<"bytes", "crc32c">>, Device, Bytes, DeviceCrc32c>);

// Shards, and shards in them: the inner chunks.
using ByDevice = Pipeline<Device, Bytes, DeviceZstd, CastTo<Host>, Crc32c>;
static_assert(Is<Route<Both, Device, Host, Shards<Checked>>, Device, codec::Sharding<ByDevice>>);
static_assert(Is<Route<Both, Device, Host, Shards<Shards<Checked>>>, Device,
                 codec::Sharding<Pipeline<Device, codec::Sharding<ByDevice>>>>);

// With a custom cost: a bus that costs nothing, and a host that decompresses slowly.
struct SlowHost : BusTraffic {
  template <class From, class To>
  static constexpr std::uint64_t crossing(std::uint64_t) {
    return 1;
  }
  template <class C, class Space>
  static constexpr std::uint64_t running(std::uint64_t bytes) {
    return std::same_as<C, Zstd> ? bytes : 0;
  }
};
static_assert(
    Is<Route<Trusting, Host, Host, Compressed, SlowHost>, Host, Bytes, CastTo<Device>, TrustedZstd, CastTo<Host>>);
static_assert(Is<Route<Trusting, Host, Host, Compressed>, Host, Bytes, Zstd>);
struct OfChecksums : BusTraffic {  // whose chunks are checked where that is free
  template <class C, class Space>
  static constexpr std::uint64_t running(std::uint64_t bytes) {
    return C::name == std::string_view{"crc32c"} && std::same_as<Space, Host> ? bytes : 0;
  }
};
static_assert(
    Is<Route<Both, Device, Host, Checked, OfChecksums>, Device, Bytes, DeviceZstd, DeviceCrc32c, CastTo<Host>>);
struct OfNoise : BusTraffic {  // that no codec shortens, and elements of half a byte
  template <class C>
  static constexpr std::uint64_t encoded(std::uint64_t bytes) {
    return bytes * 2;
  }
};
static_assert(Is<Route<Trusting, Device, Host, Compressed, OfNoise>, Device, CastTo<Host>, Bytes, Zstd>);

namespace {

// The criteria for a route, the most important first, as numbers to minimise: its cost, its crossings, the place in the
// list of each codec's implementation, crossings near the elements. Independent of the code under test.
template <std::size_t N>
std::vector<std::uint64_t> rank_of(detail::Way<N> const& way) {
  std::vector<std::uint64_t> rank{way.cost, way.crossings};
  for (std::size_t k = N; k > 0; --k) rank.push_back(way.implementation[k - 1]);
  for (auto const crosses : way.crosses) rank.push_back(crosses);
  return rank;
}

// The reference for the cheapest route: all routes.
template <std::size_t N, std::size_t M, std::size_t S>
detail::Way<N> best_of_all(detail::Choices<N, M, S> const& choices, std::size_t first, std::size_t last) {
  detail::Way<N> best;
  std::size_t count = 1;
  for (std::size_t k = 0; k < N; ++k) count *= M * S;
  for (std::size_t number = 0; number < count; ++number) {
    detail::Way<N> way;
    way.is_there = true;
    auto rest = number;
    auto here = first;
    bool is_wanted = false;
    auto const cross = [&](std::size_t k, std::size_t to) {
      way.crosses[k] = here != to;
      if (here != to) way.cost += choices.crossing[k][here][to], ++way.crossings;
      here = to;
    };
    for (std::size_t k = 0; k < N; ++k, rest /= M * S) {
      auto const i = way.implementation[k] = rest % M;
      cross(k, way.space[k] = rest / M % S);
      if (choices.running[k][i][here] == choices.impossible || (is_wanted && !choices.checks_bytes[i]))
        way.is_there = false;
      else
        way.cost += choices.running[k][i][here];
      is_wanted = choices.needs_checked_bytes[i];
    }
    cross(N, last);
    if (is_wanted) way.is_there = false;
    if (way.is_there && (!best.is_there || rank_of(way) < rank_of(best))) best = way;
  }
  return best;
}

}  // namespace

TEST_CASE("the cheapest way is the best of all ways, whatever codecs cost") {
  std::uint64_t state = 7;
  auto const below = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  int there = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    CAPTURE(trial);
    detail::Choices<3, 3, 3> choices;
    for (auto& codec : choices.running)
      for (auto& spaces : codec)
        for (auto& cost : spaces) cost = below(3) ? choices.impossible : below(4);
    for (auto& place : choices.crossing)
      for (auto& from : place)
        for (auto& cost : from) cost = below(5);
    for (auto& needs : choices.needs_checked_bytes) needs = below(4) == 0;
    for (auto& checks : choices.checks_bytes) checks = below(2) == 0;
    auto const first = below(3), last = below(3);
    auto const found = detail::cheapest_way(choices, first, last), expected = best_of_all(choices, first, last);
    REQUIRE(found.is_there == expected.is_there);
    if (!found.is_there) continue;
    ++there;
    CHECK(found.cost == expected.cost);
    CHECK(found.crossings == expected.crossings);
    CHECK(found.implementation == expected.implementation);
    CHECK(found.crosses == expected.crosses);
  }
  CHECK(there > 200);
}

TEST_CASE("of ways that cost the same the one with the fewest crossings is chosen, then the first in the list") {
  detail::Choices<2, 2, 2> choices;
  for (auto& codec : choices.running)
    for (auto& spaces : codec) spaces = {choices.impossible, choices.impossible};
  // The first implementation runs in space 1, the second in space 0; nothing costs anything.
  for (auto& codec : choices.running) codec[0][1] = codec[1][0] = 0;
  auto const way = detail::cheapest_way(choices, 0, 0);
  REQUIRE(way.is_there);
  CHECK(way.crossings == 0);
  CHECK(way.implementation == std::array<std::size_t, 2>{1, 1});
  // If both ends are in space 1 the first one does both.
  CHECK(detail::cheapest_way(choices, 1, 1).implementation == std::array<std::size_t, 2>{0, 0});
  // From one to the other one crossing is needed: the codec nearest to the stored bytes has the first implementation.
  auto const across = detail::cheapest_way(choices, 0, 1);
  CHECK(across.crossings == 1);
  CHECK(across.implementation == std::array<std::size_t, 2>{0, 0});
  CHECK(across.crosses == std::array<detail::Flag, 3>{1, 0, 0});
}

TEST_CASE("a pipeline prints its stages as its type has them, and draws the way of its chunks") {
  CHECK(describe<Route<HostsAlone, Host, Host, Compressed>>() == "host: codec::Bytes | codec::Zstd");
  CHECK(describe<Pipeline<Device, Bytes, CastTo<Host>, Zstd>>() == "device: codec::Bytes => host: codec::Zstd");
  CHECK(describe<Pipeline<Host, codec::Sharding<Pipeline<Host, Bytes, Zstd>>>>() ==
        "host: shards of (host: codec::Bytes | codec::Zstd)");
  CHECK(describe<Pipeline<Device, Bytes, CastTo<Host>>>() == "device: codec::Bytes => host:");
  CHECK(draw<Pipeline<Host, Bytes, Zstd>>() == "host     stored bytes -> codec::Zstd -> codec::Bytes -> elements\n");
  CHECK(draw<Pipeline<Device, Bytes, CastTo<Host>, Zstd>>() ==
        "host     stored bytes -> codec::Zstd --.\n"
        "device                                 '-> codec::Bytes -> elements\n");
  CHECK(draw<Pipeline<Device, Bytes, CastTo<Host>, Zstd, CastTo<Device>>>() ==
        "device   stored bytes --.                 .-> codec::Bytes -> elements\n"
        "host                    '-> codec::Zstd --'\n");
  CHECK(draw<Pipeline<Device, codec::Sharding<Pipeline<Device, CastTo<Host>, Bytes>>>>() ==
        "host     stored bytes -> codec::Bytes --.\n"
        "device                                  '-> elements\n");
}

}  // namespace route_tests
