#include "zoo/zoo.h"

#include <array>
#include <cmath>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/verify.h"
#include "graph/width.h"
#include "ops/call.h"
#include "ops/shared/parameters.h"

namespace braid::zoo {
namespace {

/// Parameters in millions and multiply-adds in thousands of millions, to three places. Operators,
/// depth and width of GoogLeNet, SqueezeNet, DeepFM and T5, and BERT's operators and depth, are
/// those of these builders: no outside count exists to compare with, so they only guard against
/// change.
struct Facts {
  std::string_view name;
  double parameters;
  double macs;
  std::int64_t operators;
  std::int64_t depth;
  std::int64_t width;
};
void PrintTo(const Facts& facts, std::ostream* out) { *out << facts.name; }

constexpr std::array kFacts = {
    Facts{"inception-v3", 23.835, 5.713, 312, 158, 6},
    Facts{"resnet-50", 25.557, 4.089, 174, 166, 2},
    Facts{"resnext-50", 25.029, 4.230, 174, 166, 2},
    Facts{"nasnet-a-large", 88.753, 23.783, 1236, 327, 16},
    Facts{"nasnet-a-mobile", 5.290, 0.564, 906, 249, 13},
    Facts{"bert-base", 109.482, 11.174, 370, 296, 3},
    Facts{"rnntc-sru", 62.915, 0.063, 220, 44, 60},
    Facts{"googlenet", 6.625, 1.498, 195, 78, 4},
    Facts{"squeezenet-1.1", 1.235, 0.349, 64, 48, 2},
    Facts{"deepfm", 0.579, 0.000, 89, 12, 66},
    Facts{"t5-small-encoder", 35.331, 2.517, 186, 157, 5},
};

double thousandths(double number) { return std::round(number * 1000) / 1000; }

class ZooModels : public testing::TestWithParam<Facts> {};

TEST_P(ZooModels, HaveTheirExpectedSize) {
  const Facts& facts = GetParam();
  const Graph graph = build(facts.name);
  verify(graph);
  double macs = 0;
  std::int64_t operators = 0;
  for (const NodeId id : graph.node_ids()) {
    macs += work(graph, id).macs;
    operators += counts_as_operator(graph.node(id)) ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(thousandths(static_cast<double>(parameter_count(graph)) / 1e6),
                   facts.parameters);
  EXPECT_DOUBLE_EQ(thousandths(macs / 1e9), facts.macs);
  EXPECT_EQ(operators, facts.operators);
  EXPECT_EQ(depth(graph, counts_as_operator), facts.depth);
  EXPECT_EQ(width(graph, counts_as_operator), facts.width);
}

INSTANTIATE_TEST_SUITE_P(All, ZooModels, testing::ValuesIn(kFacts));

MATCHER(MatchesName, "") { return std::get<0>(arg).name == std::get<1>(arg).name; }

TEST(Zoo, ListsEveryModelOnce) { EXPECT_THAT(models(), testing::Pointwise(MatchesName(), kFacts)); }

TEST(Zoo, TheBatchIsTheFirstDimensionOfInputsAndOutputs) {
  for (const std::string_view name : {"squeezenet-1.1", "nasnet-a-mobile", "rnntc-sru", "bert-base",
                                      "deepfm", "t5-small-encoder"}) {
    const Graph graph = build(name, {.batch = 3});
    for (const ValueId input : graph.inputs()) EXPECT_EQ(graph.value(input).type.dims[0], 3);
    for (const GraphOutput& output : graph.outputs())
      EXPECT_EQ(graph.value(output.value).type.dims[0], 3) << name << ' ' << output.name;
  }
}

TEST(Zoo, TheSeedDecidesTheWeights) {
  const auto hash_with = [](std::uint64_t seed) {
    return hash(build("squeezenet-1.1", {.seed = seed}), HashWeights::Bytes);
  };
  EXPECT_EQ(hash_with(1), hash_with(1));
  EXPECT_NE(hash_with(1), hash_with(2));
}

TEST(Zoo, DistancesOfT5FallIntoTheBucketsOfThePaper) {
  const Graph graph = build("t5-small-encoder");
  const ValueId table = graph.find("positions/buckets");
  ASSERT_TRUE(table.valid());
  const auto buckets = graph.value(table).constant.data<std::int64_t>();
  constexpr std::int64_t query = 64;
  const auto bucket = [&](std::int64_t distance) {
    return buckets[static_cast<std::size_t>(query * 128 + query + distance)];
  };
  EXPECT_EQ(bucket(0), 0);
  EXPECT_EQ(bucket(-7), 7);
  EXPECT_EQ(bucket(-8), 8);
  EXPECT_EQ(bucket(-11), 8);
  EXPECT_EQ(bucket(-12), 9);
  EXPECT_EQ(bucket(-16), 10);
  EXPECT_EQ(bucket(-63), 13);
  EXPECT_EQ(bucket(-64), 14);
  EXPECT_EQ(bucket(1), 17);
  EXPECT_EQ(bucket(16), 26);
  EXPECT_EQ(buckets[127], 31) << "the last token seen from the first";
}

TEST(Zoo, NamesAreReadWithoutPunctuation) {
  EXPECT_EQ(build("SqueezeNet1_1").name, "squeezenet-1.1");
  EXPECT_EQ(build("squeeze").name, "squeezenet-1.1");
}

/// What the global average pool of an image model reads.
Dims last_images(const Graph& graph) {
  for (const NodeId id : graph.node_ids())
    if (graph.node(id).op == "GlobalAveragePool")
      return graph.value(graph.node(id).inputs[0]).type.dims;
  return {};
}

TEST(Zoo, TheImageSizeReachesTheLastPool) {
  EXPECT_EQ(last_images(build("inception-v3")), (Dims{1, 2048, 8, 8}));
  const Graph smaller = build("inception-v3", {.image_size = 224});
  EXPECT_EQ(smaller.value(smaller.inputs()[0]).type.dims, (Dims{1, 3, 224, 224}));
  EXPECT_EQ(last_images(smaller), (Dims{1, 2048, 5, 5}));
  verify(smaller);
}

TEST(Zoo, ANameMayBringTheImageSize) {
  const auto hash_of = [](std::string_view name, std::int64_t size) {
    return hash(build(name, {.image_size = size}), HashWeights::Bytes);
  };
  EXPECT_EQ(hash_of("squeeze@64", 0), hash_of("squeezenet-1.1", 64));
  EXPECT_EQ(hash_of("squeeze@64", 64), hash_of("squeezenet-1.1", 64));
  EXPECT_EQ(hash_of("squeeze@224", 0), hash_of("squeezenet-1.1", 0));
}

std::string message_of(std::string_view name, const ZooOptions& options) {
  try {
    build(name, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    return error.message();
  }
  return "no error";
}

TEST(Zoo, AnUnknownNameListsTheNames) {
  EXPECT_EQ(message_of("nasnet\n", {}),
            "there is no benchmark model 'nasnet\\x0a'; there are inception-v3, resnet-50, "
            "resnext-50, nasnet-a-large, nasnet-a-mobile, bert-base, rnntc-sru, googlenet, "
            "squeezenet-1.1, deepfm, t5-small-encoder");
  EXPECT_EQ(message_of("resnet-50", {.batch = 0}), "the batch size is 0, expected at least 1");
}

TEST(Zoo, TheSmallestImageIsFound) {
  EXPECT_EQ(message_of("inception-v3", {.image_size = 74}),
            "an image of 74x74 is too small for inception-v3, which needs at least 75x75");
  EXPECT_EQ(message_of("squeezenet-1.1", {.image_size = 1}),
            "an image of 1x1 is too small for squeezenet-1.1, which needs at least 25x25");
  EXPECT_EQ(message_of("squeezenet-1.1", {.batch = 7, .image_size = 18}),
            "an image of 18x18 is too small for squeezenet-1.1, which needs at least 25x25");
  EXPECT_EQ(message_of("nasnet-a-mobile@2", {}),
            "an image of 2x2 is too small for nasnet-a-mobile, which needs at least 3x3");
  verify(build("squeezenet-1.1", {.image_size = 25}));
}

TEST(Zoo, ImageSizesThatMakeNoSenseAreRefused) {
  EXPECT_EQ(message_of("deepfm@7", {}), "deepfm reads no image, so it takes no image size");
  EXPECT_EQ(message_of("resnet-50", {.image_size = -1}),
            "the image size is -1, expected 1 to 1048576, or 0 for the model's own");
  EXPECT_EQ(message_of("resnet-50@64", {.image_size = 65}),
            "'resnet-50@64' is given the image size 65 besides");
  for (const std::string text : {"", "0", "-1", "12x", "99999999999999999999"})
    EXPECT_EQ(message_of("resnet-50@" + text, {}),
              "'" + text + "' in 'resnet-50@" + text +
                  "' is not an image size: it is a number from 1 to 1048576, as in resnet-50@224");
}

}  // namespace
}  // namespace braid::zoo
