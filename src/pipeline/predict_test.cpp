#include <gtest/gtest.h>

#include "devices/open.h"
#include "pipeline/stages.h"
#include "plan/happens_before.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

TEST(Predict, WhoComesLaterBeginsLater) {
  for (const int lanes : {2, 0}) {
    const auto device = lanes > 0 ? open_device("cpu", {.threads = lanes}) : open_device("sim:t4");
    SCOPED_TRACE(device->spec().name);
    PipelineOptions options;
    options.plan.scheduler = "opara";
    options.costs.use_cache = false;
    const Planned prepared = to_plan(zoo::build("squeezenet-1.1"), *device, options);
    const Prediction prediction = predict(prepared, *device);
    EXPECT_EQ(prediction.simulated.has_value(), device->spec().name != "cpu");
    EXPECT_GT(prediction.timeline.end_us, 0);
    const HappensBefore order(prepared.lowered(), prepared.plan);
    for (StepRef ref : order.order()) {
      EXPECT_LE(prediction.timeline.at(ref).end_us, prediction.timeline.end_us + 1e-6);
      for (StepRef wait : step_at(prepared.plan, ref).waits)
        EXPECT_LE(prediction.timeline.at(wait).end_us, prediction.timeline.at(ref).begin_us + 1e-6);
    }
  }
}

}  // namespace
}  // namespace braid
