#include "measure/profile.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/function_ref.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "cost/cost_table_json.h"
#include "cost/profile_cache.h"
#include "cost/roofline.h"
#include "cost/signature.h"
#include "device/kernel_identity.h"
#include "measure/borrowed_ratios.h"
#include "measure/calibrate.h"
#include "measure/turns_of_nodes.h"
#include "measure/wanted.h"

namespace braid {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

/// What the table falls back on, as long as the device lives.
std::shared_ptr<const CostModel> model_of(const Device& device,
                                          const std::optional<DeviceSpec>& spec) {
  if (spec) return std::make_shared<RooflineCostModel>(*spec);
  return {std::shared_ptr<void>(), &device.modelled_costs()};
}

class Profiler {
 public:
  Profiler(const Graph& lowered, const Device& device, const ProfileOptions& options,
           ProfileCache* cache)
      : lowered_(&lowered),
        device_(device),
        options_(options),
        cache_(cache),
        spec_(calibrated_spec(device, cache, options)),
        model_(model_of(device, spec_)),
        profile_{CostTable(model_), spec_.value_or(device.spec())} {
    measure_options_.between_bytes = bytes_between_uses(lowered);
    profile_.conditions = fmt::format("{}; {} MiB between uses", device.fingerprint(),
                                      measure_options_.between_bytes / kMebibyte);
  }

  Profile run() {
    settle_cuts();
    look_up(wanted_signatures(*lowered_, *model_, streams()));
    if (streams() > 1) compare_cuts();
    profile_.knows_figures = spec_.has_value();
    share_ratios();
    return std::move(profile_);
  }

 private:
  int streams() const { return device_.spec().streams; }

  /// Leaves to other models how far this one's operators are from the model, and borrows the same
  /// of theirs for what was not measured. Ratios to a model with other figures say nothing.
  void share_ratios() {
    if (cache_ == nullptr || !spec_) return;
    std::map<std::string, std::string> about;
    std::set<std::string> own;
    for (const Wanted& wanted : wanted_signatures(*lowered_, *model_, 1)) {
      const Node& node = lowered_->node(wanted.node);
      const std::string key = key_of(wanted);
      own.insert(key);
      if (profile_.costs.find(wanted.signature) != nullptr)
        about[key] = to_text({node.op, node.lowering.implementation, wanted.modelled_us});
    }
    if (options_.measure && options_.costs.empty() && !about.empty())
      cache_->keep_about(profile_.conditions, about);
    if (about.size() < own.size()) profile_.costs.borrow(borrowed_ratios(*cache_, device_, own));
  }

  void look_up(std::vector<Wanted> wanted) {
    wanted_ = std::move(wanted);
    profile_.signatures += wanted_.size();
    take_from_table();
    if (!options_.remeasure) take_from_cache();
    if (options_.measure) measure_missing();
  }

  /// Looks up the parts of nodes by every cut, one after the other of each node's, and notes which
  /// nodes have a faster one than the first.
  void compare_cuts() {
    const Graph settled = *lowered_;
    TimesOfCuts times(streams());
    times.note(*lowered_, profile_.costs, TimesOfCuts::OrderOf::Kernels);
    for (std::size_t place = 1; place < most_cuts(settled); ++place) {
      reduced_ = with_cut_first(settled, place);
      lowered_ = &*reduced_;
      settle_cuts();
      std::vector<Wanted> parts = wanted_parts();
      std::erase_if(parts, [&](const Wanted& wanted) {
        return wanted.parts != streams() || profile_.costs.find(wanted.signature) != nullptr;
      });
      look_up(std::move(parts));
      times.note(*lowered_, profile_.costs, TimesOfCuts::OrderOf::Trials);
    }
    profile_.faster = times.faster();
  }

