#include "serve/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "serve/health.h"
#include "serve/process_metrics.h"

namespace ksched::serve {
namespace {

TEST(Metrics, TextIsWhatPrometheusReads) {
  Registry registry;
  registry.AddGauge({"b_gauge", "A \"gauge\",\nwith \\.", {}});
  auto& counter = registry.AddCounter({"a_total", "Counts.", {"profile", "result"}});
  auto& histogram = registry.AddHistogram({"c_seconds", "Takes.", {"x"}}, ExponentialBuckets(0.001, 2, 3));
  registry.AddCounter({"d_total", "Nothing yet.", {"x"}});
  registry.AddText([] { return std::string("# more\n"); });
  counter.With({"p\"q", "r"}).Add(3);
  histogram.With({"y"}).Observe(0.002);
  histogram.With({"y"}).Observe(5);
  EXPECT_EQ(registry.Text(),
            "# HELP a_total Counts.\n# TYPE a_total counter\n"
            "a_total{profile=\"p\\\"q\",result=\"r\"} 3\n"
            "# HELP b_gauge A \"gauge\",\\nwith \\\\.\n# TYPE b_gauge gauge\n"
            "b_gauge 0\n"
            "# HELP c_seconds Takes.\n# TYPE c_seconds histogram\n"
            "c_seconds_bucket{x=\"y\",le=\"0.001\"} 0\n"
            "c_seconds_bucket{x=\"y\",le=\"0.002\"} 1\n"
            "c_seconds_bucket{x=\"y\",le=\"0.004\"} 1\n"
            "c_seconds_bucket{x=\"y\",le=\"+Inf\"} 2\n"
            "c_seconds_sum{x=\"y\"} 5.002\n"
            "c_seconds_count{x=\"y\"} 2\n"
            "# more\n");
  registry.Disable({"a_total", "c_seconds"});
  EXPECT_THAT(registry.Text(), testing::StartsWith("# HELP b_gauge"));
}

TEST(Metrics, ValuesAreWrittenAsGoWritesThem) {
  const std::pair<double, const char*> rows[] = {{0, "0"},
                                                 {1, "1"},
                                                 {0.25, "0.25"},
                                                 {1e-5, "1e-05"},
                                                 {0.0001, "0.0001"},
                                                 {123456, "123456"},
                                                 {1234567, "1.234567e+06"},
                                                 {-2.5, "-2.5"},
                                                 {1.8446744073709552e19, "1.8446744073709552e+19"}};
  for (const auto& [value, text] : rows) EXPECT_EQ(FormatValue(value), text);
}

TEST(Metrics, ManyThreadsObserve) {
  Registry registry;
  auto& counter = registry.AddCounter({"n_total", "N.", {"of"}});
  auto& histogram = registry.AddHistogram({"h", "H.", {}}, {1, 2});
  const auto work = [&] {
    for (int i = 0; i < 10'000; ++i) {
      counter.With({i % 2 == 0 ? "even" : "odd"}).Add();
      (*histogram).Observe(1.5);
    }
  };
  std::thread one(work), two(work);
  for (int i = 0; i < 20; ++i) (void)registry.Text();
  one.join();
  two.join();
  EXPECT_EQ(counter.With({"odd"}).value(), 10'000);
  EXPECT_EQ((*histogram).count(1), 20'000U);
  EXPECT_EQ((*histogram).sum(), 30'000);
}

TEST(Metrics, OfTheProcess) {
  const std::string text = ProcessMetrics();
  for (const char* name : {"process_cpu_seconds_total ", "process_resident_memory_bytes ", "process_open_fds ",
                           "process_start_time_seconds "}) {
    EXPECT_THAT(text, testing::HasSubstr(std::string("\n") + name));
  }
}

Request Asking(const std::string& query) {
  Request request;
  request.query = query;
  return request;
}

TEST(Health, Pages) {
  std::string trouble;
  const std::vector<HealthCheck> checks = {Ping(), {"sync", [&] { return trouble; }}};
  EXPECT_EQ(AnswerHealth("readyz", checks, Asking("")).body, "ok");
  EXPECT_EQ(AnswerHealth("readyz", checks, Asking("verbose")).body, "[+]ping ok\n[+]sync ok\nreadyz check passed\n");
  EXPECT_EQ(AnswerCheck(checks[1]).body, "ok");
  trouble = "not yet";
  const Response failed = AnswerHealth("readyz", checks, Asking(""));
  EXPECT_EQ(failed.status, 500U);
  EXPECT_EQ(failed.body, "[+]ping ok\n[-]sync failed: reason withheld\nreadyz check failed\n");
  EXPECT_EQ(AnswerCheck(checks[1]).body, "internal server error: not yet\n");
  EXPECT_EQ(AnswerHealth("readyz", checks, Asking("verbose&exclude=sync&exclude=zzz")).body,
            "[+]ping ok\n[+]sync excluded: ok\nwarn: some health checks cannot be excluded: no matches for \"zzz\"\n"
            "readyz check passed\n");
}

}  // namespace
}  // namespace ksched::serve
