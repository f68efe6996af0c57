// Runs the tests of the runtime's contract: under 16 seeds of the emulation, each test from the seed's beginning to an
// end without leaks; on a GPU once.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS  // errors that the emulation stops are not reported twice
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "contract.hpp"

void test::good(cudaError_t status) { REQUIRE(status == cudaSuccess); }

#if defined(TESSERA_CUDA_EMULATION)
namespace {

std::uint64_t seed_in_use = 0;

struct FromTheSeedsBeginning : doctest::IReporter {
  explicit FromTheSeedsBeginning(doctest::ContextOptions const&) {}
  void test_case_start(doctest::TestCaseData const& test) override {
    emulation::seed(seed_in_use);
    name_ = test.m_name;
  }
  void test_case_end(doctest::CurrentTestCaseStats const&) override {
    auto const left = emulation::alive();
    if (left.allocations + left.streams + left.events + left.pools == 0) return;
    std::fprintf(stderr, "\"%s\", seed %d: left %zu allocations, %zu streams, %zu events, %zu pools\n", name_,
                 static_cast<int>(seed_in_use), left.allocations, left.streams, left.events, left.pools);
    std::abort();
  }
  void report_query(doctest::QueryData const&) override {}
  void test_run_start() override {}
  void test_run_end(doctest::TestRunStats const&) override {}
  void test_case_reenter(doctest::TestCaseData const&) override {}
  void test_case_exception(doctest::TestCaseException const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_assert(doctest::AssertData const&) override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}

 private:
  char const* name_ = "";
};
REGISTER_LISTENER("from-the-seeds-beginning", 1, FromTheSeedsBeginning);

int run(doctest::Context& tests) {
  int failed = 0;
  for (seed_in_use = 0; seed_in_use < 16; ++seed_in_use) {
    int const now = tests.run();
    if (now != 0) std::fprintf(stderr, "failed under seed %d\n", static_cast<int>(seed_in_use));
    failed |= now;
    if (tests.shouldExit()) break;
  }
  return failed;
}

}  // namespace
#else
namespace {
int run(doctest::Context& tests) {
  int devices = 0;
  if (auto const status = cudaGetDeviceCount(&devices); status != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "there is no GPU (%s): none of the tests of the runtime's contract was run\n",
                 cudaGetErrorName(status));
    return 77;  // which test runners treat as "skipped"
  }
  return tests.run();
}
}  // namespace
#endif

int main(int count, char** arguments) {
  doctest::Context tests{count, arguments};
  return run(tests);
}
