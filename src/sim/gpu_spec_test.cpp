#include "sim/gpu_spec.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sim/kernel.h"

namespace braid::sim {
namespace {

std::string error_of(const auto& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

nlohmann::json small_spec() {
  return nlohmann::json::parse(R"({
    "format": "braid-gpu", "version": 1, "name": "tiny", "title": "A tiny GPU",
    "compute_capability": [7, 5], "sms": 2, "fp32_tflops": 1, "dram_gb_per_s": 100,
    "dram_efficiency": 0.5, "l2_gb_per_s": 300, "l2_bytes": 1048576, "sm_bandwidth_factor": 4, "overlap": 0.7,
    "sm": {"threads": 1024, "blocks": 16, "registers": 65536, "shared_bytes": 65536,
           "shared_bytes_per_block": 65536, "shared_bytes_reserved": 0, "shared_unit": 256,
           "register_unit": 256},
    "costs": {"launch_us": 4, "event_us": 1, "edge_us": 1, "cross_edge_us": 1.5, "graph_us": 8,
              "graph_node_us": 0.5, "device_sync_us": 12, "hardware_queues": 8},
    "families": {"elementwise": {"threads": 128, "registers": 24, "shared_bytes": 0,
                                 "efficiency": 1, "saturation_warps": 1, "fill_us": 1.5,
                                 "refill_us": 0}}})");
}

TEST(GpuSpec, ReadsWhatTheFileSays) {
  const GpuSpec spec = parse_gpu_spec(small_spec().dump(), "tiny.json");
  EXPECT_EQ(spec.name, "tiny");
  EXPECT_DOUBLE_EQ(spec.fp32_flops_per_us, 1e6);
  EXPECT_DOUBLE_EQ(spec.dram_bytes_per_us, 50'000);
  EXPECT_EQ(spec.family("elementwise").threads, 128);
  EXPECT_FALSE(spec.family("elementwise").calibrated);
}

TEST(GpuSpec, AnErrorMakesAFamilyCalibrated) {
  nlohmann::json json = small_spec();
  json["families"]["elementwise"]["error"] = 0.02;
  EXPECT_TRUE(parse_gpu_spec(json.dump(), "tiny.json").family("elementwise").calibrated);
}

TEST(GpuSpec, AnSmIsAsFastAsItWasHoweverManyThereAre) {
  nlohmann::json json = small_spec();
  json["full_sms"] = 2;
  const GpuSpec before = parse_gpu_spec(json.dump(), "tiny.json");
  json["sms"] = 8;
  const GpuSpec after = parse_gpu_spec(json.dump(), "tiny.json");
  EXPECT_DOUBLE_EQ(sm_flops_per_us(after, Pipe::Fp32), sm_flops_per_us(before, Pipe::Fp32));
  EXPECT_DOUBLE_EQ(sm_bytes_per_us(after), sm_bytes_per_us(before));
  EXPECT_DOUBLE_EQ(after.fp32_flops_per_us, 4e6);
  EXPECT_DOUBLE_EQ(after.dram_bytes_per_us, before.dram_bytes_per_us);
}

TEST(GpuSpec, WithoutFullSmsThePeaksAreThoseOfAllSms) {
  nlohmann::json json = small_spec();
  json["sms"] = 8;
  const GpuSpec spec = parse_gpu_spec(json.dump(), "tiny.json");
  EXPECT_EQ(spec.full_sms, 8);
  EXPECT_DOUBLE_EQ(spec.fp32_flops_per_us, 1e6);
}

TEST(GpuSpec, SaysWhatIsWrongAndWhere) {
  nlohmann::json json = small_spec();
  json["sm"]["threads"] = 0;
  EXPECT_EQ(error_of([&] { parse_gpu_spec(json.dump(), "x"); }),
            "sm.threads: expected a whole number from 1 to 65536, got 0");
  json = small_spec();
  json["costs"].erase("edge_us");
  EXPECT_EQ(error_of([&] { parse_gpu_spec(json.dump(), "x"); }),
            "costs: the key 'edge_us' is missing");
  json = small_spec();
  json["families"]["elementwise"]["efficiency"] = "high";
  EXPECT_EQ(error_of([&] { parse_gpu_spec(json.dump(), "x"); }),
            "families.elementwise.efficiency: expected a number, got a text");
  json = small_spec();
  json["colour"] = "green";
  EXPECT_EQ(error_of([&] { parse_gpu_spec(json.dump(), "x"); }), "unknown key 'colour'");
}

TEST(GpuSpec, InterferenceMayBeStated) {
  nlohmann::json json = small_spec();
  EXPECT_TRUE(parse_gpu_spec(json.dump(), "tiny.json").interference.empty());
  json["interference"] = nlohmann::json::parse(R"([{"first": "compute", "second": "elementwise",
      "slowdown_first": 1.05, "slowdown_second": 1.1, "source": "measured on a tiny GPU"}])");
  const GpuSpec spec = parse_gpu_spec(json.dump(), "tiny.json");
  ASSERT_EQ(spec.interference.size(), 1U);
  EXPECT_EQ(spec.interference[0].second, "elementwise");
  EXPECT_DOUBLE_EQ(spec.interference[0].slowdown_second, 1.1);
  json["interference"][0]["first"] = "fft";
  EXPECT_EQ(error_of([&] { parse_gpu_spec(json.dump(), "x"); }),
            "interference[0].first: expected \"compute\", \"memory\" or a kernel family of this "
            "file, got 'fft'; it has: elementwise");
}

TEST(GpuSpec, ReadsHowALibraryChooses) {
  nlohmann::json json = small_spec();
  EXPECT_EQ(parse_gpu_spec(json.dump(), "tiny.json").weight("conv", "direct"), 1)
      << "a kind that is not there takes the fastest";
  json["choices"] = nlohmann::json::parse(R"({
      "conv": {"weights": {"direct": 1, "winograd": 1.25}, "regret": 1.1, "error": 0.2,
               "fitted_on": "shapes of a tiny GPU"},
      "product": {"weights": {"sgemm": 0.5}}})");
  const GpuSpec spec = parse_gpu_spec(json.dump(), "tiny.json");
  EXPECT_EQ(spec.weight("conv", "winograd"), 1.25);
  EXPECT_EQ(spec.weight("conv", "fft"), std::nullopt) << "the library does not consider it";
  EXPECT_EQ(spec.weight("batched_product", "sgemm"), 1);
  EXPECT_DOUBLE_EQ(spec.choices.at("conv").regret, 1.1);
  EXPECT_DOUBLE_EQ(spec.choices.at("conv").error, 0.2);
  EXPECT_DOUBLE_EQ(spec.choices.at("product").regret, 1);
}

