// StoreTrial: how the rules of store_conformance.hpp make and use a store, and report what is broken.
// RuleThread: runs a rule that may never end. A deadlocked store cannot be stopped, but its thread can be abandoned.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/core/detail/printable.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/testing/detail/store_on_trial.hpp>

namespace tessera { inline namespace v0 {
namespace testing::detail {

class RuleThread {
 public:
  /// Runs `rule`, which owns what it uses. False: it has not ended after `patience`, and its thread is abandoned.
  template <class Rule>
  bool run(std::chrono::milliseconds patience, Rule rule) {
    std::packaged_task<void()> task{std::move(rule)};
    auto const done = task.get_future();
    std::thread thread{std::move(task)};
    if (done.wait_for(patience) != std::future_status::ready) {
      std::lock_guard const lock{mutex_};
      is_abandoned_ = true;
      thread.detach();
      return false;
    }
    thread.join();
    return true;
  }

  bool is_abandoned() const {
    std::lock_guard const lock{mutex_};
    return is_abandoned_;
  }
  /// Blocks forever in an abandoned thread: the suite has returned, and what the rule would use may be gone.
  void stay_if_abandoned() {
    std::unique_lock lock{mutex_};
    if (is_abandoned_) never_.wait(lock, [] { return false; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable never_;
  bool is_abandoned_ = false;
};

}  // namespace testing::detail

namespace testing {

using StoreValues = std::map<std::string, std::string>;

namespace detail {

/// Each rule runs in its own thread, which keeps this object alive, so that a store that never answers breaks a rule
/// and does not hang the suite.
template <MemorySpace Space>
class StoreTrial : public std::enable_shared_from_this<StoreTrial<Space>> {
 public:
  using S = StoreOnTrial<Space>;
  using Queue = queue_for<Space>;
  using Memory = buffer_in_t<Space>;
  using Names = std::vector<std::string>;

  using Patience = std::chrono::milliseconds;

  /// `filled`: the stores that `make` returns hold the values already.
  StoreTrial(FunctionRef<S(StoreValues const&)> make, StoreCan can, bool filled, Queue const& on, Patience patience)
      : make_{make}, can_{can}, filled_{filled}, patience_{patience}, on_{on} {}
  virtual ~StoreTrial() = default;

  /// The broken rules, one line each: the rule, the first violation, and the cure.
  Names broken_rules() {
    run();
    return std::move(lines_);
  }
  /// Whether a rule did not end; no rule was checked after it.
  bool hangs() const { return thread_.is_abandoned(); }

 protected:
  virtual void run() = 0;

  template <class F>
  void rule(std::string_view name, std::string_view cure, F const& f) {
    if (hangs()) return;
    first_.clear(), more_ = 0;
    bool const ended = thread_.run(patience_, [self = this->shared_from_this(), f] {
      try {
        f();
      } catch (std::exception const& error) {
        self->broken({"threw: ", error.what()});
      } catch (...) {
        self->broken({"threw something that is not a std::exception"});
      }
    });
    std::string const seen =
        ended ? first_ : to_text({"not done after ", patience_.count(), " ms, no other rule was tried"});
    std::string const others = ended && more_ != 0 ? to_text({" (and ", more_, " more)"}) : "";
    if (!seen.empty()) lines_.push_back(to_text({name, ": ", seen, others, "; the cure: ", cure}));
  }
  void broken(std::initializer_list<TextPart> what) {
    thread_.stay_if_abandoned();
    first_.empty() ? void(first_ = to_text(what)) : void(++more_);
  }
  void expect(std::string_view what, std::string_view found, std::string_view expected) {
    if (found != expected) broken({what, ": expected ", cut(expected), ", found ", cut(found)});
  }
  void expect(std::string_view what, std::optional<std::uint64_t> found, std::optional<std::uint64_t> expected) {
    auto const shown = [](auto const& n) { return n ? std::to_string(*n) : std::string{"(missing)"}; };
    expect(what, shown(found), shown(expected));
  }
  void expect(std::string_view what, Names const& found, Names const& expected) {
    auto const shown = [](Names const& names) {
      std::string all;
      for (auto const& name : names) all += name + ' ';
      return all;
    };
    expect(what, shown(found), shown(expected));
  }
  static std::string cut(std::string_view shown) {
    if (shown.empty()) return "nothing";
    return shown.size() <= 200 ? printable(shown)
                               : to_text({printable(shown.substr(0, 40)), "... (", shown.size(), " characters)"});
  }
  template <class F>
  void expect_refused(std::string_view what, std::string_view word, F&& f) {
    try {
      f();
    } catch (StoreError const& error) {
      if (std::string_view{error.what()}.find(word) == std::string_view::npos)
        broken({what, ": the error does not name \"", word, "\": ", error.what()});
      return;
    }
    broken({what, ": expected a StoreError"});
  }

  S store(StoreValues const& values) {
    thread_.stay_if_abandoned();
    S made = make_(values);
    for (auto const& [key, value] : values)
      if (!filled_) put(made, key, value);
    return made;
  }
  void put(S const& store, std::string const& key, std::string_view value) {
    thread_.stay_if_abandoned();
    auto on = on_;
    Memory memory(value.size(), on);
    ByteView<space::Host> const bytes{reinterpret_cast<std::byte const*>(value.data()), value.size()};
    crossing<Space, space::Host>::copy(bytes, memory.span(), queue_between<Space, space::Host>(on));
    store.write(Key{key}, memory.view(), on);
  }
  bool erase(S const& store, std::string const& key) {
    thread_.stay_if_abandoned();
    auto on = on_;
    return store.erase(Key{key}, on);
  }
  static std::string words(ByteView<Space> bytes, Queue& on) {
    std::string result(bytes.size, '\0');
    ByteSpan<space::Host> const to{reinterpret_cast<std::byte*>(result.data()), result.size()};
    crossing<space::Host, Space>::copy(bytes, to, queue_between<space::Host, Space>(on));
    arrive<space::Host, Space>(queue_between<space::Host, Space>(on));
    return result;
  }
  std::string value(S const& store, std::string const& key, ByteRange range = {}) {
    thread_.stay_if_abandoned();
    auto on = on_;
    Memory memory;
    auto destination = [&](std::size_t n) {
      memory = Memory(n, on);
      return memory.span();
    };
    if (!tessera::detail::read(store, Key{key}, range, destination, on)) return "(missing)";
    return words(memory.view(), on);
  }
  Names listed(S const& store, std::string_view prefix, bool directory = false) {
    thread_.stay_if_abandoned();
    Names names;
    auto const add = [&](Listed const& entry) {
      names.push_back(entry.is_prefix ? to_text({entry.path, "/"}) : to_text({entry.path, ":", entry.size}));
    };
    directory ? store.list_directory(prefix, add) : store.list(prefix, add);
    std::ranges::sort(names);
    return names;
  }

  FunctionRef<S(StoreValues const&)> make_;
  StoreCan can_;
  bool filled_;
  Patience patience_;
  Queue on_;

 private:
  RuleThread thread_;
  std::string first_;     // the first violation of the current rule
  std::size_t more_ = 0;  // further violations
  Names lines_;
};

}  // namespace detail
}  // namespace testing
}}  // namespace tessera::v0
