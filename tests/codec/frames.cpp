// Headers of compressed chunks, without a decoder: sizes, and where they are invalid. They lie in allocations of their
// own size, so that a sanitizer detects accesses beyond them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <libdeflate.h>
#include <zstd.h>

#include <support/random.hpp>
#include <support/walked_in_windows.hpp>
#include <tessera/codec/bytes_to_bytes/detail/gzip_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/snappy_block.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zlib_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zstd_frame.hpp>

namespace frames_tests {

using namespace tessera;
using detail::FoundFrame, detail::FrameProblem, detail::GzipFrame, detail::Lz4Block, detail::Lz4Frame,
    detail::SnappyBlock, detail::ZlibFrame, detail::ZstdFrame;

namespace {

template <class Frame>
FoundFrame walked(std::string const& bytes) {
  std::vector<std::byte> const exact(reinterpret_cast<std::byte const*>(bytes.data()),
                                     reinterpret_cast<std::byte const*>(bytes.data()) + bytes.size());
  auto const frame = Frame::walk(exact.data(), exact.size());
  if constexpr (std::is_same_v<Frame, Lz4Block>) {
    std::uint64_t windows = 0;
    auto const same = test::walked_in_windows(exact.data(), exact.size(), &windows);
    CHECK(same.problem == frame.problem);
    CHECK(same.content == frame.content);
    CHECK(windows <= exact.size() / 1024 + 2);
  }
  return frame;
}

// Of two bits a byte, so that blocks are compressed.
std::string plain(std::size_t size) {
  std::string result(size, 'a');
  std::uint32_t state = 7;
  for (auto& c : result) c = static_cast<char>('a' + ((state = state * 1664525 + 1013904223) >> 30));
  return result;
}

std::string zstd(std::string const& from, int level = 3, bool checksum = false, bool sized = true) {
  std::string to(ZSTD_compressBound(from.size()), '?');
  auto* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, sized);
  to.resize(ZSTD_compress2(context, to.data(), to.size(), from.data(), from.size()));
  ZSTD_freeCCtx(context);
  return to;
}
std::string gzip(std::string const& from) {
  auto* const compressor = libdeflate_alloc_compressor(6);
  std::string to(libdeflate_gzip_compress_bound(compressor, from.size()), '?');
  to.resize(libdeflate_gzip_compress(compressor, from.data(), from.size(), to.data(), to.size()));
  libdeflate_free_compressor(compressor);
  return to;
}

// Neither a shorter nor a longer one is valid.
template <class Frame>
void check_ends(std::string const& frame) {
  for (std::size_t size = 0; size < frame.size(); ++size) {
    CAPTURE(size);
    CHECK(walked<Frame>(frame.substr(0, size)).problem == FrameProblem::truncated);
  }
  CHECK(walked<Frame>(frame + 'x').problem == FrameProblem::followed);
  CHECK(walked<Frame>(frame + frame).problem == FrameProblem::followed);
}

}  // namespace

TEST_CASE("a zstd frame says its size, whatever libzstd makes of it") {
  for (std::size_t const size : {0u, 1u, 100u, 255u, 256u, 257u, 65791u, 65792u, 131072u, 131073u, 500000u})
    for (int const level : {-5, 1, 3, 19})
      for (bool const checksum : {false, true}) {
        CAPTURE(size);
        CAPTURE(level);
        auto const frame = walked<ZstdFrame>(zstd(plain(size), level, checksum));
        CHECK(frame.problem == FrameProblem::none);
        CHECK(frame.content == size);
        CHECK(frame.payload == 0);
        auto const unsaid = walked<ZstdFrame>(zstd(plain(size), level, checksum, false));
        CHECK(unsaid.problem == FrameProblem::none);
        CHECK(unsaid.content == FoundFrame::unsaid);
      }
  auto const zeros = walked<ZstdFrame>(zstd(std::string(400000, '\0')));
  CHECK(zeros.problem == FrameProblem::none);
  CHECK(zeros.content == 400000u);
}

