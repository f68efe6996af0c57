// Work of a device's queue for an array, to be named in errors that show later.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A read or a write of a selection. An error that a wait reports belongs to whatever the device did: it names the
/// array and the selection, and no chunk.
template <class State>
class UnderWay {
 public:
  UnderWay(std::shared_ptr<State> array, char const* what, ResolvedSelection const& selected)
      : array_{std::move(array)}, what_{what}, elements_{{}, selected.shape, {}} {
    if (!selected.is_points && !selected.is_mask && selected.lists.empty()) elements_ = selected.region;
  }

  void operator()(Error& error) const {
    error.in_key(array_->path).in_store(name_of(array_->store)).in_work(text({what_, " of ", elements()}));
  }

 private:
  // "[0:4, 1:10:4]", or how many there are.
  std::string elements() const {
    auto const& [first, count, step] = elements_;
    if (first.rank() != count.rank()) return "elements of the shape " + to_string(count);
    std::string result = "[";
    for (std::size_t d = 0; d < count.rank(); ++d) {
      auto const stop = count[d] == 0 ? first[d] : first[d] + (count[d] - 1) * step[d] + 1;
      result += text({d == 0 ? "" : ", ", first[d], ":", stop});
      if (step[d] != 1 && count[d] > 1) result += text({":", step[d]});
    }
    return result + "]";
  }

  std::shared_ptr<State> array_;
  char const* what_;
  Region elements_;  // of the first no numbers: the shape alone is known
};

}}}  // namespace tessera::v0::detail
