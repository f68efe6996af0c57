// The rules of listing, for stores that can be listed.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include <tessera/testing/store_trial.hpp>

namespace tessera::inline v0 {
namespace testing::detail {

template <class S>
class StoreListing : StoreTrial<S> {
  using Trial = StoreTrial<S>;
  using Trial::expect;
  using Trial::listed;
  using Trial::put;
  using Trial::rule;
  using Trial::store;
  using Trial::value;

 public:
  using Trial::Trial;

  std::vector<std::string> run() {
    rule("lists", [&] { lists(); });
    rule("may be used while it is listed", [&] { may_be_used_while_it_is_listed(); });
    return this->take_broken();
  }

 private:
  void lists() {
    auto const nothing = store({});
    expect("nothing", listed(nothing, ""), {});
    expect("nothing in the root", listed(nothing, "", true), {});
    auto const s =
        store({{"a/x", "1"}, {"a/c/0/0", "22"}, {"a/c/0/1", "22"}, {"ab/x", "333"}, {"a.b", "4"}, {"a0", "5"}});
    expect("all", listed(s, ""), {"a.b:1", "a/c/0/0:2", "a/c/0/1:2", "a/x:1", "a0:1", "ab/x:3"});
    expect("the root", listed(s, "", true), {"a.b:1", "a/", "a0:1", "ab/"});
    expect("below a", listed(s, "a"), {"a/c/0/0:2", "a/c/0/1:2", "a/x:1"});  // and not what "a" is the beginning of
    expect("in a", listed(s, "a", true), {"a/c/", "a/x:1"});
    expect("in a/c", listed(s, "a/c", true), {"a/c/0/"});
    expect("below a key", listed(s, "a/x"), {});
    expect("in a key", listed(s, "a/x", true), {});
    expect("below what is unknown", listed(s, "unknown"), {});
    expect("in what is unknown", listed(s, "a/unknown", true), {});
  }

  void may_be_used_while_it_is_listed() {
    auto const s = store({{"a/x", "1"}, {"a/y", "2"}});
    std::string seen;
    s.list("a", [&](Listed const& entry) {
      seen += value(s, std::string{entry.path});
      if constexpr (WritableStore<S>) put(s, "b/" + seen, "3");
    });
    std::ranges::sort(seen);
    expect("values read meanwhile", seen, "12");
    if constexpr (WritableStore<S>) expect("keys written meanwhile", listed(s, "b").size(), 2);
  }
};

}  // namespace testing::detail
}  // namespace tessera::inline v0
