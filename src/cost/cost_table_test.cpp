#include "cost/cost_table.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error.h"
#include "cost/cost_table_json.h"
#include "cost/roofline.h"
#include "cost/signature.h"
#include "ops/builder.h"

namespace braid {
namespace {

const DeviceSpec kDevice{.name = "fake",
                         .streams = 2,
                         .flops_per_us = 10,
                         .bytes_per_us = 40,
                         .bytes_per_us_stream = 20};

class Costs : public testing::Test {
 protected:
  // Modelled: 8000 bytes at 20 per us = 400 us each.
  Graph graph = parse(R"(
      x: f32[1000]
      a = Relu(x)
      b = Sigmoid(x)
      c = Add(x, x))");
  NodeId relu{0};
  NodeId sigmoid{1};
  std::shared_ptr<const CostModel> model = std::make_shared<RooflineCostModel>(kDevice);
  CostTable table{model};
};

TEST_F(Costs, AnEmptyTableIsItsModel) {
  EXPECT_DOUBLE_EQ(table.cost(graph, relu).time_us, 400);
  EXPECT_DOUBLE_EQ(table.cost(graph, relu).bandwidth_share, 0.5);
}

TEST_F(Costs, MeasuredTimesAreTaken) {
  table.add(signature(graph, relu), {"Relu", 800, 1000, 400, 9});
  const Cost cost = table.cost(graph, relu);
  EXPECT_DOUBLE_EQ(cost.time_us, 800);
  EXPECT_DOUBLE_EQ(cost.time_beside_us, 1000);
  EXPECT_DOUBLE_EQ(cost.bandwidth_share, 0.25);
}

TEST_F(Costs, SharesNeverPassOne) {
  table.add(signature(graph, relu), {"Relu", 10, 10, 400, 9});
  EXPECT_DOUBLE_EQ(table.cost(graph, relu).bandwidth_share, 1);
}

TEST_F(Costs, WhatWasNotMeasuredIsScaledAsTheRestWasOff) {
  table.add(signature(graph, relu), {"Relu", 800, 800, 400, 9});
  EXPECT_DOUBLE_EQ(table.cost(graph, sigmoid).time_us, 800);
  for (const char* other : {"one", "two", "three"}) table.add(other, {"Sigmoid", 100, 100, 400, 9});
  EXPECT_NEAR(table.cost(graph, sigmoid).time_us, 100, 1e-9);
}

TEST_F(Costs, OtherModelsLendTheirScale) {
  table.borrow({{"Relu", 2}, {"Relu", 2}, {"Relu", 2}, {"Conv", 16}});
  EXPECT_NEAR(table.cost(graph, relu).time_us, 800, 1e-9);
  EXPECT_NEAR(table.cost(graph, sigmoid).time_us, 400 * std::pow(128, 0.25), 1e-9);
  table.borrow({});
  EXPECT_DOUBLE_EQ(table.cost(graph, relu).time_us, 400);
}

TEST_F(Costs, OwnOperatorsSayMoreThanThoseOfOtherModels) {
  table.borrow({{"Add", 8}, {"Add", 8}, {"Add", 8}, {"Conv", 8}});
  for (const char* one : {"one", "two", "three"}) table.add(one, {"Sigmoid", 100, 100, 400, 9});
  EXPECT_NEAR(table.cost(graph, sigmoid).time_us, 100, 1e-9);
  const NodeId add{2};
  EXPECT_NEAR(table.cost(graph, add).time_us, 8 * model->cost(graph, add).time_us, 1e-6);
  table.add(signature(graph, relu), {"Relu", 800, 800, 400, 9});
  EXPECT_DOUBLE_EQ(table.cost(graph, relu).time_us, 800);
}

TEST_F(Costs, TellWhatOfAGraphIsModelledAndByWhoseScale) {
  EXPECT_DOUBLE_EQ(table.modelled_share(graph).factor(), 1);
  EXPECT_EQ(table.modelled_share(graph).borrowed, 0);
  std::vector<BorrowedRatio> ratios = {{"Sigmoid", 1}, {"Sigmoid", 2}, {"Sigmoid", 4}};
  for (int i = 0; i < 8; ++i) ratios.push_back({"Gelu", 8});
  table.borrow(ratios);
  table.add(signature(graph, relu), {"Relu", 300, 300, 400, 9});
  const ModelledShare share = table.modelled_share(graph);
  EXPECT_DOUBLE_EQ(share.measured_us, 300);
  EXPECT_GT(share.modelled_us, 400);
  // Sigmoid is scaled by three others, Add by the one operator of this graph.
  const double add_us = share.modelled_us - 400;
  EXPECT_NEAR(share.scaled_us, 400 * 2 + add_us * 0.75, 1e-9);
  EXPECT_NEAR(share.low_us, 400 * 1 + add_us * 0.75, 1e-9);
  EXPECT_NEAR(share.high_us, 400 * 4 + add_us * 0.75, 1e-9);
  EXPECT_EQ(share.own, 1);
  EXPECT_EQ(share.borrowed, 3);
}

TEST_F(Costs, PartsThatWereNotMeasuredAreScaledAsTheWhole) {
  for (const char* other : {"one", "two", "three"}) table.add(other, {"Relu", 100, 100, 400, 9});
  table.add(signature(graph, relu), {"Relu", 600, 600, 400, 9});
  EXPECT_DOUBLE_EQ(table.cost(graph, relu, 2).time_us, 300);
  EXPECT_DOUBLE_EQ(table.cost(graph, relu, 2).time_beside_us, 300);
}

TEST_F(Costs, AddingAgainReplaces) {
  table.add("one", {"Relu", 4000, 4000, 400, 9});
  table.add("one", {"Relu", 800, 800, 400, 9});
  EXPECT_EQ(table.entries().size(), 1);
  EXPECT_NEAR(table.cost(graph, sigmoid).time_us, 800, 1e-9);
}

TEST_F(Costs, ViewsStayFree) {
  graph.set_lowering(relu, {"view", 0, {}});
  table.add("one", {"Relu", 800, 800, 400, 9});
  EXPECT_EQ(table.cost(graph, relu).time_us, 0);
}

TEST_F(Costs, ComeBackFromJson) {
  table.add(signature(graph, relu), {"Relu", 812.5, 1000.25, 400, 9});
  table.add("strange \"\\\xff", {"Add", 1e-3, 2, 0, 1});
  const CostTable back = cost_table_from_json(to_json(table, "a machine"), model);
  ASSERT_EQ(back.entries().size(), 2);
  EXPECT_EQ(*back.find(signature(graph, relu)), *table.find(signature(graph, relu)));
}

std::string error_of(const std::string& text) {
  try {
    cost_table_from_json(text, std::make_shared<RooflineCostModel>(kDevice));
  } catch (const Error& error) {
    return error.message();
  }
  return "none";
}

std::string with_row(const std::string& row) {
  return R"({"format":"braid-costs","version":1,"conditions":"","costs":[)" + row + "]}";
}

TEST(CostsFromJson, RefuseWhatTheyAreNot) {
  EXPECT_EQ(error_of(R"({"format":"x","version":1,"conditions":"","costs":[]})"),
            "format: expected 'braid-costs', got 'x'");
  EXPECT_EQ(error_of(R"({"format":"braid-costs","version":2,"conditions":"","costs":[]})"),
            "version: expected a whole number from 1 to 1, got 2");
  EXPECT_EQ(error_of(with_row("7")), "costs[0]: expected an object, got a whole number");
  EXPECT_EQ(error_of(with_row(R"({"op":"Relu","time_us":-1,"time_beside_us":1,"modelled_us":1,)"
                              R"("samples":1,"signature":"s"})")),
            "costs[0].time_us: expected a number from 1e-06 to 1000000000000, got -1");
  EXPECT_EQ(error_of(with_row(R"({"op":"Relu","time_us":1e999,"time_beside_us":1})")).substr(0, 8),
            "this is ");
  const std::string row =
      R"({"op":"Relu","time_us":1,"time_beside_us":1,"modelled_us":1,"samples":1,"signature":"s"})";
  EXPECT_EQ(error_of(with_row(row)), "none");
  EXPECT_EQ(error_of(with_row(row + "," + row)),
            "costs[1].signature: this signature is there already: 's'");
}

}  // namespace
}  // namespace braid