  /// What is wanted of cut nodes.
  std::vector<Wanted> wanted_parts() const {
    std::vector<Wanted> parts = wanted_signatures(*lowered_, *model_, streams());
    std::erase_if(parts, [](const Wanted& wanted) { return wanted.parts == 1; });
    return parts;
  }

  /// A node whose cut is refused may have another, which is looked at next.
  void settle_cuts() {
    for (;;) {
      const std::vector<RefusedCut> refused = cuts_to_refuse();
      if (refused.empty()) return;
      reduced_ = without_cuts(*lowered_, refused);
      lowered_ = &*reduced_;
      profile_.refused.insert(profile_.refused.end(), refused.begin(), refused.end());
    }
  }

  std::vector<RefusedCut> cuts_to_refuse() {
    const std::vector<Wanted> parts = wanted_parts();
    recall_exactness(parts);
    if (options_.measure) try_cuts(parts);
    std::vector<RefusedCut> refused;
    for (const Wanted& wanted : parts) {
      const auto known = exactness_.find(wanted.signature);
      if (known == exactness_.end() || known->second) continue;
      refused.push_back({signature(*lowered_, wanted.node), wanted.signature,
                         *cut_into(*lowered_, wanted.node, wanted.parts)});
      if (options_.warn)
        options_.warn(
            fmt::format("not cut so any more, since the parts give other bits than the "
                        "whole on this machine: {}",
                        wanted.signature));
    }
    return refused;
  }

  /// Under what the cache keeps what is known of an operator.
  std::string key_of(const Wanted& wanted) const {
    return with_identity(
        wanted.signature,
        device_.kernel_identity(lowered_->node(wanted.node).lowering.implementation));
  }
  std::vector<std::string> keys_of(const std::vector<Wanted>& all) const {
    std::vector<std::string> keys;
    for (const Wanted& wanted : all) keys.push_back(key_of(wanted));
    return keys;
  }

  void recall_exactness(const std::vector<Wanted>& parts) {
    if (cache_ == nullptr || options_.remeasure) return;
    const auto found = cache_->find_exactness(device_.fingerprint(), keys_of(parts));
    for (const Wanted& wanted : parts)
      if (const auto at = found.find(key_of(wanted)); at != found.end())
        exactness_.emplace(wanted.signature, at->second);
  }

  void try_cuts(const std::vector<Wanted>& parts) {
    ExactnessBySignature found;  // by key
    const auto keep_found = [&] {
      if (cache_ != nullptr && !found.empty()) cache_->keep_exactness(device_.fingerprint(), found);
    };
    try {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (exactness_.contains(parts[i].signature)) continue;
        report(options_.progress, "trying cuts", std::ssize(found), std::ssize(parts));
        try_cut(parts[i], found);
      }
    } catch (...) {
      keep_found();
      throw;
    }
    keep_found();
  }

