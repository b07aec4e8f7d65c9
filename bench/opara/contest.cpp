#include "contest.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "choose/choose.h"
#include "measure/profile.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"

namespace braid::opara_table {
namespace {

/// Planning is repeated for about so long, so that the least time means something.
constexpr double kEnoughMs = 500;
constexpr int kMostRounds = 5;

double processor_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Braid's own scheduler chooses between Plans by models that its search has not seen; the others
/// are taken at their word.
Plan plan_by(const std::string& scheduler, const bench::Captured& captured,
             const Profile& profile) {
  if (!scheduler_named(scheduler).tries_others)
    return schedule(scheduler, captured.lowered, profile.costs, captured.device->spec(), {});
  PlanOptions options;
  options.scheduler = scheduler;
  options.thorough = true;
  const ChoiceSubject subject{captured.lowered, profile, {}, *captured.device};
  return choose(subject, options, {}, {}).plan;
}

Entry entry_of(const Contender& contender, const bench::Captured& captured,
               const Profile& profile) {
  Entry entry;
  entry.contender = contender;
  Plan plan;
  double all_ms = 0;
  for (int round = 0; round < kMostRounds && (round == 0 || all_ms < kEnoughMs); ++round) {
    const double start = processor_ms();
    plan = plan_by(contender.scheduler, captured, profile);
    const double taken = processor_ms() - start;
    all_ms += taken;
    entry.planning_ms = round == 0 ? taken : std::min(entry.planning_ms, taken);
  }
  verify(captured.lowered, plan);
  entry.time = *captured.device->compile(captured.lowered, plan)->simulate();
  entry.arena_bytes = plan.arena_bytes;
  entry.streams = plan.streams.size();
  for (const auto& stream : plan.streams)
    for (const Step& step : stream) entry.waits += step.waits.size();
  return entry;
}

struct Place {
  std::string gpu;
  std::string setup;
};

/// "sim:a100+tf32" is the GPU a100 and PyTorch's set-up with tensor cores.
Place place_of(const Network& network, const std::string& device) {
  if (device.empty()) return {network.gpu, network.setup};
  constexpr std::string_view prefix = "sim:";
  if (!device.starts_with(prefix))
    raise(ErrorKind::Usage,
          fmt::format("{} is not simulated: name a device such as sim:a100+tf32", quote(device)));
  const std::string what = device.substr(prefix.size());
  const std::size_t plus = what.find('+');
  return {what.substr(0, plus),
          "eager" + (plus == std::string::npos ? std::string() : what.substr(plus))};
}

}  // namespace

const std::vector<Network>& networks() {
  static const std::vector<Network> table = {
      {"googlenet", "googlenet", "GoogLeNet", "rtx2080s", "eager"},
      {"inception-v3@224", "inception-v3", "Inception-v3", "rtx2080s", "eager"},
      {"deepfm", "deepfm", "DeepFM", "rtx2080s", "eager"},
      {"nasnet-a-large", "nasnet-a-large", "NASNet-A large", "a100", "eager+tf32"},
      {"t5-small-encoder", "t5", "T5 encoder", "a100", "eager+tf32"},
      {"bert-base", "bert", "BERT", "a100", "eager+tf32"},
  };
  return table;
}

const std::vector<Contender>& contenders() {
  static const std::vector<Contender> table = {
      {"sequential", "sequential graph"},
      {"wavefront", "Rammer's wavefront"},
      {"nimble", "Nimble"},
      {"opara:published", "Opara"},
      {"opara:streams-only", "Opara, streams only"},
      {"opara:order-only", "Opara, order only"},
      {"braid", "braid"},
  };
  return table;
}

Contest contest(const Network& network, std::int64_t batch, const std::string& device) {
  const Place place = place_of(network, device);
  const bench::Captured captured = bench::capture(place.gpu, place.setup, network.name, batch);
  const Profile known = profile(captured.lowered, *captured.device, {.use_cache = false});
  Contest result;
  result.network = network;
  result.batch = batch;
  result.device = captured.device->spec().name;
  result.nodes = captured.lowered.node_count();
  for (ValueId value : captured.lowered.value_ids())
    if (captured.lowered.is_constant(value))
      result.weight_bytes += byte_size(captured.lowered.value(value).type);
  for (const Contender& contender : contenders())
    result.entries.push_back(entry_of(contender, captured, known));
  return result;
}

}  // namespace braid::opara_table