TEST(GpuSpec, ReadsHowManyBranchesOfAGraphStartSideBySide) {
  nlohmann::json json = small_spec();
  EXPECT_EQ(parse_gpu_spec(json.dump(), "tiny.json").costs.graph_queues, 2);
  json["costs"]["graph_queues"] = 4;
  EXPECT_EQ(parse_gpu_spec(json.dump(), "tiny.json").costs.graph_queues, 4);
}

TEST(GpuSpec, SaysWhatIsWrongWithAChoiceAndWhere) {
  const auto error_with = [](const char* place, const char* value) {
    nlohmann::json json = small_spec();
    json["choices"] = nlohmann::json::parse(R"({"conv": {"weights": {"direct": 1}}})");
    json[nlohmann::json::json_pointer(place)] = nlohmann::json::parse(value);
    return error_of([&] { parse_gpu_spec(json.dump(), "x"); });
  };
  EXPECT_EQ(error_with("/choices/pool", "{}"), "choices: unknown key 'pool'");
  EXPECT_EQ(error_with("/choices/conv/bias", "1"), "choices.conv: unknown key 'bias'");
  EXPECT_EQ(error_with("/choices/conv", "{}"), "choices.conv: the key 'weights' is missing");
  EXPECT_EQ(error_with("/choices/conv/weights", "{}"),
            "choices.conv.weights: expected the weight of at least one way");
  EXPECT_EQ(error_with("/choices/conv/weights/direct", "0"),
            "choices.conv.weights.direct: expected a number from 0.001 to 1000, got 0");
  EXPECT_EQ(error_with("/choices/conv/weights/direct", "1001"),
            "choices.conv.weights.direct: expected a number from 0.001 to 1000, got 1001");
  EXPECT_EQ(error_with("/choices/conv/regret", "0.9"),
            "choices.conv.regret: expected a number from 1 to 10, got 0.9");
  EXPECT_EQ(error_with("/costs/graph_queues", "0"),
            "costs.graph_queues: expected a whole number from 1 to 1024, got 0");
  EXPECT_EQ(error_with("/families/elementwise/efficiency", "1.01"),
            "families.elementwise.efficiency: expected a number from 0.001 to 1, got 1.01");
}

TEST(GpuSpec, AnUnknownFamilyListsTheKnown) {
  const GpuSpec spec = parse_gpu_spec(small_spec().dump(), "tiny.json");
  EXPECT_EQ(error_of([&] { spec.family("fft"); }),
            "the GPU 'tiny' has no kernel family 'fft'; it has: elementwise");
}

TEST(GpuFiles, AllSpecsThatComeWithBraidAreReadable) {
  const std::vector<std::string> expected = {"a100",    "h100", "rtx2080s", "rtx2080ti",
                                             "rtx3090", "t4",   "v100"};
  EXPECT_EQ(gpu_names(), expected);
  for (const std::string& name : gpu_names()) EXPECT_EQ(load_gpu_spec(name).name, name);
}

TEST(GpuFiles, AUsersFileIsFoundByPath) {
  const auto path = std::filesystem::temp_directory_path() / "braid_gpu_spec_test.json";
  std::ofstream(path) << small_spec().dump();
  EXPECT_EQ(load_gpu_spec(path.string()).name, "tiny");
  std::filesystem::remove(path);
}

TEST(GpuFiles, AnUnknownNameListsTheKnown) {
  EXPECT_EQ(error_of([] { load_gpu_spec("k80"); }),
            "there is no simulated GPU 'k80'; there are: a100, h100, rtx2080s, rtx2080ti, rtx3090, "
            "t4, v100; or give a spec file as sim:./my-gpu.json");
}

}  // namespace
}  // namespace braid::sim
