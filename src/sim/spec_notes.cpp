#include "sim/spec_notes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/kernel.h"

namespace braid::sim {
namespace {

/// Less than any change that is meant.
constexpr double kRounding = 1e-9;

bool differ(double a, double b) { return std::abs(a - b) > kRounding * std::max(a, b); }

std::size_t shared_families(const GpuSpec& a, const GpuSpec& b) {
  return static_cast<std::size_t>(
      std::count_if(a.families.begin(), a.families.end(), [&](const auto& row) {
        const auto found = b.families.find(row.first);
        return found != b.families.end() && found->second == row.second;
      }));
}

/// How much speaks for one spec being a copy of the other. Relatives have the same families.
std::size_t likeness(const GpuSpec& a, const GpuSpec& b) {
  constexpr std::size_t more_than_all_figures = 8;
  const std::array<bool, 6> figures = {a.name == b.name,
                                       a.sms == b.sms,
                                       !differ(a.fp32_flops_per_us, b.fp32_flops_per_us),
                                       !differ(a.dram_bytes_per_us, b.dram_bytes_per_us),
                                       !differ(a.l2_bytes_per_us, b.l2_bytes_per_us),
                                       a.l2_bytes == b.l2_bytes};
  return shared_families(a, b) * more_than_all_figures +
         static_cast<std::size_t>(std::count(figures.begin(), figures.end(), true));
}

/// The spec that this one is a copy of; null if it has few of its families from any.
const GpuSpec* original_of(const GpuSpec& spec, std::span<const GpuSpec> known) {
  const auto best = std::max_element(
      known.begin(), known.end(),
      [&](const GpuSpec& a, const GpuSpec& b) { return likeness(spec, a) < likeness(spec, b); });
  if (best == known.end() || 2 * shared_families(spec, *best) <= spec.families.size())
    return nullptr;
  return &*best;
}

std::string scaled_peaks(const GpuSpec& spec) {
  std::string text = fmt::format(
      "sms is {}, and fp32_tflops is that of {} SMs (full_sms): the device has {:.4g} TFLOP/s",
      spec.sms, spec.full_sms, spec.fp32_flops_per_us / 1e6);
  if (spec.tensor_flops_per_us > 0)
    text += fmt::format(", {:.4g} in TF32", spec.tensor_flops_per_us / 1e6);
  return text +
         ". Memory and L2 are as the file says: change dram_gb_per_s, l2_gb_per_s and l2_bytes, "
         "too, if they are to grow or shrink with the SMs";
}

std::string slower_or_faster_sms(const GpuSpec& spec, const GpuSpec& original) {
  const double share = sm_flops_per_us(spec, Pipe::Fp32) / sm_flops_per_us(original, Pipe::Fp32);
  return fmt::format(
      "sms is {} where {} has {}, and fp32_tflops, the peak of all SMs together, is the same: each "
      "SM has {:.2f} times the arithmetic. Add \"full_sms\": {} if each is to be as fast as one of "
      "{}",
      spec.sms, original.name, original.sms, share, original.sms, original.name);
}

std::string one_clock(const GpuSpec& original, bool fp32) {
  return fmt::format(
      "{} differs from that of {}, and {} does not: one clock drives both, so both change with it",
      fp32 ? "fp32_tflops" : "tf32_tflops", original.name, fp32 ? "tf32_tflops" : "fp32_tflops");
}

/// Something about an SM's limits if some differ and others do not, else nothing.
std::string room_of_sms(const GpuSpec& spec, const GpuSpec& original) {
  struct Limit {
    const char* name;
    bool differs;
  };
  const SmLimits& a = spec.sm;
  const SmLimits& b = original.sm;
  const std::array<Limit, 5> limits = {
      {{"sm.threads", a.threads != b.threads},
       {"sm.blocks", a.blocks != b.blocks},
       {"sm.registers", a.registers != b.registers},
       {"sm.shared_bytes", a.shared_bytes != b.shared_bytes},
       {"sm.shared_bytes_per_block", a.shared_bytes_per_block != b.shared_bytes_per_block}}};
  std::vector<std::string> changed;
  std::vector<std::string> same;
  for (const Limit& limit : limits) (limit.differs ? changed : same).emplace_back(limit.name);
  if (changed.empty() || same.empty()) return {};
  return fmt::format(
      "of the limits of an SM, {} differ{} from {}'s, and {} do{} not: the scarcest decides how "
      "many blocks an SM holds. Room for more of them at once may leave the last wave emptier, "
      "and a kernel then takes some percent longer",
      fmt::join(changed, ", "), changed.size() == 1 ? "s" : "", original.name,
      fmt::join(same, ", "), same.size() == 1 ? "es" : "");
}

}  // namespace

std::vector<std::string> spec_notes(const GpuSpec& spec, std::span<const GpuSpec> known) {
  std::vector<std::string> notes;
  const bool scaled = spec.sms != spec.full_sms;
  if (scaled) notes.push_back(scaled_peaks(spec));
  const GpuSpec* original = original_of(spec, known);
  if (original == nullptr) return notes;
  const auto sm_differs = [&](Pipe pipe) {
    return differ(sm_flops_per_us(spec, pipe), sm_flops_per_us(*original, pipe));
  };
  const bool fp32 = sm_differs(Pipe::Fp32);
  if (!scaled && spec.sms != original->sms &&
      !differ(spec.fp32_flops_per_us, original->fp32_flops_per_us))
    notes.push_back(slower_or_faster_sms(spec, *original));
  else if (spec.tensor_flops_per_us > 0 && original->tensor_flops_per_us > 0 &&
           fp32 != sm_differs(Pipe::Tensor))
    notes.push_back(one_clock(*original, fp32));
  if (std::string room = room_of_sms(spec, *original); !room.empty())
    notes.push_back(std::move(room));
  return notes;
}

}  // namespace braid::sim
