// finish and fail: the ends of a read or a write: wait or return a Pending; attach context to errors. in_work_of: work
// of a device before it.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The context of a read or a write. An error that a wait reports may come from any work of the device: it names the
/// array and the selection, and no chunk.
template <class Open>
class UnderWay {
 public:
  UnderWay(std::shared_ptr<Open> array, char const* what, ResolvedSelection const& selected)
      : array_{std::move(array)}, what_{what}, elements_{{}, selected.shape, {}} {
    if (!selected.is_points && !selected.is_mask && selected.lists.empty()) elements_ = selected.region;
  }

  void operator()(Error& error) const {
    error.in_key(array_->array->path).in_store(array_->store_name()).in_work(to_text({what_, " of ", elements()}));
  }

 private:
  // "[0:4, 1:10:4]", or the shape if they are not a box.
  std::string elements() const {
    auto const& [first, count, step] = elements_;
    if (first.rank() != count.rank()) return "elements of the shape " + to_string(count);
    std::string result = "[";
    for (std::size_t d = 0; d < count.rank(); ++d) {
      auto const stop = count[d] == 0 ? first[d] : first[d] + (count[d] - 1) * step[d] + 1;
      result += to_text({d == 0 ? "" : ", ", first[d], ":", stop});
      if (step[d] != 1 && count[d] > 1) result += to_text({":", step[d]});
    }
    return result + "]";
  }

  std::shared_ptr<Open> array_;
  char const* what_;
  Region elements_;  // without `first`, only the shape is known
};

/// Ends a call. In host memory it waits and returns nothing; else it returns a Pending.
template <class Open>
auto finish([[maybe_unused]] Open& array, [[maybe_unused]] char const* what,
            [[maybe_unused]] ResolvedSelection const& selected, typename Open::queue_type& on) {
  if constexpr (std::same_as<typename Open::array_space, space::Host>)
    on.wait();
  else
    return on.pending(UnderWay<Open>{array.shared_from_this(), what, selected});
}

/// For a handler: no work is under way any more when the caller sees the exception.
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

/// Returns f(), which gives the array's queue work before its call. Errors of the device name the array and the work;
/// errors are thrown when the queue is done.
template <class A, class F>
auto in_work_of(A const& array, char const* what, F&& f) {
  try {
    return f();
  } catch (DeviceError& error) {
    if (error.key().empty()) error.in_key(array.path()).in_store(name_of(array.store())).in_work(what);
    wait_and_throw(array.queue());
  } catch (...) {
    wait_and_throw(array.queue());
  }
}

/// For the handler of a call: its error names the array. The caller's memory is in use until the queue is done.
template <class Open>
[[noreturn, gnu::noinline, gnu::cold]] void fail(Open& array, [[maybe_unused]] char const* what,
                                                 [[maybe_unused]] ResolvedSelection const& selected,
                                                 typename Open::queue_type& on) {
  try {
    throw_in_document(array, array.array->document);
  } catch (DeviceError& error) {
    if constexpr (!std::same_as<typename Open::queue_type, Queue<space::Host>>)
      if (error.key().empty()) UnderWay<Open>{array.shared_from_this(), what, selected}(error);
    wait_and_throw(on);
  } catch (...) {
    wait_and_throw(on);
  }
}

}}}  // namespace tessera::v0::detail
