// SPDX-License-Identifier: Apache-2.0
// The main of a test program with faults in it: what each case reaches, and how long it takes, is written
// to the file that REVODE_REACHED names.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN  // the header was read before, for declarations
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using clock_type = std::chrono::steady_clock;

/// One line a case: how it ended, seconds, the numbers of the faults it reached, file and name.
class reached_faults : public doctest::IReporter {
 public:
  explicit reached_faults(const doctest::ContextOptions&) {
    if (const char* path = std::getenv("REVODE_REACHED")) to_ = std::fopen(path, "w");
  }
  ~reached_faults() override {
    if (to_ != nullptr) std::fclose(to_);
  }

  void test_case_start(const doctest::TestCaseData& of) override {
    of_ = &of;
    std::memset(revode_fault::reached, 0, sizeof revode_fault::reached);
    began_ = clock_type::now();
  }
  void test_case_end(const doctest::CurrentTestCaseStats& how) override {
    if (to_ == nullptr) return;
    const std::chrono::duration<double> took = clock_type::now() - began_;
    std::fprintf(to_, "%s\t%.6f\t", how.failure_flags == 0 ? "passed" : "failed", took.count());
    for (int i = 0; i < revode_fault::most; ++i)
      if (revode_fault::reached[i] != 0) std::fprintf(to_, "%d ", i);
    std::fprintf(to_, "\t%s\t%s\n", of_->m_file.c_str(), of_->m_name);
    std::fflush(to_);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::FILE* to_ = nullptr;
  const doctest::TestCaseData* of_ = nullptr;
  clock_type::time_point began_;
};

REGISTER_LISTENER("reached", 1, reached_faults);

}  // namespace
