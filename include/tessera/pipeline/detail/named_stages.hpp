// StageOrder, add_complete and OwnedStages: the order, the complete entries and the stages of a document's codecs.
#pragma once
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/codec/detail/aliases.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/codec/detail/numcodecs.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Checks the order of a document's codecs. Throws: MetadataError.
class StageOrder {
 public:
  void add(std::string_view codec, bool reads_array, bool writes_array);
  void end() const;

 private:
  bool is_array_ = true;
};

/// Adds the complete entry of a codec in a document, by the first of Cs that accepts it, if any has its name. Throws:
/// MetadataError, if all of that name refuse it. `type` becomes the element type behind the codec.
template <class... Cs, class... Type>
void add_complete(std::vector<Specification>& list, Specification const& given, Type&... type) {
  [[maybe_unused]] auto const before = list.size();
  bool const is_own = ((Cs::name == given.name) || ...);
  auto const meant = is_own ? given : in_usual_words(given);
  std::string_view const name = [&] {
    std::string_view found = meant.name;
    if (!is_own) ((found = means(meant.name, Cs::name) ? Cs::name : found), ...);
    return found;
  }();
  bool const is_translated = meant.configuration != given.configuration;
  auto left = (std::size_t{Cs::name == name} + ... + 0);
  auto const add = [&]<class C>(std::type_identity<C>) {
    if (left == 0 || C::name != name) return;
    try {
      auto const codec = make_codec<C>(meant);
      list.push_back(specification_of(codec, type...));
      ((type = type_behind(codec, type)), ...);
      if (!is_translated) list.back().name = given.name;  // which may be an alias
      left = 0;
    } catch (MetadataError const&) {
      if (--left == 0) throw;
    }
  };
  (add(std::type_identity<Cs>{}), ...);
  if constexpr ((FindsCodecs<Cs> || ...))
    if (list.size() == before) list.push_back(given);  // of a codec that is not in the type
}

/// The stages of a document's codecs, in the order of encoding.
class OwnedStages {
 public:
  void add(std::unique_ptr<AnyStage const> stage);
  StageList list() const { return list_; }

 private:
  std::vector<std::unique_ptr<AnyStage const>> owned_;
  std::vector<AnyStage const*> list_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/named_stages.ipp>
#endif