TEST_CASE("a zstd frame that is cut off, or followed, is not sound") {
  for (bool const checksum : {false, true}) {
    check_ends<ZstdFrame>(zstd(plain(2000), 3, checksum));
    check_ends<ZstdFrame>(zstd("x", 3, checksum));
    check_ends<ZstdFrame>(zstd(std::string(300, '\0'), 3, checksum, false));
  }
}

TEST_CASE("a zstd frame of another kind is named as such") {
  auto frame = zstd(plain(2000));
  auto const with = [&](std::size_t at, int value) {
    auto changed = frame;
    changed[at] = static_cast<char>(value);
    return walked<ZstdFrame>(changed).problem;
  };
  CHECK(with(0, 0x29) == FrameProblem::unknown);
  CHECK(walked<ZstdFrame>(std::string{"\x50\x2a\x4d\x18\0\0\0\0", 8}).problem == FrameProblem::unknown);  // skippable
  CHECK(with(4, frame[4] | 8) == FrameProblem::reserved);
  CHECK(with(7, frame[7] | 6) == FrameProblem::reserved);  // the type of its first block
  CHECK(with(9, 0xff) == FrameProblem::reserved);          // whose size is beyond 128 KiB
  std::string const of_dictionary{"\x28\xb5\x2f\xfd\x21\x07\x01\x09\0\0x", 11};
  CHECK(walked<ZstdFrame>(of_dictionary).problem == FrameProblem::dictionary);
}

TEST_CASE("a gzip member says its size; a header of every optional part is walked") {
  for (std::size_t const size : {0u, 1u, 100u, 70000u}) {
    auto const frame = walked<GzipFrame>(gzip(plain(size)));
    CHECK(frame.problem == FrameProblem::none);
    CHECK(frame.content == size);
  }
  std::string const head{"\x1f\x8b\x08\x1e\0\0\0\0\0\xff", 10};
  std::string const whole = head + std::string{"\x03\0abc", 5} + std::string{"name\0", 5} + std::string{"said\0", 5} +
                            "hc" + std::string{"\x03\0", 2} + std::string(8, '\0');
  CHECK(walked<GzipFrame>(whole).problem == FrameProblem::none);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(walked<GzipFrame>(whole.substr(0, size)).problem == FrameProblem::truncated);
  }
  CHECK(walked<GzipFrame>("PK" + whole).problem == FrameProblem::unknown);
  auto reserved = whole;
  reserved[3] = '\x20';
  CHECK(walked<GzipFrame>(reserved).problem == FrameProblem::reserved);
}

TEST_CASE("a chunk of numcodecs' lz4 begins with its size, which is that of its block") {
  auto const frame = walked<Lz4Frame>(std::string{"\x02\0\0\0\x20xy", 7});
  CHECK(frame.problem == FrameProblem::none);
  CHECK(frame.payload == 4);
  CHECK(frame.content == 2);
  CHECK(walked<Lz4Frame>(std::string{"\x03\0\0\0\x20xy", 7}).problem == FrameProblem::another);
  for (std::size_t size = 0; size < 5; ++size)
    CHECK(walked<Lz4Frame>(std::string(size, '\0')).problem == FrameProblem::truncated);
}

