// A picture as a PNG file, by libpng.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include <png.h>

#include <tessera/core/error.hpp>

#include "output_file.hpp"
#include "picture.hpp"

namespace cli {

/// 8-bit greyscale. Throws: tessera::Error naming the file.
inline void write_png(std::string const& path, Picture const& picture, bool sync) {
  auto const fail = [&](char const* why) {
    throw tessera::StoreError{path + ": cannot make a PNG of " + std::to_string(picture.columns) + " x " +
                              std::to_string(picture.rows) + " pixels: " + why};
  };
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (picture.rows > most || picture.columns > most) fail("they are too many");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.columns);
  image.height = static_cast<png_uint_32>(picture.rows);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<unsigned char> png(size);
  auto const stride = static_cast<png_int_32>(picture.columns);
  if (!png_image_write_to_memory(&image, png.data(), &size, 0, picture.grey.data(), stride, nullptr))
    fail(image.message);
  OutputFile file{path, sync};
  file.write(png.data(), size);
  file.commit();
}

}  // namespace cli
