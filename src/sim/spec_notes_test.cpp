#include "sim/spec_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::sim {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<GpuSpec> all_specs() {
  std::vector<GpuSpec> specs;
  for (const std::string& name : gpu_names()) specs.push_back(load_gpu_spec(name));
  return specs;
}

std::vector<std::string> notes_on(const GpuSpec& spec) { return spec_notes(spec, all_specs()); }

TEST(SpecNotes, ThereAreNoneOnTheSpecsThatComeWithBraid) {
  for (const GpuSpec& spec : all_specs()) EXPECT_THAT(notes_on(spec), IsEmpty()) << spec.name;
}

TEST(SpecNotes, FiguresThatStandAloneMayDifferAlone) {
  GpuSpec spec = load_gpu_spec("a100");
  spec.dram_bytes_per_us *= 2;
  spec.l2_bytes *= 2;
  spec.costs.edge_us /= 2;
  EXPECT_THAT(notes_on(spec), IsEmpty());
}

TEST(SpecNotes, PeaksOfAnotherNumberOfSmsAreToldAsTheyCount) {
  GpuSpec spec = load_gpu_spec("a100");
  spec.sms = 216;
  spec.fp32_flops_per_us *= 2;
  spec.tensor_flops_per_us *= 2;
  EXPECT_THAT(notes_on(spec),
              ElementsAre(AllOf(HasSubstr("sms is 216, and fp32_tflops is that of 108 SMs "
                                          "(full_sms): the device has 39 TFLOP/s, 312 in TF32"),
                                HasSubstr("change dram_gb_per_s, l2_gb_per_s and l2_bytes"))));
}

TEST(SpecNotes, AFileWithoutFullSmsThatChangesOnlySmsHasSlowerOnes) {
  GpuSpec spec = load_gpu_spec("a100");
  spec.sms = spec.full_sms = 216;
  EXPECT_THAT(notes_on(spec),
              ElementsAre(AllOf(HasSubstr("sms is 216 where a100 has 108, and fp32_tflops"),
                                HasSubstr("each SM has 0.50 times the arithmetic"),
                                HasSubstr("Add \"full_sms\": 108"))));
}

TEST(SpecNotes, OneClockDrivesBothPeaks) {
  GpuSpec spec = load_gpu_spec("a100");
  spec.fp32_flops_per_us *= 1.1;
  EXPECT_THAT(notes_on(spec),
              ElementsAre(HasSubstr("fp32_tflops differs from that of a100, and tf32_tflops")));
  spec.tensor_flops_per_us *= 1.1;
  EXPECT_THAT(notes_on(spec), IsEmpty());
}

TEST(SpecNotes, LimitsOfAnSmBelongTogether) {
  GpuSpec spec = load_gpu_spec("rtx2080ti");
  spec.sm.shared_bytes *= 2;
  spec.sm.shared_bytes_per_block *= 2;
  EXPECT_THAT(notes_on(spec), ElementsAre(HasSubstr(
                                  "sm.shared_bytes, sm.shared_bytes_per_block differ from "
                                  "rtx2080ti's, and sm.threads, sm.blocks, sm.registers do not")));
}

TEST(SpecNotes, ASpecOfSomeoneElsesKernelsIsNoCopy) {
  GpuSpec spec = load_gpu_spec("a100");
  spec.sms = spec.full_sms = 20;
  for (auto& [name, family] : spec.families) family.efficiency *= 0.9;
  EXPECT_THAT(notes_on(spec), IsEmpty());
}

}  // namespace
}  // namespace braid::sim