TEST_CASE("an LZ4 block is literals and matches, and ends with literals") {
  auto const problem = [](std::string const& block) { return walked<Lz4Block>(block).problem; };
  auto const content = [](std::string const& block) { return walked<Lz4Block>(block).content; };
  CHECK(content(std::string(1, '\0')) == 0);
  CHECK(problem("\x01") == FrameProblem::truncated);
  CHECK(content("\x10x") == 1);
  std::string const long_literals = "\xf0\xff" + std::string(1, '\0') + std::string(15 + 255, 'x');
  CHECK(content(long_literals) == 15 + 255);
  std::string const match{"\x14x\x01\0", 4}, last = "\x50vwxyz";
  CHECK(content(match + last) == 1 + 8 + 5);
  CHECK(content(std::string{"\x1fx\x01\0\xff\x01", 6} + last) == 1 + 4 + 15 + 255 + 1 + 5);
  for (std::size_t size = 0; size < match.size() + last.size(); ++size) {
    CAPTURE(size);
    bool const is_literal_alone = size == 2;
    CHECK((problem((match + last).substr(0, size)) == FrameProblem::none) == is_literal_alone);
  }
  CHECK(problem(long_literals.substr(0, 2)) == FrameProblem::truncated);
  CHECK(problem(match + "\x40vwxy") == FrameProblem::truncated);                    // four literals
  CHECK(problem(std::string{"\x12x\x01\0", 4} + last) == FrameProblem::truncated);  // a match eleven bytes from the end
  CHECK(problem(std::string{"\x14x\0\0", 4} + last) == FrameProblem::outside);
  CHECK(problem(std::string{"\x14x\x02\0", 4} + last) == FrameProblem::outside);
}

// A valid block of that many sequences; or one with possibly wrong offsets, and possibly too short an end.
std::string lz4_block(test::Random& random, std::uint64_t sequences, bool is_sound) {
  std::string block;
  std::uint64_t decoded = 0;
  auto const length = [&](std::uint64_t least) -> std::uint64_t {
    if (random.one_in(50)) return random(least, 2000);
    return random.one_in(8) ? random(least, 300) : random(least, least + 15);
  };
  auto const more = [&](std::uint64_t count) {  // after the 15 of a token
    if (count < 15) return;
    for (count -= 15; count >= 255; count -= 255) block += '\xff';
    block += static_cast<char>(count);
  };
  for (std::uint64_t i = 0; i < sequences; ++i) {
    bool const is_last = i + 1 == sequences;
    auto const last = is_sound || random.one_in(2) ? 12 : random(1, 11);
    auto const literals = is_last ? last : length(decoded == 0 ? 1 : 0), match = is_last ? 0 : length(0);
    block += static_cast<char>(std::min<std::uint64_t>(literals, 15) << 4 | std::min<std::uint64_t>(match, 15));
    more(literals);
    for (std::uint64_t n = 0; n < literals; ++n) block += static_cast<char>(random(0, 255));
    if (is_last) break;
    decoded += literals;
    bool const may_be_wrong = !is_sound && random.one_in(sequences);
    auto const offset = random(may_be_wrong ? 0 : 1, std::min<std::uint64_t>(decoded + may_be_wrong, 65535));
    block += static_cast<char>(offset & 255);
    block += static_cast<char>(offset >> 8);
    more(match);
    decoded += 4 + match;
  }
  return block;
}

TEST_CASE("the threads that walk an LZ4 block together find what one finds") {
  std::size_t sound = 0, damaged = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    test::Random random{seed};
    auto block = lz4_block(random, random.one_in(4) ? random(1, 5) : random(1, 2000), seed % 3 != 0);
    auto const found = walked<Lz4Block>(block).problem;
    if (seed % 3 != 0) CHECK(found == FrameProblem::none);
    sound += found == FrameProblem::none;
    for (int i = 0; i < 4; ++i) {
      auto other = block;
      if (random.one_in(2))
        other.resize(random(0, block.size()));
      else
        other[random(0, block.size() - 1)] ^= static_cast<char>(random(1, 255));
      damaged += walked<Lz4Block>(other).problem != FrameProblem::none;
    }
  }
  CHECK(sound > 200);
  CHECK(damaged > 200);
}

