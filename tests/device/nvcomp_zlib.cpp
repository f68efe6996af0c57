// numcodecs' zlib decoded in device memory, from copies at addresses that nvCOMP accepts.
#include <string>
#include <type_traits>
#include <vector>

#include <device/nvcomp_batch.hpp>
#include <support/host_zlib.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_tests {

using codec::Crc32c, codec::DeviceCrc32c;
using test::HostZlib, test::under_seeds;

namespace {

std::string zlib(std::string const& plain, int level = 1) { return encoded_by(HostZlib{level}, plain); }

}  // namespace

TEST_CASE("nvCOMP: the bytes that zlib was given, of any size, at any address") {
  under_seeds(16, [] {
    for (int const level : {0, 1, 9})
      check_decoded<nvcomp::Zlib>(texts, [&](auto const& plain) { return zlib(plain, level); });
  });
  DeviceQueue on{HostQueue{1}};
  CHECK(Batch({}, {}, on).decoded<nvcomp::Zlib>().empty());
  CHECK(Batch({zlib("tessera")}, {100}, on).decoded<nvcomp::Zlib>()[0] == "tessera");  // more room than is needed
}

TEST_CASE("nvCOMP: arrays of numcodecs' zlib") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    check_written_by_host<Pipeline<space::Device, codec::Bytes, nvcomp::Trusted<nvcomp::Zlib>, ToHost>>(
        Pipeline<space::Host, codec::Bytes, HostZlib>{}, on);
    check_written_by_host<Pipeline<space::Device, codec::Bytes, nvcomp::Zlib, DeviceCrc32c, ToHost>>(
        Pipeline<space::Host, codec::Bytes, HostZlib, Crc32c>{}, on);
  });
  DeviceQueue on{HostQueue{1}};  // by Python's zlib, which numcodecs calls
  check_of_zarr_python<Pipeline<space::Device, codec::Bytes, nvcomp::Zlib, DeviceCrc32c, ToHost>>(
      R"({"name": "numcodecs.zlib", "configuration": {"level": 1}}, {"name": "crc32c"})",
      "780125c13701003000c020bafd3bee112043a72edd7af4eaf37c07ba006311e6be20", on);
}

TEST_CASE("nvCOMP: a chunk that is no zlib stream is named, and never reaches it") {
  under_seeds(8, [] {
    auto const stream = zlib(test::long_text(700));
    auto const named = [&](std::string const& damaged, std::string const& because, std::size_t room = 700) {
      check_named<nvcomp::Zlib>(damaged, room, stream,
                                "codec numcodecs.zlib: " + std::to_string(damaged.size()) + " bytes do not decode to " +
                                    std::to_string(room) + ": " + because);
    };
    named("", "they end before the frame is complete");
    named(stream.substr(0, 7), "they end before the frame is complete");
    named("garbage", "they do not start with a frame of this codec");
    named(stream, nvcompGetStatusString(nvcompErrorCannotVerifyChecksums), 699);
    named(std::string{"\x78\x20", 2} + stream.substr(2), "the frame needs a dictionary");
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("nvCOMP: copies of zlib are one launch more, whatever the number of chunks") {
  auto const stored = zlib(test::long_text(700));
  for (std::size_t const chunks : {1u, 4u, 20u, 200u}) {
    CAPTURE(chunks);
    under_seeds(8, [&] {
      DeviceQueue on{HostQueue{1}};
      Batch first{std::vector<std::string>(chunks, stored), std::vector<std::size_t>(chunks, 700), on};
      first.decoded<nvcomp::Zlib>();
      Batch tried{std::vector<std::string>(chunks, stored), std::vector<std::size_t>(chunks, 700), on};
      emulation::Watch const watch;
      decode_batch(nvcomp::Zlib{}, {}, std::span{tried.tasks}, on);
      CHECK(watch.launches() == 3);
      CHECK(test::copies(watch) == 2);
      CHECK(watch.count("cudaEventSynchronize") <= 1);
      CHECK(watch.synchronisations() == 0);
      CHECK(test::allocations(watch) == 0);
      CHECK(watch.count() <= 10);
    });
  }
}

#endif

}  // namespace nvcomp_tests
