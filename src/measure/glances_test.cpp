#include "measure/glances.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "devices/open.h"
#include "measure/wanted.h"
#include "ops/builder.h"

namespace braid {
namespace {

class GlancesTest : public testing::Test {
 protected:
  Graph lowered(const char* text) const {
    return device->lower(parse(text), device->modelled_costs());
  }
  std::vector<Wanted> whole(const Graph& graph) const {
    return wanted_signatures(graph, device->modelled_costs(), 1);
  }
  CostTable nothing_known() const {
    return CostTable({std::shared_ptr<void>(), &device->modelled_costs()});
  }

  std::unique_ptr<Device> device = open_device("cpu");
  Graph given = lowered("x: f32[1,8,16,16]\n y = Softmax(x)");
  Graph other = lowered("x: f32[1,8,16,16]\n a = Softmax(x)\n y = Sigmoid(a)");
};

TEST_F(GlancesTest, MeasuresEveryOperatorOnce) {
  Glances glances(*device, given, nothing_known());
  const auto first = glances.costs(given, {}).entries();
  EXPECT_EQ(first.size(), whole(given).size());
  const auto second = glances.costs(other, {}).entries();
  EXPECT_EQ(second.size(), whole(other).size());
  for (const auto& [signature, measurement] : first) EXPECT_EQ(second.at(signature), measurement);
  for (const auto& [signature, measurement] : second) EXPECT_GT(measurement.time_us, 0);
}

TEST_F(GlancesTest, TakeOverWhatIsKnownAloneAndWhole) {
  CostTable known = nothing_known();
  const std::string softmax = whole(given)[0].signature;
  known.add(softmax,
            {.op = "Softmax", .time_us = 5, .time_beside_us = 9, .modelled_us = 1, .samples = 12});
  Glances glances(*device, given, known);
  const Measurement* taken = glances.costs(other, {}).find(softmax);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->time_us, 5);
  EXPECT_EQ(taken->time_beside_us, 5);
}

TEST_F(GlancesTest, StopIfAskedTo) {
  Glances glances(*device, given, nothing_known());
  const Progress no = [](std::string_view, std::int64_t, std::int64_t) { return false; };
  try {
    glances.costs(other, no);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
  }
}

}  // namespace
}  // namespace braid