  /// What cannot be tried cannot be measured either, and says why then.
  void try_cut(const Wanted& wanted, ExactnessBySignature& found) {
    try {
      const bool exact = parts_give_the_whole(*lowered_, wanted.node, wanted.parts, device_);
      exactness_.emplace(wanted.signature, exact);
      found.emplace(key_of(wanted), exact);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::Cancelled) throw;
    }
  }

  void take_from_cache() {
    if (cache_ == nullptr) return;
    const SamplesBySignature found = cache_->find(profile_.conditions, keys_of(wanted_));
    take([&](const Wanted& wanted) {
      const auto at = found.find(key_of(wanted));
      if (at != found.end()) add(wanted, at->second);
      return at != found.end();
    });
  }

  void take_from_table() {
    const std::optional<CostTable> table = load_costs(options_, model_);
    if (!table) return;
    take([&](const Wanted& wanted) {
      const Measurement* found = table->find(wanted.signature);
      if (found != nullptr) profile_.costs.add(wanted.signature, *found);
      return found != nullptr;
    });
  }

  /// Leaves in `wanted_` what `known` does not know.
  void take(const FunctionRef<bool(const Wanted&)>& known) {
    std::vector<Wanted> missing;
    for (Wanted& wanted : wanted_) {
      if (known(wanted))
        ++profile_.from_cache;
      else
        missing.push_back(std::move(wanted));
    }
    wanted_ = std::move(missing);
  }

  void add(const Wanted& wanted, const Samples& samples) {
    const std::string& op = lowered_->node(wanted.node).op;
    profile_.costs.add(wanted.signature, measurement_of(samples, op, wanted.modelled_us));
  }

  void measure_missing() {
    measure_in_turns(
        device_, *lowered_, wanted_, measure_options_, options_.progress,
        [&](std::span<const Wanted> group, std::span<Probe> probes) { keep(group, probes); });
  }

  void keep(std::span<const Wanted> group, std::span<Probe> probes) {
    SamplesBySignature samples;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Wanted& wanted = group[i];
      Probe& probe = probes[i];
      if (!probe.failure.empty())
        profile_.failures.push_back(wanted.signature + ": " + probe.failure);
      if (!is_measured(probe, measure_options_)) continue;
      const auto at = samples.emplace(
          key_of(wanted), Samples{std::move(probe.alone_us), std::move(probe.beside_us)});
      add(wanted, at.first->second);
      ++profile_.measured;
    }
    if (cache_ != nullptr && !samples.empty()) cache_->keep(profile_.conditions, samples);
  }

  const Graph* lowered_;  // as it was given, or `reduced_`
  std::optional<Graph> reduced_;
  const Device& device_;
  const ProfileOptions& options_;
  ProfileCache* cache_;
  std::optional<DeviceSpec> spec_;
  std::shared_ptr<const CostModel> model_;
  Profile profile_;
  ExactnessBySignature exactness_;  // of cuts, as far as it is known
  std::vector<Wanted> wanted_;
  MeasureOptions measure_options_;
};

/// What there is to know of a device that has no meter.
Profile modelled_profile(const Graph& lowered, const Device& device,
                         const ProfileOptions& options) {
  const std::string& name = device.spec().name;
  if (!options.costs.empty())
    raise(
        ErrorKind::Usage,
        fmt::format("the costs in {} cannot be taken for {}, whose times come from its own model; "
                    "leave out --load-costs",
                    quote(options.costs), name));
  Profile profile{CostTable(model_of(device, {})), device.spec(), device.fingerprint()};
  profile.signatures =
      wanted_signatures(lowered, device.modelled_costs(), device.spec().streams).size();
  return profile;
}

}  // namespace

std::optional<CostTable> load_costs(const ProfileOptions& options,
                                    std::shared_ptr<const CostModel> otherwise) {
  if (options.costs.empty()) return std::nullopt;
  const auto file = MappedFile::open(options.costs);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  const auto where = [&] { return "in the cost table " + quote(options.costs); };
  return with_note(where, [&] { return cost_table_from_json(text, std::move(otherwise)); });
}

std::optional<ProfileCache> open_profile_cache(const ProfileOptions& options) {
  const std::filesystem::path file =
      options.cache.empty() ? default_profile_cache() : std::filesystem::path(options.cache);
  if (!options.use_cache || file.empty()) return std::nullopt;
  const auto access = options.measure ? ProfileCache::Access::Write : ProfileCache::Access::Read;
  return std::optional<ProfileCache>(std::in_place, file, access, options.warn);
}

Graph with_settled_cuts(Graph lowered, const Profile& profile) {
  return with_faster_cuts(without_cuts(std::move(lowered), profile.refused), profile.faster);
}

Profile profile(const Graph& lowered, const Device& device, const ProfileOptions& options) {
  if (device.meter() == nullptr) return modelled_profile(lowered, device, options);
  std::optional<ProfileCache> cache = open_profile_cache(options);
  return Profiler(lowered, device, options, cache ? &*cache : nullptr).run();
}

}  // namespace braid