TEST_CASE("a zlib stream has a header before deflate, and a checksum behind") {
  auto const head = [](int method, int flags) {
    std::string bytes{"\0\0\x03\0\0\0\0\x01", 8};
    bytes[0] = static_cast<char>(method), bytes[1] = static_cast<char>(flags);
    return bytes;
  };
  for (int const flags : {0x01, 0x5e, 0x9c, 0xda}) {  // of zlib's levels
    auto const frame = walked<ZlibFrame>(head(0x78, flags));
    CHECK(frame.problem == FrameProblem::none);
    CHECK(frame.payload == 2);
    CHECK(frame.tail == 4);
    CHECK(frame.content == FoundFrame::unsaid);
  }
  for (std::size_t size = 0; size < 8; ++size) {
    CAPTURE(size);
    CHECK(walked<ZlibFrame>(head(0x78, 0x9c).substr(0, size)).problem == FrameProblem::truncated);
  }
  CHECK(walked<ZlibFrame>(head(0x78, 0x9d)).problem == FrameProblem::unknown);  // not a multiple of 31
  CHECK(walked<ZlibFrame>(head(0x79, 0x9c)).problem == FrameProblem::unknown);  // not deflate
  CHECK(walked<ZlibFrame>(head(0x88, 0x1c)).problem == FrameProblem::unknown);  // a window of more than 32 KiB
  CHECK(walked<ZlibFrame>(head(0x78, 0x20)).problem == FrameProblem::dictionary);
}

TEST_CASE("a snappy block begins with its size, seven bits to a byte") {
  auto const frame = walked<SnappyBlock>(std::string{"\x82\x01\xf0", 3});
  CHECK(frame.problem == FrameProblem::none);
  CHECK(frame.payload == 0);
  CHECK(frame.content == 130);
  CHECK(walked<SnappyBlock>("\xff\xff\xff\xff\x0f").content == 0xffffffff);
  CHECK(walked<SnappyBlock>("\xff\xff\xff\xff\x1f").problem == FrameProblem::reserved);
  CHECK(walked<SnappyBlock>("\xff\xff\xff\xff\xff\x01").problem == FrameProblem::reserved);
  for (std::size_t size = 0; size < 5; ++size)
    CHECK(walked<SnappyBlock>(std::string(size, '\xff')).problem == FrameProblem::truncated);
}

TEST_CASE("what stands for a chunk that is not sound is one itself, of one byte") {
  auto const check = []<class Frame>(Frame) {
    auto const frame = Frame::walk(reinterpret_cast<std::byte const*>(Frame::harmless), sizeof Frame::harmless);
    CHECK(frame.problem == FrameProblem::none);
    char to = '?';
    if constexpr (std::is_same_v<Frame, ZstdFrame>)
      CHECK(ZSTD_decompress(&to, 1, Frame::harmless, sizeof Frame::harmless) == 1);
    if constexpr (std::is_same_v<Frame, GzipFrame>) {
      auto* const decompressor = libdeflate_alloc_decompressor();
      CHECK(libdeflate_gzip_decompress(decompressor, Frame::harmless, sizeof Frame::harmless, &to, 1, nullptr) ==
            LIBDEFLATE_SUCCESS);
      libdeflate_free_decompressor(decompressor);
    }
    if constexpr (std::is_same_v<Frame, ZlibFrame>) {
      auto* const decompressor = libdeflate_alloc_decompressor();
      CHECK(libdeflate_zlib_decompress(decompressor, Frame::harmless, sizeof Frame::harmless, &to, 1, nullptr) ==
            LIBDEFLATE_SUCCESS);
      libdeflate_free_decompressor(decompressor);
    }
  };
  check(ZstdFrame{});
  check(GzipFrame{});
  check(ZlibFrame{});
  check(SnappyBlock{});
}

TEST_CASE("damaged frames: whatever is found, nothing beyond the bytes is read") {
  test::Random random{20261124};
  std::vector<std::string> const whole{zstd(plain(3000)), zstd(plain(3000), 3, true, false), gzip(plain(3000))};
  for (int round = 0; round < 3000; ++round) {
    auto frame = whole[static_cast<std::size_t>(round) % 3];
    for (int i = 0; i < 3; ++i) frame[random(0, 19)] = static_cast<char>(random(0, 255));
    frame.resize(random(0, frame.size()));
    walked<ZstdFrame>(frame);
    walked<GzipFrame>(frame);
    walked<ZlibFrame>(frame);
    walked<SnappyBlock>(frame);
  }
}

}  // namespace frames_tests
