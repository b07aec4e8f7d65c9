#include "onnx/survey.h"

#include <gtest/gtest.h>

#include "onnx/testing/models.h"
#include "onnx/unsupported.h"

namespace braid::onnx {
namespace {

using namespace testing;

Survey survey_of(const proto::ModelProto& model) {
  const auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  return survey_bytes(std::as_bytes(std::span<const char>(bytes->data(), bytes->size())), bytes);
}

TEST(Survey, GoesOnBehindWhatIsRefused) {
  const auto model = model_of({node("Frobnicate", {"x"}, {"a"}, "odd"), node("Relu", {"a"}, {"b"}),
                               node("NonZero", {"b"}, {"c"}), node("Frobnicate", {"c"}, {"d"}),
                               node("Relu", {"x"}, {"y"})});
  const Survey found = survey_of(model);
  ASSERT_EQ(found.refusals.size(), 2U);
  EXPECT_EQ(found.refusals[0].what, "Frobnicate");
  EXPECT_EQ(found.refusals[0].count, 2);
  EXPECT_EQ(found.refusals[0].first, "odd");
  EXPECT_EQ(found.refusals[1].what, "NonZero");
  EXPECT_EQ(found.operator_counts.at("Relu"), 2);
}

TEST(Survey, FindsNothingInWhatLoads) {
  const Survey found = survey_of(model_of({node("Relu", {"x"}, {"y"})}));
  EXPECT_TRUE(found.refusals.empty());
  EXPECT_EQ(found.opset, 17);
  EXPECT_EQ(type_text(found.inputs.at(0)), "f32[2,3]");
}

TEST(Survey, StillRefusesWhatIsMalformed) {
  expect_error(ErrorKind::Model, {"nothing produces it"}, [] {
    survey_of(model_of({node("Frobnicate", {"x"}, {"a"}), node("Relu", {"missing"}, {"y"})}));
  });
}

TEST(Survey, TellsWhoseAnOperatorIs) {
  EXPECT_FALSE(why_unsupported("", "Conv", 17));
  EXPECT_FALSE(why_unsupported("ai.onnx", "Upsample", 7));
  EXPECT_EQ(why_unsupported("", "Conv2D", 17)->reason, "ONNX has no operator of this name");
  EXPECT_EQ(why_unsupported("com.microsoft", "QLinearAdd", 17)->advice,
            "take the float32 model, before it was quantised");
}

}  // namespace
}  // namespace braid::onnx
