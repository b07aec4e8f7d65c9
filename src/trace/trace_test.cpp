#include "trace/trace.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace braid {
namespace {

TEST(ChromeTrace, WritesARowPerStreamAndAnEventPerLine) {
  const Trace trace{{{"conv_1", "Conv", 1, 0.5, 12.25}, {"wait", "wait", 0, 0, 3}}};
  EXPECT_EQ(to_chrome_json(trace),
            R"({"displayTimeUnit":"ms","traceEvents":[
{"name":"thread_name","ph":"M","pid":1,"tid":0,"args":{"name":"stream 0"}},
{"name":"thread_sort_index","ph":"M","pid":1,"tid":0,"args":{"sort_index":0}},
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"stream 1"}},
{"name":"thread_sort_index","ph":"M","pid":1,"tid":1,"args":{"sort_index":1}},
{"name":"conv_1","cat":"Conv","ph":"X","ts":0.5,"dur":11.75,"pid":1,"tid":1},
{"name":"wait","cat":"wait","ph":"X","ts":0.0,"dur":3.0,"pid":1,"tid":0}
]}
)");
}

TEST(ChromeTrace, TellsThePartOfACutOperator) {
  const auto json = nlohmann::json::parse(to_chrome_json({{{"c", "Conv", 0, 0, 1, 1, 4}}}));
  EXPECT_EQ(json["traceEvents"][2]["args"], (nlohmann::json{{"part", 1}, {"parts", 4}}));
}

TEST(ChromeTrace, NamesTheKernelAndCountsSeries) {
  Trace trace;
  trace.events.push_back(
      {.name = "c", .category = "Conv", .begin_us = 1, .end_us = 2, .kernel = "winograd"});
  trace.series.push_back({"SMs busy", {{1, 0.5}, {2, 0}}});
  const auto json = nlohmann::json::parse(to_chrome_json(trace));
  EXPECT_EQ(json["traceEvents"][2]["name"], "c [winograd]");
  EXPECT_EQ(
      json["traceEvents"][3],
      (nlohmann::json{
          {"name", "SMs busy"}, {"ph", "C"}, {"ts", 1.0}, {"pid", 1}, {"args", {{"share", 0.5}}}}));
}

TEST(ChromeTrace, IsValidJsonWhateverTheNamesHold) {
  const std::string name = "a\"b\\c\n\x01\xff</script>é";
  const auto json = nlohmann::json::parse(to_chrome_json({{{name, "Relu", 0, 0, 1}}}));
  EXPECT_EQ(json["traceEvents"][2]["name"], "a\"b\\c\n\x01\xef\xbf\xbd</script>é");
}

TEST(ChromeTrace, OfNothingIsValidToo) {
  EXPECT_TRUE(nlohmann::json::parse(to_chrome_json({}))["traceEvents"].empty());
}

TEST(ChromeTrace, NeighboursDoNotOverlapAfterRounding) {
  const double middle = 1.0 / 3;
  const auto json = nlohmann::json::parse(
      to_chrome_json({{{"a", "Relu", 0, 0.1, middle}, {"b", "Relu", 0, middle, 0.9}}}));
  const auto& a = json["traceEvents"][2];
  const auto& b = json["traceEvents"][3];
  EXPECT_LE(a["ts"].get<double>() + a["dur"].get<double>(), b["ts"].get<double>() + 1e-12);
}

}  // namespace
}  // namespace braid
