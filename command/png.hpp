// A picture as a PNG file, by libpng.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <png.h>

#include <tessera/core/error.hpp>

#include "output_file.hpp"
#include "picture.hpp"

namespace cli {

/// 8-bit greyscale; with NaN, 8-bit colours, where magenta is NaN. Throws: tessera::Error naming the file.
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
  bool const is_grey = picture.is_nan.empty();
  image.format = is_grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::vector<std::uint8_t> colours;
  constexpr std::uint8_t magenta[] = {255, 0, 255};
  for (std::size_t i = 0; i < picture.is_nan.size(); ++i)
    for (auto const of_nan : magenta) colours.push_back(picture.is_nan[i] ? of_nan : picture.grey[i]);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<unsigned char> png(size);
  auto const* pixels = is_grey ? picture.grey.data() : colours.data();
  if (!png_image_write_to_memory(&image, png.data(), &size, 0, pixels, 0, nullptr)) fail(image.message);
  OutputFile file{path, sync};
  file.write(png.data(), size);
  file.commit();
}

}  // namespace cli
