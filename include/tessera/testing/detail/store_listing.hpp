// StoreListing: the rules for stores that can be listed.
#pragma once
#include <algorithm>
#include <future>
#include <string>
#include <vector>

#include <tessera/testing/detail/store_trial.hpp>

namespace tessera { inline namespace v0 {
namespace testing::detail {

template <MemorySpace Space>
class StoreListing : public StoreTrial<Space> {
  using Trial = StoreTrial<Space>;
  using Trial::broken;
  using Trial::can_;
  using Trial::expect;
  using Trial::listed;
  using Trial::patience_;
  using Trial::put;
  using Trial::rule;
  using Trial::store;
  using Trial::value;
  using typename Trial::S;

 public:
  using Trial::Trial;

 private:
  void run() override {
    rule("lists",
         "list visits each key below the folder with its size, list_directory each key and folder one level below it "
         "once; \"ab/x\" is not below \"a\"; the path stays valid during the visit and does not refer to a temporary",
         [&] { lists(); });
    rule("may be used while it is listed",
         "list and list_directory hold no lock while they call visit: copy the names, as std::strings, and the sizes, "
         "unlock, visit; a collected Listed would point to names that may be gone",
         [&] { may_be_used_while_it_is_listed(); });
  }

  void lists() {
    auto const nothing = store({});
    expect("nothing", listed(nothing, ""), {});
    expect("nothing in the root", listed(nothing, "", true), {});
    auto const s =
        store({{"a/x", "1"}, {"a/c/0/0", "22"}, {"a/c/0/1", "22"}, {"ab/x", "333"}, {"a.b", "4"}, {"a0", "5"}});
    expect("all", listed(s, ""), {"a.b:1", "a/c/0/0:2", "a/c/0/1:2", "a/x:1", "a0:1", "ab/x:3"});
    expect("the root", listed(s, "", true), {"a.b:1", "a/", "a0:1", "ab/"});
    expect("below a", listed(s, "a"), {"a/c/0/0:2", "a/c/0/1:2", "a/x:1"});  // not "a.b", "a0" or "ab/x"
    expect("in a", listed(s, "a", true), {"a/c/", "a/x:1"});
    expect("in a/c", listed(s, "a/c", true), {"a/c/0/"});
    expect("below a key", listed(s, "a/x"), {});
    expect("in a key", listed(s, "a/x", true), {});
    expect("below what is unknown", listed(s, "unknown"), {});
    expect("in what is unknown", listed(s, "a/unknown", true), {});
  }

  void may_be_used_while_it_is_listed() {
    auto const s = store({{"a/x", "1"}, {"a/y", "2"}});
    used_while("list", s, [&](Visitor visit) { s.list("a", visit); });
    used_while("list_directory", s, [&](Visitor visit) { s.list_directory("a", visit); });
  }

  // From another thread: if the store's listing holds a lock, that thread waits, and continues after the listing.
  template <class List>
  void used_while(std::string const& call, S const& s, List list) {
    std::string seen;
    bool waits = false;
    std::vector<std::future<std::string>> uses;
    list([&](Listed const& entry) {
      if (waits) return;
      uses.push_back(std::async(std::launch::async, [&, path = std::string{entry.path}] {
        auto const found = value(s, path);
        if (can_.write) put(s, call + "/" + found, "3");
        return found;
      }));
      waits = uses.back().wait_for(patience_ / 10) != std::future_status::ready;
    });
    for (auto& use : uses) seen += use.get();
    if (waits) return broken({"while ", call, " visits, another thread that reads or writes waits until it is over"});
    std::ranges::sort(seen);
    expect(to_text({"values read while ", call, " visits"}), seen, "12");
    if (can_.write) expect(to_text({"keys written while ", call, " visits"}), listed(s, call).size(), 2);
  }
};

}  // namespace testing::detail
}}  // namespace tessera::v0
