#include "explain/advice.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "explain/reference_share.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

constexpr double kLittle = 0.2;                 // of the predicted time: a bound leaves no more
constexpr double kWorthNaming = 0.15;           // of the predicted time
constexpr double kReferenceWorthNaming = 0.01;  // of all work

class Adviser {
 public:
  Adviser(const Subject& subject, const Explanation& found) : subject_(subject), found_(found) {}

  std::vector<std::string> run() {
    if (found_.predicted_us - found_.start_us <= 0) return {"There is nothing to run."};
    const Bounds& bounds = found_.bounds;
    if (decides(bounds.critical_path_us) && bounds.critical_path_us == bounds.time_us()) on_path();
    if (decides(bounds.bandwidth_us) && bounds.bandwidth_us >= bounds.work_us) on_bandwidth();
    if (decides(bounds.work_us) && bounds.work_us > bounds.bandwidth_us) on_work();
    if (!decides(bounds.time_us())) on_gap();
    on_reference();
    on_start();
    on_small();
    on_edits();
    return advice_;
  }

 private:
  double percent(double us) const { return 100 * us / found_.predicted_us; }
  bool is_worth_naming(double us) const { return us >= kWorthNaming * found_.predicted_us; }
  /// Whether a lower bound leaves little of the time from the first step on.
  bool decides(double bound_us) const {
    return found_.predicted_us - found_.start_us - bound_us <= kLittle * found_.predicted_us;
  }
  /// "12.3 us (1 %)".
  std::string headroom() const {
    return fmt::format("{:.1f} us ({:.0f} %)", found_.headroom_us, percent(found_.headroom_us));
  }
  bool has_searched() const {
    const std::string_view asked =
        subject_.asked.empty() ? subject_.plan.scheduler : subject_.asked;
    return std::ranges::any_of(schedulers(), [&](const Scheduler& scheduler) {
      return scheduler.tries_others && scheduler.name == asked;
    });
  }
  bool on_gpu() const { return subject_.gpu != nullptr; }
  template <class... Arguments>
  void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    advice_.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  void on_path() {
    say("The critical path, operators of which each needs the one before, takes {:.0f} % of the "
        "predicted time: other Plans, on however many streams, save at most {}. Only shorter "
        "operators on that path save more.",
        percent(found_.bounds.critical_path_us), headroom());
    const auto longest =
        std::max_element(found_.bounds.critical_path.begin(), found_.bounds.critical_path.end(),
                         [](const PathRow& a, const PathRow& b) { return a.time_us < b.time_us; });
    if (longest == found_.bounds.critical_path.end()) return;
    const double part = longest->time_us / found_.bounds.critical_path_us;
    const bool cuttable = !subject_.graph.node(longest->node).lowering.cuts.empty();
    if (part < kWorthNaming)
      say("It has {} operators and none stands out: fewer of them, by fusing neighbours or by a "
          "shallower network, is what would help.",
          found_.bounds.critical_path.size());
    else
      say("{} is {:.0f} % of the path{}.", describe(subject_.graph, longest->node), 100 * part,
          on_gpu() || cuttable ? ": a faster kernel or a smaller operator in its place helps most"
                               : ", and cannot be cut over several cores: start there");
  }

  void on_reference() {
    const ReferenceShare reference = reference_share(subject_.graph, subject_.costs);
    if (reference.share < kReferenceWorthNaming || reference.empty()) return;
    say("{:.0f} % of all work is done by the reference, for want of a fast kernel on this device: "
        "{}. Another spelling of these operators helps, or a kernel (docs/adding-an-operator.md).",
        100 * reference.share, reference.counts());
  }

  void on_bandwidth() {
    say("The memory is busy for {:.0f} % of the predicted time: other Plans and a faster processor "
        "save at most {}. Fewer bytes help: fused operators, a smaller type, a smaller batch that "
        "stays in cache.",
        percent(found_.bounds.bandwidth_us), headroom());
  }

  void on_work() {
    say("The {} for {:.0f} % of the predicted time: other Plans save at most {}. Less work helps, "
        "or {}.",
        on_gpu() ? "GPU's arithmetic is busy" : "cores are busy", percent(found_.bounds.work_us),
        headroom(),
        on_gpu()              ? "a larger GPU"
        : subject_.more_cores ? "more of this machine's cores (--threads)"
                              : "a machine with more cores");
  }

  void on_gap() {
    say("No lower bound is near the predicted time: a better Plan might save up to {}.",
        headroom());
    if (has_searched() && !subject_.asked.empty())
      say("--plan-seconds lets the search for one go on for longer.");
    if (!has_searched())
      for (const Scheduler& other : schedulers())
        if (other.tries_others) say("--scheduler {} searches for one.", other.name);
    if (subject_.plan.streams.size() < static_cast<std::size_t>(subject_.device.streams) &&
        !on_gpu())
      say("The Plan uses {} of {} streams.", subject_.plan.streams.size(), subject_.device.streams);
    on_waits();
  }

  void on_waits() {
    const double waits_us = static_cast<double>(found_.waits) * subject_.device.wait_us;
    if (is_worth_naming(waits_us))
      say("There are {} waits between streams of {:.1f} us each: larger operators or fewer streams "
          "need fewer.",
          found_.waits, subject_.device.wait_us);
  }

  void on_start() {
    if (!is_worth_naming(found_.start_us)) return;
    say("{:.1f} us pass until the first operator begins, which no Plan can change: larger inputs "
        "or "
        "a larger batch make it matter less.",
        found_.start_us);
  }

  void on_small() {
    if (found_.small * 3 < found_.operators || !is_worth_naming(found_.small_us)) return;
    say("{} of {} operators take hardly longer than it takes to start one: fusing them, or a "
        "larger "
        "batch, helps.",
        found_.small, found_.operators);
  }

  void on_edits() {
    std::size_t edited = 0;
    for (const Pair& pair : found_.pairs)
      edited += pair.reason == Reason::Edit && pair.gain_us > subject_.device.wait_us ? 1 : 0;
    if (edited > 0)
      say("Edits keep {} of the pairs apart that might run side by side: try without those lines.",
          edited);
  }

  const Subject& subject_;
  const Explanation& found_;
  std::vector<std::string> advice_;
};

}  // namespace

std::vector<std::string> advice_on(const Subject& subject, const Explanation& found) {
  return Adviser(subject, found).run();
}

}  // namespace braid
