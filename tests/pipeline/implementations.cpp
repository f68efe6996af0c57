// Which of a list's implementations run the codecs of a document, and on which side of the pipeline.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/pipeline/detail/choice.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace implementations_tests {

using namespace tessera;
using detail::Implementation, detail::Side;

namespace {

std::unique_ptr<detail::AnyStage const> make(Specification const&) { return nullptr; }

constexpr Implementation one(std::string_view name, std::string_view sides) {
  return {.name = name,
          .is_view = false,
          .reads_array = false,
          .writes_array = false,
          .needs_checked_bytes = false,
          .checks_bytes = false,
          .encodes = true,
          .encoded = [](std::uint64_t bytes) { return bytes / 2; },
          .among_elements = sides.find('e') != sides.npos ? &make : nullptr,
          .among_bytes = sides.find('b') != sides.npos ? &make : nullptr,
          .expect_taken = [](Specification const&) {},
          .runs_on_host = true,
          .array = detail::SpaceName::host,
          .bytes = detail::SpaceName::host};
}
constexpr Implementation refusing(Implementation implementation) {
  implementation.expect_taken = [](Specification const&) { throw MetadataError{"not such a one"}; };
  return implementation;
}
constexpr Implementation needing(Implementation implementation) {
  implementation.needs_checked_bytes = true;
  return implementation;
}
constexpr Implementation of_fixed_size(Implementation implementation) {
  implementation.encoded = [](std::uint64_t bytes) { return bytes; };
  return implementation;
}
constexpr Implementation checking(Implementation implementation) {
  implementation.checks_bytes = true;
  return of_fixed_size(implementation);
}
constexpr Implementation view(Implementation implementation) {
  implementation.is_view = true;
  return of_fixed_size(implementation);
}

std::uint64_t by_bus(std::uint64_t bytes) { return bytes; }
std::uint64_t for_nothing(std::uint64_t) { return 0; }

using List = std::vector<Implementation>;

std::vector<Specification> document(std::string_view names) {
  std::vector<Specification> codecs;
  for (auto const name : names) codecs.push_back({std::string{name}, {}});
  return codecs;
}

// The implementation of each codec: its number in the list, and its side.
std::string taken(List const& known, std::string_view names, Side end = Side::elements,
                  detail::Choice::Traffic crossing = &by_bus) {
  std::string result;
  auto const codecs = document(names);
  detail::Choice const choice{known, codecs, end, crossing};
  for (auto const& [by, side] : choice.taken())
    result += (result.empty() ? "" : " ") + std::to_string(by - known.data()) +
              (by->is_view           ? ""
               : side == Side::bytes ? "b"
                                     : "e");
  return result;
}

}  // namespace

TEST_CASE("what runs on one side alone decides for its neighbours, lest chunks cross more often") {
  List const list{view(one("v", "b")), one("x", "b"), one("y", "e"), one("z", "eb")};
  CHECK(taken(list, "v") == "0");
  CHECK(taken(list, "vxx") == "0 1b 1b");
  CHECK(taken(list, "vyx") == "0 2e 1b");
  CHECK(taken(list, "vzx") == "0 3e 1b");
  CHECK(taken(list, "vyz") == "0 2e 3e");
  CHECK(taken(list, "vxz") == "0 1b 3b");  // otherwise it would cross twice more
  CHECK(taken(list, "vxy") == "0 1b 2e");  // crosses three times, because it must
  CHECK(taken(list, "vzxzyzx") == "0 3e 1b 3b 2e 3e 1b");
}

TEST_CASE("one that runs on both sides runs where the elements are: bytes cross as they are stored") {
  List const list{one("z", "eb")};
  CHECK(taken(list, "zz") == "0e 0e");
  CHECK(taken(list, "zz", Side::elements, &for_nothing) == "0e 0e");
  CHECK(taken(list, "zz", Side::bytes) == "0b 0b");
}

TEST_CASE("the fewest bytes cross, whatever the list's order") {
  CHECK(taken({one("x", "b"), one("x", "e")}, "xx") == "1e 1e");
  List const list{one("x", "b"), one("x", "e"), one("y", "b")};
  CHECK(taken(list, "xy") == "1e 2b");
  CHECK(taken(list, "yx") == "2b 0b");
}

TEST_CASE("among ways that cost the same, the list's order decides, for the codec nearest to stored bytes first") {
  auto const x = [](auto sides) { return of_fixed_size(one("x", sides)); };
  auto const y = [](auto sides) { return of_fixed_size(one("y", sides)); };
  CHECK(taken({x("b"), x("e")}, "xx") == "0b 0b");
  CHECK(taken({x("e"), x("b")}, "xx") == "0e 0e");
  List const list{x("b"), x("e"), y("e"), y("b")};
  CHECK(taken(list, "xy") == "1e 2e");
  CHECK(taken(list, "yx") == "2e 0b");
  CHECK(taken({x("e"), x("b"), y("b")}, "yx") == "2b 1b");  // and never crosses twice more for it
}

TEST_CASE("where nothing checks bytes, what needs that they are checked is passed over") {
  List const list{needing(one("x", "e")), one("x", "b"), one("y", "eb"), checking(one("c", "b")),
                  checking(one("c", "e"))};
  CHECK(taken(list, "x") == "1b");
  CHECK(taken(list, "xc") == "0e 3b");
  CHECK(taken(list, "xyc") == "1b 2b 3b");
  CHECK(taken(list, "xcy") == "0e 4e 2e");
  CHECK(taken(list, "xx") == "1b 1b");
}

TEST_CASE("one that does not take the configuration is passed over, if another one has the name and runs there") {
  CHECK(taken({refusing(one("x", "e")), one("x", "b")}, "xx") == "1b 1b");
  CHECK(taken({one("x", "b"), refusing(one("x", "e")), one("y", "eb")}, "xy") == "0b 2b");
  CHECK(taken({refusing(needing(one("x", "e"))), one("x", "e")}, "x") == "1e");
  CHECK(taken({refusing(one("x", "e"))}, "x") == "0e");  // which is queried at construction
  for (auto const* sides : {"e", ""})
    test::check_refused<MetadataError>(
        [&] {
          taken({refusing(one("x", "e")), sides[0] ? refusing(one("x", "b")) : one("x", "")}, "x");
        },
        {"not such a one"});
}

TEST_CASE("if nothing else has the name, it is refused by name") {
  auto const refuse = [](List const& known, std::string_view names, char const* name) {
    auto const codecs = document(names);
    test::check_refused<MetadataError>(
        [&] {
          (void)detail::Choice{known, codecs, Side::elements, &by_bus};
        },
        {name, "undefined behaviour on damaged bytes", "nvcomp::Trusted<...>"});
  };
  List const list{needing(one("x", "e")), needing(one("z", "eb")), one("y", "b"), checking(one("c", "b"))};
  refuse(list, "x", "program's x has");
  refuse(list, "xy", "program's x has");
  refuse(list, "xcz", "program's z has");
  refuse(list, "zcx", "program's x has");
}

}  // namespace implementations_tests
