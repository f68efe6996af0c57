// The suite detects wrong stores: each of these makes one mistake, and breaks the rule about it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/testing/store_conformance.hpp>

using namespace tessera;
using namespace std::chrono_literals;
using HostQueue = Queue<space::Host>;

namespace {

/// A store in memory, correct except for `mistake`.
class WrongStore {
 public:
  using buffer_type = HostBuffer;

  explicit WrongStore(std::string mistake) : mistake_{std::move(mistake)} {}
  WrongStore(WrongStore const& other) : mistake_{other.mistake_}, state_{other.state_} {
    if (is("copies are apart")) state_ = std::make_shared<State>(other.state_->values);
  }
  WrongStore& operator=(WrongStore const&) = default;

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  HostQueue&) const try {
    {
      std::lock_guard const lock{state_->mutex};
      ++state_->reads;
    }
    state_->has_read.notify_all();
    if (is("never answers")) std::promise<void>{}.get_future().wait();
    if (!is("any key is read") && !is("any key is a key")) check_key(key);
    std::string value;
    if (auto const found = find(key.path))
      value = *found;
    else if (is("prefixes are empty keys") && !below(key.path, false).empty())
      value = "";
    else if (is("missing keys are empty"))
      value = "";
    else
      return std::nullopt;
    if (is("empty values are missing") && value.empty()) return std::nullopt;
    if (is("ranges are ignored") && !range.from_end) range = {};
    if (is("suffixes are prefixes") && range.from_end) range = {0, range.size};
    if (is("a range beyond the end is empty") && !range.from_end && range.offset > value.size()) range = {0, 0};
    auto const [offset, size] = range.resolve(value.size());
    if (is("room is asked twice")) destination(size);
    bool const is_too_much = is("room for all of it");
    auto const to = room_of(destination, is_too_much ? value.size() : size, size);
    if (is_too_much && to.data) std::memset(to.data, '\n', to.size);
    if (size != 0 && to.data) std::memcpy(to.data, value.data() + offset, size);
    return is("returns the whole size") ? value.size() : size;
  } catch (Error& error) {
    if (is("errors name no key")) throw StoreError{"failed"}.in_key("?");
    error.in_key(key.path);
    throw;
  }

  std::optional<std::uint64_t> size(Key const& key, HostQueue&) const {
    auto const found = find(key.path);
    if (!found) return is("the size of what is missing") ? std::optional<std::uint64_t>{0} : std::nullopt;
    return is("sizes are rounded up") ? (found->size() + 7) / 8 * 8 : found->size();
  }

