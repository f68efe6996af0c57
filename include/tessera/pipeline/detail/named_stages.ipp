#pragma once
#include <tessera/pipeline/detail/named_stages.hpp>

#include <memory>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void StageOrder::add(std::string_view codec, bool reads_array, bool writes_array) {
  if (reads_array != is_array_)
    throw MetadataError{to_text({"member codecs: ", codec,
                                 " is out of order; expected any array-to-array codecs, then one array-to-bytes codec, "
                                 "then any bytes-to-bytes codecs"})};
  is_array_ = writes_array;
}

TESSERA_DECL void StageOrder::end() const {
  if (is_array_) throw MetadataError{"member codecs: found no array-to-bytes codec, expected one, e.g. bytes"};
}

TESSERA_DECL void OwnedStages::add(std::unique_ptr<AnyStage const> stage) {
  list_.push_back(stage.get());
  owned_.push_back(std::move(stage));
}

}}}  // namespace tessera::v0::detail
