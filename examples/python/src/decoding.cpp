// Which of nvCOMP's codecs a pipeline gets.
#include "decoding.hpp"

#include <algorithm>
#include <utility>

namespace python {
namespace {

thread_local Decoding in_force;

}  // namespace

DecodingScope::DecodingScope(Decoding wanted) : before_{std::exchange(in_force, wanted)} {}
DecodingScope::~DecodingScope() { in_force = before_; }

std::vector<tessera::detail::Implementation> DeviceDecoders::rows(DecoderRows listed, tessera::detail::SpaceName,
                                                                  tessera::detail::SpaceName) {
  auto const of_device = in_force.by == Decoder::host ? DecoderRows{} : nvcomp_codecs(in_force.is_trusted);
  std::vector<tessera::detail::Implementation> rows{of_device.begin(), of_device.end()};
  for (auto const& row : listed) {
    bool const is_of_device =
        std::ranges::any_of(of_device, [&](auto const& known) { return known.name == row.name; });
    if (row.name != name && !(is_of_device && in_force.by == Decoder::device)) rows.push_back(row);
  }
  return rows;
}

}  // namespace python