  void get_many(std::span<ReadRequest<space::Host>> requests, HostQueue& on) const {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto& request = requests[i];
      auto range = request.range;
      if (is("many: neighbours of a key are taken for the same") && i > 0 &&
          request.key->path == requests[i - 1].key->path)
        range = requests[i - 1].range;
      if (is("many: ranges from the end are whole") && range.from_end) range = {};
      auto const found = read(*request.key, range, request.destination, on);
      if (found || !is("many: missing ones keep the last answer")) request.size = found;
      if (is("many: at most 64") && i == 63) return;
    }
  }

  void write(Key const& key, ByteView<space::Host> bytes, HostQueue&) const {
    if (!is("any key is written") && !is("any key is a key")) check_key(key);
    std::string const value{reinterpret_cast<char const*>(bytes.data), bytes.size};
    if (is("a value appears in halves") && bytes.size > 100) {
      set(key.path, value.substr(0, bytes.size / 2));
      wait_for_a_reader();
    }
    if (is("each copy has its own locks")) wait_for_a_reader();
    set(key.path, is("writing appends") ? find(key.path).value_or("") + value : value);
  }

  void write_many(std::span<WriteRequest<space::Host> const> requests, HostQueue& on) const {
    for (auto const& request : requests) {
      if (is("many writes: the last is forgotten") && &request == &requests.back()) return;
      if (is("many writes: empty values are left out") && request.value.size == 0) continue;
      std::unique_lock<std::mutex> held;
      if (!is("many writes: nothing is locked")) held = lock(*request.key);
      write(*request.key, request.value, on);
    }
  }

  bool append(Key const& key, ByteView<space::Host> bytes, std::uint64_t size, HostQueue&) const {
    check_key(key);
    auto value = find(key.path);
    if (!value && is("appends to what is missing")) value = "";
    if (!value || (value->size() != size && !is("appends to any value"))) return false;
    if (is("appends nothing")) return true;
    *value += std::string{reinterpret_cast<char const*>(bytes.data), bytes.size};
    set(key.path, *value);
    return !is("appends and denies it");
  }

  std::optional<Lent<space::Host>> lend(Key const& key, ByteRange range, HostQueue&) const {
    check_key(key);
    auto const found = find(key.path);
    if (!found) return std::nullopt;
    auto const [offset, size] = range.resolve(found->size());
    auto const bytes = is("lends one and the same place") ? state_->place : std::make_shared<std::vector<char>>(1000);
    std::copy(found->begin(), found->end(), bytes->begin());
    auto const begin = is("lends from the beginning") ? 0 : offset;
    Lent<space::Host> lent{{reinterpret_cast<std::byte const*>(bytes->data()) + begin, size}, bytes};
    if (is("lends what nobody owns")) {
      static std::vector<std::shared_ptr<void const>> owners;  // the rule shall find it, not a sanitizer
      owners.push_back(std::exchange(lent.owner, nullptr));
    }
    return lent;
  }

  bool erase(Key const& key, HostQueue&) const {
    if (!is("any key is erased") && !is("any key is a key")) check_key(key);
    if (is("prefixes are erased"))
      for (auto const& [path, size] : below(key.path, false)) remove(path);
    if (is("nothing is erased")) return find(key.path).has_value();
    return remove(key.path) != is("erase says the opposite");
  }

  std::unique_lock<std::mutex> lock(Key const&) const {
    if (!is("each copy has its own locks")) return std::unique_lock{state_->update};
    return std::unique_lock{*own_};
  }

  void list(std::string_view prefix, Visitor visit) const {
    if (!prefix.empty() && !is("any prefix is listed") && !is("any key is a key")) check_key(Key{std::string{prefix}});
    auto found = below(prefix, is("a prefix is any beginning"));
    if (is("the listing forgets the last") && !found.empty()) found.erase(std::prev(found.end()));
    state_->listing = is("busy while it is listed");
    std::unique_lock held{state_->mutex, std::defer_lock};
    if (is("listed under its lock")) held.lock();
    for (auto const& [path, size] : found) visit({path, false, is("listed sizes are none") ? 0 : size});
    state_->listing = false;
  }

  void list_directory(std::string_view prefix, Visitor visit) const {
    if (!prefix.empty() && !is("any prefix is listed") && !is("any key is a key")) check_key(Key{std::string{prefix}});
    auto const start = prefix.empty() ? 0 : prefix.size() + 1;
    std::string last;
    auto const found = below(prefix, false);
    std::unique_lock held{state_->mutex, std::defer_lock};
    if (is("directories are listed under its lock")) held.lock();
    for (auto const& [path, size] : found) {
      auto const slash = path.find('/', start);
      if (slash == path.npos || is("directories have no folders"))
        visit({path, false, size});
      else if (last != path.substr(0, slash) || is("folders are shown for each key"))
        visit({last = path.substr(0, slash), true, 0});
    }
  }

 private:
  struct State {
    explicit State(std::map<std::string, std::string> v = {}) : values{std::move(v)} {}
    std::mutex mutex, update;
    std::map<std::string, std::string> values;
    std::shared_ptr<std::vector<char>> place = std::make_shared<std::vector<char>>(1000);
    int reads = 0;
    std::condition_variable has_read;
    std::atomic<bool> listing{false};
  };

  bool is(std::string_view mistake) const { return mistake_ == mistake; }
  ByteSpan<space::Host> room_of(Destination<space::Host> destination, std::size_t asked, std::size_t size) const try {
    return destination(asked).sub(0, size);
  } catch (std::exception const&) {
    if (!is("the destination cannot refuse")) throw;
    return {};
  }
  // Not for long: rules of one thread have no reader.
  void wait_for_a_reader() const {
    std::unique_lock lock{state_->mutex};
    state_->has_read.wait_for(lock, 2ms, [&, before = state_->reads] { return state_->reads != before; });
  }
  std::optional<std::string> find(std::string const& path) const {
    if (state_->listing) throw std::logic_error{"it would wait for ever"};
    std::lock_guard lock{state_->mutex};
    auto const at = state_->values.find(path);
    return at == state_->values.end() ? std::nullopt : std::optional{at->second};
  }
  void set(std::string const& path, std::string value) const {
    std::lock_guard lock{state_->mutex};
    state_->values[path] = std::move(value);
  }
  bool remove(std::string const& path) const {
    std::lock_guard lock{state_->mutex};
    return state_->values.erase(path) > 0;
  }
  std::map<std::string, std::size_t> below(std::string_view prefix, bool any_beginning) const {
    std::lock_guard lock{state_->mutex};
    std::map<std::string, std::size_t> found;
    auto const beginning = prefix.empty() || any_beginning ? std::string{prefix} : std::string{prefix} + '/';
    for (auto const& [path, value] : state_->values)
      if (path.starts_with(beginning)) found[path] = value.size();
    return found;
  }

  std::string mistake_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  struct OwnMutex {
    OwnMutex() = default;
    OwnMutex(OwnMutex const&) {}
    OwnMutex& operator=(OwnMutex const&) { return *this; }
    std::mutex& operator*() const { return mutex; }
    mutable std::mutex mutex;
  } own_;
};
static_assert(Store<WrongStore> && ListableStore<WrongStore> && LendingStore<WrongStore> &&
              AppendableStore<WrongStore>);

