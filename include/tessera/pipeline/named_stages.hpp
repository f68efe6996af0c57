// What a document names of codecs: in which order, each entry complete, and the stages that are made of them.
#pragma once
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/codec/aliases.hpp>
#include <tessera/codec/configuration.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/pipeline/any_stage.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What names in a document follow each other. Throws: MetadataError.
class StageOrder {
 public:
  void add(std::string_view codec, bool reads_array, bool writes_array) {
    if (reads_array != is_array_)
      throw MetadataError{text({"member codecs: ", codec,
                                " is out of order; expected any array-to-array codecs, then one array-to-bytes codec, "
                                "then any bytes-to-bytes codecs"})};
    is_array_ = writes_array;
  }
  void end() const {
    if (is_array_) throw MetadataError{"member codecs: no array-to-bytes codec among them, e.g. bytes"};
  }

 private:
  bool is_array_ = true;
};

/// The entry of a codec in a document, complete, if it is among these: of the first that takes it. Throws:
/// MetadataError, if none of that name does. A type of elements becomes that behind it.
template <class... Cs, class... Type>
void add_complete(std::vector<Specification>& list, Specification const& given, Type&... type) {
  auto const name = (((Cs::name == given.name) || ...)) ? std::string_view{given.name} : usual_name(given.name);
  auto left = (std::size_t{Cs::name == name} + ... + 0);
  auto const add = [&]<class C>(std::type_identity<C>) {
    if (left == 0 || C::name != name) return;
    try {
      auto const codec = make_codec<C>(given);
      list.push_back(specification_of(codec, type...));
      ((type = type_behind(codec, type)), ...);
      list.back().name = given.name;  // which may be an alias
      left = 0;
    } catch (MetadataError const&) {
      if (--left == 0) throw;
    }
  };
  (add(std::type_identity<Cs>{}), ...);
}

/// Stages that a document named, in the order of encoding.
class OwnedStages {
 public:
  void add(std::unique_ptr<AnyStage const> stage) {
    list_.push_back(stage.get());
    owned_.push_back(std::move(stage));
  }
  StageList list() const { return list_; }

 private:
  std::vector<std::unique_ptr<AnyStage const>> owned_;
  std::vector<AnyStage const*> list_;
};

}}}  // namespace tessera::v0::detail
