// How the calls of an array end: the work that a device's queue still has for them, and their errors.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/metadata/node_document.hpp>
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

/// How a call ends. With the host's memory it returns nothing, because it is done; else a Pending.
template <class State>
auto finish([[maybe_unused]] std::shared_ptr<State> const& array, [[maybe_unused]] char const* what,
            [[maybe_unused]] ResolvedSelection const& selected, typename State::queue_type& on) {
  if constexpr (std::same_as<typename State::array_space, space::Host>)
    on.wait();
  else
    return on.pending(UnderWay{array, what, selected});
}

/// For a handler: nothing is under way any more when the caller sees what it caught.
template <class Queue>
void wait_in_handler(Queue& on) noexcept {
  try {
    on.wait();
  } catch (...) {  // the first one is thrown
  }
}
template <class Queue>
[[noreturn]] void wait_and_throw(Queue& on) {
  wait_in_handler(on);
  throw;
}

/// For the handler of a call: its error names the array. The caller's memory is in use until the queue is done.
template <class State>
[[noreturn, gnu::noinline, gnu::cold]] void fail(std::shared_ptr<State> const& array, [[maybe_unused]] char const* what,
                                                 [[maybe_unused]] ResolvedSelection const& selected,
                                                 typename State::queue_type& on) {
  try {
    throw_in_document(array->store, array->array->document);
  } catch (DeviceError& error) {
    if constexpr (!std::same_as<typename State::queue_type, Queue<space::Host>>)
      if (error.key().empty()) UnderWay{array, what, selected}(error);
    wait_and_throw(on);
  } catch (...) {
    wait_and_throw(on);
  }
}

/// A call that reads or writes: what f does, and how it ends.
template <class State, class F>
auto run_call(std::shared_ptr<State> const& array, char const* what, ResolvedSelection const& selected,
              typename State::queue_type& on, F&& f) {
  try {
    f();
    return finish(array, what, selected, on);
  } catch (...) {
    fail(array, what, selected, on);
  }
}
}}}  // namespace tessera::v0::detail
