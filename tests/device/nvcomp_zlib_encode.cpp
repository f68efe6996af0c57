// numcodecs' zlib encoded in device memory: streams that zlib reads, with correct checksums, at a cost in calls that
// does not grow with chunks.
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <zlib.h>

#include <device/encode_batch.hpp>
#include <support/document.hpp>
#include <support/host_zlib.hpp>
#include <support/refused.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_zlib_encode_tests {

using namespace tessera;
using codec::Bytes, codec::Crc32c, codec::DeviceCrc32c;
using nvcomp::Trusted;
using test::check_refused, test::decoded_by, test::DeviceQueue, test::HostQueue, test::HostZlib, test::under_seeds;

namespace {

nvcomp::Zlib of_level(int level) {
  nvcomp::Zlib codec;
  codec.level = level;
  return codec;
}

std::vector<std::string> const texts = [] {
  std::vector<std::string> result;
  for (std::size_t const size : {1u, 2u, 17u, 255u, 700u, 4097u, 65535u, 65536u, 131070u, 131071u}) {
    result.push_back(test::long_text(size, static_cast<std::uint32_t>(size)));
    result.push_back(test::noise(size));
  }
  result.push_back(std::string(300000, '\xff'));  // the largest sums
  result.push_back(std::string(70000, '\0'));
  return result;
}();

}  // namespace

TEST_CASE("nvCOMP encodes zlib: chunks of any size, of every level, that shrink or do not") {
  under_seeds(4, [] {
    for (int const level : {-1, 0, 1, 5, 6, 9}) {
      CAPTURE(level);
      DeviceQueue on{HostQueue{1}};
      auto const found = test::EncodeBatch<nvcomp::Zlib>{of_level(level), texts, 1, 3, on}.encoded();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        CAPTURE(texts[i].size());
        bool const is_same = decoded_by(HostZlib{}, found[i], texts[i].size()) == texts[i];  // and its checksum
        CHECK(is_same);
        // The header is zlib's own.
        uLongf size = compressBound(texts[i].size());
        std::string expected(size, '?');
        compress2(reinterpret_cast<Bytef*>(expected.data()), &size, reinterpret_cast<Bytef const*>(texts[i].data()),
                  texts[i].size(), level);
        CHECK(found[i].substr(0, 2) == expected.substr(0, 2));
        auto const stored = texts[i].size() + 5 * ((texts[i].size() - 1) / 65535 + 1) + 6;
        CHECK(found[i].size() <= stored);
        if (level == 0) CHECK(found[i].size() == stored);
      }
      if (level != 0) CHECK(found[20].size() < texts[20].size() / 10);
    }
  });
}

namespace {

using ToHost = CastTo<space::Host>;
using test::in_chunks::elements, test::in_chunks::made, test::in_chunks::shape;

template <class OnHost, class P>
void check_written(P const& pipeline, DeviceQueue& on) {
  MemoryStore<HostBuffer> const store;
  auto const array = made(store, pipeline, on);
  array.write(all, test::on_device<float, 2>(elements, shape, on), WriteOptions{.mini_batch = 7}).wait();
  auto const found = open_array<float, 2, OnHost>(store, "a").read(all);
  bool const is_same = std::vector<float>(found.data(), found.data() + found.size()) == elements;
  CHECK(is_same);
  CHECK(test::on_host(array.on(on).read(all), on) == elements);
}

}  // namespace

TEST_CASE("nvCOMP encodes zlib: arrays that the host reads, alone and behind other encoders") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    for (int const level : {0, 1})
      check_written<Pipeline<space::Host, Bytes, HostZlib>>(
          Pipeline<space::Device, Bytes, Trusted<nvcomp::Zlib>, ToHost>{{}, {of_level(level)}, {}}, on);
    check_written<Pipeline<space::Host, Bytes, HostZlib, Crc32c>>(
        Pipeline<space::Device, Bytes, nvcomp::Zlib, DeviceCrc32c, ToHost>{}, on);
    for (int const level : {0, 1})
      check_written<Pipeline<space::Host, Bytes, HostZlib, HostZlib, Crc32c>>(
          Pipeline<space::Device, Bytes, Trusted<nvcomp::Zlib>, nvcomp::Zlib, DeviceCrc32c, ToHost>{
              {}, {of_level(1)}, of_level(level), {}, {}},
          on);
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("nvCOMP encodes zlib: launches, copies and waits do not depend on the number of chunks") {
  auto const check = [](int level, test::BatchCalls const& expected) {
    for (std::size_t const chunks : {1u, 5u, 40u})
      under_seeds(4, [&] {
        CAPTURE(chunks);
        DeviceQueue on{HostQueue{1}};
        std::vector<std::string> const plain(chunks, test::long_text(70001));
        test::EncodeBatch<nvcomp::Zlib> first{of_level(level), plain, 0, 0, on},
            tried{of_level(level), plain, 0, 0, on};
        first.encode();
        on.wait();
        emulation::Watch const watch;
        tried.encode();
        test::check_calls(watch, expected);
      });
  };
  check(1, {.launches = 3, .there = 2, .back = 1, .waits = 1, .most = 18});
  check(0, {.launches = 2, .there = 1, .back = 1, .waits = 1, .most = 12});
}

TEST_CASE("the k-th call fails: a batch of zlib that nvCOMP encodes") {
  for (std::uint64_t const seed : {0u, 15u}) {
    CAPTURE(seed);
    emulation::seed(seed);
    std::size_t k = 0;
    for (bool failed = true; failed; ++k) {
      CAPTURE(k);
      REQUIRE(k < 200);
      {
        DeviceQueue on{HostQueue{1}};
        test::EncodeBatch<nvcomp::Zlib> batch{of_level(1), {texts[8], texts[9]}, 0, 0, on};
        on.wait();
        emulation::fail(k);
        try {
          batch.encode();
        } catch (Error const& error) {
          std::string const what = error.what();
          CAPTURE(what);
          CHECK(emulation::has_failed());
        }
        failed = emulation::has_failed();
        emulation::fail_nothing();
        auto const found = batch.encoded();
        CHECK(decoded_by(HostZlib{}, found[0], texts[8].size()) == texts[8]);
      }
      test::check_nothing_left();
    }
    CHECK(k > 10);
  }
}

#endif

}  // namespace nvcomp_zlib_encode_tests