std::vector<std::string> broken_by(std::string const& mistake, std::chrono::milliseconds patience = 60s) {
  return testing::store_conformance([&] { return WrongStore{mistake}; }, HostQueue{}, patience);
}

std::string rule_of(std::string const& line) { return line.substr(0, line.find(':')); }

}  // namespace

TEST_CASE("a store without a mistake breaks no rule") { CHECK(broken_by("none").empty()); }

TEST_CASE("each mistake breaks the rule that is about it") {
  struct {
    char const *mistake, *rule;
  } const expected[] = {
      {"missing keys are empty", "reads what was written"},
      {"prefixes are empty keys", "reads what was written"},
      {"ranges are ignored", "reads ranges"},
      {"suffixes are prefixes", "reads ranges"},
      {"a range beyond the end is empty", "reads ranges"},
      {"errors name no key", "reads ranges"},
      {"empty values are missing", "holds empty values"},
      {"sizes are rounded up", "knows sizes"},
      {"the size of what is missing", "knows sizes"},
      {"room is asked twice", "asks for destination once"},
      {"room for all of it", "asks for destination once"},
      {"returns the whole size", "asks for destination once"},
      {"the destination cannot refuse", "lets the destination refuse"},
      {"many: neighbours of a key are taken for the same", "reads many"},
      {"many: ranges from the end are whole", "reads many"},
      {"many: missing ones keep the last answer", "reads many"},
      {"many: at most 64", "reads many"},
      {"lends from the beginning", "lends what it reads"},
      {"lends what nobody owns", "lends what it reads"},
      {"lends one and the same place", "keeps what it lent"},
      {"copies are apart", "copies see the same keys"},
      {"writing appends", "overwrites and erases"},
      {"nothing is erased", "overwrites and erases"},
      {"erase says the opposite", "overwrites and erases"},
      {"prefixes are erased", "overwrites and erases"},
      {"many writes: the last is forgotten", "writes many"},
      {"many writes: empty values are left out", "writes many"},
      {"appends to what is missing", "appends to values of the given size"},
      {"appends to any value", "appends to values of the given size"},
      {"appends nothing", "appends to values of the given size"},
      {"appends and denies it", "appends to values of the given size"},
      {"many writes: nothing is locked", "keeps updates apart from many writes"},
      {"any key is read", "refuses invalid keys"},
      {"any key is written", "refuses invalid keys"},
      {"any key is erased", "refuses invalid keys"},
      {"any prefix is listed", "refuses invalid keys"},
      {"a value appears in halves", "shows the old value or the new"},
      {"each copy has its own locks", "keeps updates apart"},
      {"a prefix is any beginning", "lists"},
      {"the listing forgets the last", "lists"},
      {"listed sizes are none", "lists"},
      {"directories have no folders", "lists"},
      {"folders are shown for each key", "lists"},
      {"busy while it is listed", "may be used while it is listed"},
  };
  for (auto const& one : expected) {
    std::string const mistake = one.mistake, rule = one.rule;
    CAPTURE(mistake);
    auto broken = broken_by(mistake);
    auto const shows_it = [&](std::string const& line) { return rule_of(line).starts_with(rule); };
    // On a busy machine the threads of a round may run one after the other, and then no update is lost.
    for (int round = 0; round < 20 && std::ranges::none_of(broken, shows_it); ++round) broken = broken_by(mistake);
    std::set<std::string> rules;
    for (auto const& line : broken) {
      CAPTURE(line);
      CHECK(rules.insert(rule_of(line)).second);
      CHECK(line.find("; the cure: ") != std::string::npos);
      CHECK(line.find('\n') == std::string::npos);
    }
    CHECK(std::ranges::any_of(broken, shows_it));
  }
}

TEST_CASE("a rule that is broken in many ways is one line, with what was seen first and how many more") {
  auto const broken = broken_by("any key is a key");
  REQUIRE(broken.size() == 2);
  CHECK(rule_of(broken[0]) == "writes many");
  CHECK(broken[1] ==
        "refuses invalid keys: reading \"\": expected a StoreError (and 52 more); the cure: begin read, "
        "write and erase with tessera::check_key(key), and listings of a prefix that is not empty likewise");
}

TEST_CASE("a store that is listed under its lock is told apart, and nothing hangs") {
  for (std::string const call : {"list", "list_directory"}) {
    auto const mistake = call == "list" ? "listed under its lock" : "directories are listed under its lock";
    auto const broken = broken_by(mistake, 10s);
    REQUIRE(broken.size() == 1);
    CHECK(broken[0] == "may be used while it is listed: while " + call +
                           " visits, another thread that reads or writes waits until it is over; the cure: list and "
                           "list_directory hold no lock while they call visit: copy the names, as std::strings, and the "
                           "sizes, unlock, visit; a collected Listed would point to names that may be gone");
  }
}

TEST_CASE("a store that never answers breaks the rule that asked, and no other is tried") {
  auto const broken = broken_by("never answers", 500ms);
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].find("reads what was written: not done after 500 ms, no other rule was tried; the cure: ") == 0);
}
