#include "explain/pairs.h"

#include <algorithm>
#include <deque>
#include <tuple>

#include <fmt/format.h>

#include "explain/gpu_room.h"
#include "explain/headroom.h"
#include "explain/plan_order.h"

namespace braid {
namespace {

constexpr double kHardly = 0.05;  // of an operator's time: not worth telling
constexpr double kBusy = 0.75;    // of the other streams' time: they had work

double length_us(const Timeline::Span& span) { return span.end_us - span.begin_us; }

double common_us(const Timeline::Span& a, const Timeline::Span& b) {
  return std::max(0.0, std::min(a.end_us, b.end_us) - std::max(a.begin_us, b.begin_us));
}

}  // namespace

std::string_view name(Reason reason) {
  constexpr std::array<std::string_view, kReasons> names = {
      "overlap",   "dependency", "edit",         "memory",   "barrier",   "timing",
      "bandwidth", "compute",    "blocks",       "threads",  "registers", "shared-memory",
      "bound",     "sync",       "streams-busy", "scheduler"};
  return names[static_cast<std::size_t>(reason)];
}

class Pairs::Search {
 public:
  explicit Search(const Subject& subject)
      : subject_(subject), order_(subject), headroom_us_(headroom_us(subject)) {}

  /// If they are known to be `independent`, no path is looked for.
  Pair explain(NodeId a, NodeId b, bool independent = false) const {
    Pair pair = explain_alone(a, b, independent);
    pair.gain_us = std::min(pair.gain_us, headroom_us_);
    return pair;
  }

  /// What side by side would save of these two, were there no others.
  double gain_us(NodeId a, NodeId b) const {
    return std::min(time_us(a), time_us(b)) * (2 - slowness(a, b));
  }

  /// Whether the two might save more than it costs to wait for one another.
  bool is_worth_naming(const Pair& pair) const { return pair.gain_us > subject_.device.wait_us; }

  /// Whether each node, by its id, comes after this one.
  std::vector<bool> descendants(NodeId from) const {
    std::vector<bool> reached(subject_.graph.node_limit(), false);
    std::vector<NodeId> open = {from};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      for (ValueId output : subject_.graph.node(id).outputs) {
        if (!output.valid()) continue;
        for (NodeId reader : subject_.graph.value(output).consumers) {
          if (reached[reader.at()]) continue;
          reached[reader.at()] = true;
          open.push_back(reader);
        }
      }
    }
    return reached;
  }

  /// The nodes by the time that they take in the Plan, longest first.
  std::vector<NodeId> costliest(std::size_t most) const {
    std::vector<std::pair<double, NodeId>> found;
    for (NodeId id : subject_.graph.node_ids())
      if (!is_view(subject_.graph.node(id))) found.emplace_back(-time_us(id), id);
    std::sort(found.begin(), found.end());
    if (found.size() > most) found.resize(most);
    std::vector<NodeId> nodes;
    for (const auto& [time, id] : found) nodes.push_back(id);
    return nodes;
  }

 private:
  Pair explain_alone(NodeId a, NodeId b, bool independent) const {
    if (begin_of(b) < begin_of(a)) std::swap(a, b);
    Pair pair{.a = a, .b = b, .text = {}};
    pair.overlap_us = overlap_us(a, b);
    pair.gain_us = gain_us(a, b);
    if (pair.overlap_us > 0) {
      pair.gain_us = 0;
      return done(pair, Reason::Overlap,
                  fmt::format("run side by side for {:.1f} us", pair.overlap_us));
    }
    if (!independent) {
      pair.path = path(a, b);
      if (pair.path.empty()) pair.path = path(b, a);
      if (!pair.path.empty()) return by_dependency(pair);
    }
    pair.gain_us = std::max(0.0, pair.gain_us);
    if (by_edit(pair) || by_order(pair) || by_timing(pair) || by_device(pair)) return pair;
    if (headroom_us_ <= subject_.device.wait_us)
      return done(pair, Reason::Bound,
                  fmt::format("the Plan is as fast as its greatest lower bound allows: no other "
                              "saves more than {:.1f} us",
                              headroom_us_));
    if (pair.gain_us <= subject_.device.wait_us)
      return done(pair, Reason::Sync,
                  fmt::format("a synchronisation costs {:.1f} us, side by side they would save at "
                              "most {:.1f} us",
                              subject_.device.wait_us, pair.gain_us));
    if (by_load(pair) || by_streams(pair)) return pair;
    return done(pair, Reason::Scheduler,
                fmt::format("nothing keeps them apart but the choice of the scheduler {}; side by "
                            "side they might save {:.1f} us",
                            subject_.plan.scheduler, std::min(pair.gain_us, headroom_us_)));
  }

  static Pair done(Pair& pair, Reason reason, std::string text) {
    pair.reason = reason;
    pair.text = std::move(text);
    return pair;
  }

  std::string called(NodeId id) const { return describe(subject_.graph, id); }

  double begin_of(NodeId id) const {
    double begin = subject_.timeline.end_us;
    for (StepRef ref : order_.steps(id))
      begin = std::min(begin, subject_.timeline.at(ref).begin_us);
    return begin;
  }
  double end_of(NodeId id) const {
    double end = 0;
    for (StepRef ref : order_.steps(id)) end = std::max(end, subject_.timeline.at(ref).end_us);
    return end;
  }
  double time_us(NodeId id) const {
    double longest = 0;
    for (StepRef ref : order_.steps(id))
      longest = std::max(longest, length_us(subject_.timeline.at(ref)));
    return longest;
  }

  double overlap_us(NodeId a, NodeId b) const {
    double most = 0;
    for (StepRef x : order_.steps(a))
      for (StepRef y : order_.steps(b))
        most = std::max(most, common_us(subject_.timeline.at(x), subject_.timeline.at(y)));
    return most;
  }

  Cost cost(NodeId id) const { return subject_.costs.cost(subject_.graph, id); }

  /// How much slower both are side by side, by what they want too much.
  double slowness(NodeId a, NodeId b) const {
    const Cost x = cost(a);
    const Cost y = cost(b);
    return std::max(
        {1.0, x.bandwidth_share + y.bandwidth_share, x.compute_share + y.compute_share});
  }

  /// A shortest row of nodes from one to the other, of which each needs the one before.
  std::vector<NodeId> path(NodeId from, NodeId to) const {
    std::vector<NodeId> before(subject_.graph.node_limit());
    std::deque<NodeId> open = {from};
    before[from.at()] = from;
    while (!open.empty() && !before[to.at()].valid()) {
      const NodeId id = open.front();
      open.pop_front();
      for (ValueId output : subject_.graph.node(id).outputs) {
        if (!output.valid()) continue;
        for (NodeId reader : subject_.graph.value(output).consumers)
          if (!before[reader.at()].valid()) {
            before[reader.at()] = id;
            open.push_back(reader);
          }
      }
    }
    if (!before[to.at()].valid()) return {};
    std::vector<NodeId> row = {to};
    while (row.back() != from) row.push_back(before[row.back().at()]);
    std::reverse(row.begin(), row.end());
    return row;
  }

  Pair by_dependency(Pair& pair) const {
    const NodeId first = pair.path.front();
    const NodeId last = pair.path.back();
    std::string text = fmt::format("{} needs what {} makes", called(last), called(first));
    if (pair.path.size() > 2)
      text = fmt::format("{} needs {}, by way of {} operators between them", called(last),
                         called(first), pair.path.size() - 2);
    pair.gain_us = 0;
    return done(pair, Reason::Dependency, text);
  }

  bool by_edit(Pair& pair) const {
    const Constraint* pin_a = nullptr;
    const Constraint* pin_b = nullptr;
    for (const Constraint& c : subject_.constraints) {
      const auto has = [](const std::vector<NodeId>& nodes, NodeId node) {
        return std::binary_search(nodes.begin(), nodes.end(), node);
      };
      if (c.kind == EditKind::Pin) {
        if (has(c.a, pair.a)) pin_a = &c;
        if (has(c.a, pair.b)) pin_b = &c;
      } else if ((has(c.a, pair.a) && has(c.b, pair.b)) || (has(c.a, pair.b) && has(c.b, pair.a))) {
        done(pair, Reason::Edit, fmt::format("line {} of the edits says so", c.line));
        return true;
      }
    }
    if (pin_a == nullptr || pin_b == nullptr || pin_a->stream != pin_b->stream) return false;
    done(pair, Reason::Edit,
         fmt::format("lines {} and {} of the edits pin both to stream {}", pin_a->line, pin_b->line,
                     pin_a->stream));
    return true;
  }

  bool by_order(Pair& pair) const {
    const auto links = order_.links(pair.a, pair.b);
    if (!links) return false;
    const auto has = [&](Link link) {
      return std::find(links->begin(), links->end(), link) != links->end();
    };
    if (has(Link::Edit))
      done(pair, Reason::Edit, "an edit orders them, by way of others");
    else if (has(Link::Memory))
      done(pair, Reason::Memory,
           "to save memory one waits until bytes that the other, or one after it, used are free");
    else if (has(Link::Barrier))
      done(pair, Reason::Barrier,
           fmt::format("the scheduler {} works in stages, and they are in different ones",
                       subject_.plan.scheduler));
    else
      return false;
    return true;
  }

  /// When the inputs of a node are there.
  double ready_us(NodeId id) const {
    double ready = 0;
    std::vector<NodeId> open = {id};
    for (std::size_t i = 0; i < open.size(); ++i)
      for (ValueId input : subject_.graph.node(open[i]).inputs) {
        const NodeId producer = input.valid() ? subject_.graph.value(input).producer : NodeId();
        if (!producer.valid()) continue;
        if (!is_view(subject_.graph.node(producer)))
          ready = std::max(ready, end_of(producer));
        else if (std::find(open.begin(), open.end(), producer) == open.end())
          open.push_back(producer);
      }
    return ready;
  }

  bool by_timing(Pair& pair) const {
    const double ready = ready_us(pair.b);
    const double shorter = std::min(time_us(pair.a), time_us(pair.b));
    if (ready < end_of(pair.a) - kHardly * shorter) return false;
    pair.gain_us = 0;
    done(pair, Reason::Timing,
         fmt::format("{} has ended at {:.1f} us, the inputs of {} are there from {:.1f} us on",
                     called(pair.a), end_of(pair.a), called(pair.b), ready));
    return true;
  }

  bool by_device(Pair& pair) const {
    const Cost a = cost(pair.a);
    const Cost b = cost(pair.b);
    const double bandwidth = a.bandwidth_share + b.bandwidth_share;
    const double compute = a.compute_share + b.compute_share;
    const bool full =
        slowness(pair.a, pair.b) > 1 && pair.gain_us <= 0.1 * std::min(a.time_us, b.time_us);
    if (!full) return false;
    if (bandwidth >= compute) {
      done(pair, Reason::Bandwidth,
           fmt::format("the memory is full: they want {:.0f} % and {:.0f} % of its bandwidth",
                       100 * a.bandwidth_share, 100 * b.bandwidth_share));
      return true;
    }
    const bool first = a.compute_share >= b.compute_share;
    if (subject_.gpu == nullptr || (first ? a : b).launch.blocks <= 0) {
      done(pair, Reason::Compute,
           fmt::format("the device is full: they want {:.0f} % and {:.0f} % of its arithmetic",
                       100 * a.compute_share, 100 * b.compute_share));
      return true;
    }
    by_room(pair, first ? pair.a : pair.b, (first ? a : b).launch, compute);
    return true;
  }

  void by_room(Pair& pair, NodeId larger, const Footprint& launch, double filled) const {
    constexpr std::array reasons = {Reason::Blocks, Reason::Threads, Reason::Registers,
                                    Reason::SharedMemory};
    const Filling filling = filling_of(*subject_.gpu, launch);
    done(pair, reasons[static_cast<std::size_t>(filling.limit)],
         fmt::format("the GPU is {:.0f} % full, mostly of {}: {} blocks, of which {} SMs hold {} "
                     "each, limited by {}",
                     100 * std::min(1.0, filled), called(larger), launch.blocks, subject_.gpu->sms,
                     filling.blocks_per_sm, name(filling.limit)));
  }

  /// Calls f(step, share of the window in which it ran).
  template <class F>
  void for_each_running(const Timeline::Span& window, const F& f) const {
    for (std::size_t s = 0; s < subject_.timeline.streams.size(); ++s) {
      const auto& stream = subject_.timeline.streams[s];
      auto span = std::partition_point(
          stream.begin(), stream.end(),
          [&](const Timeline::Span& row) { return row.end_us <= window.begin_us; });
      for (; span != stream.end() && span->begin_us < window.end_us; ++span)
        f(subject_.plan.streams[s][static_cast<std::size_t>(span - stream.begin())],
          common_us(*span, window) / length_us(window));
    }
  }

  /// Whether a GPU had no room left while the second of the two was ready and had not begun.
  bool by_load(Pair& pair) const {
    const Timeline::Span window{std::max(begin_of(pair.a), ready_us(pair.b)), begin_of(pair.b)};
    if (subject_.gpu == nullptr || length_us(window) <= 0) return false;
    double filled = 0;
    double largest = 0;
    NodeId most;
    for_each_running(window, [&](const Step& step, double share) {
      const double part = share * cost(step.node).compute_share;
      filled += part;
      if (part <= largest) return;
      largest = part;
      most = step.node;
    });
    if (filled < kBusy || !most.valid() || cost(most).launch.blocks <= 0) return false;
    by_room(pair, most, cost(most).launch, filled);
    return true;
  }

  /// Whether all streams had work while the first of the two ran.
  bool by_streams(Pair& pair) const {
    const Timeline::Span window{begin_of(pair.a), end_of(pair.a)};
    if (length_us(window) <= 0) return false;
    double busy = 0;
    for_each_running(window, [&](const Step& /*step*/, double share) { busy += share; });
    if (busy < kBusy * std::max(1, subject_.device.streams)) return false;
    const bool cut = order_.steps(pair.a).size() > 1;
    done(pair, Reason::StreamsBusy,
         cut ? fmt::format("{} is cut over {} streams, so all have work while it runs",
                           called(pair.a), order_.steps(pair.a).size())
             : fmt::format("all {} streams have work while {} runs", subject_.device.streams,
                           called(pair.a)));
    return true;
  }

  const Subject& subject_;
  PlanOrder order_;
  double headroom_us_;
};

Pairs::Pairs(const Subject& subject) : search_(std::make_unique<Search>(subject)) {}
Pairs::~Pairs() = default;

Pair Pairs::explain(NodeId a, NodeId b) const { return search_->explain(a, b); }

Pairs::Survey Pairs::survey(std::size_t operators, std::size_t most) const {
  const std::vector<NodeId> nodes = search_->costliest(operators);
  Survey survey;
  survey.operators = nodes.size();
  std::vector<std::pair<double, Pair>> gaining;  // behind minus what they would save alone
  std::vector<std::vector<bool>> after;
  for (NodeId node : nodes) after.push_back(search_->descendants(node));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t k = i + 1; k < nodes.size(); ++k) {
      if (after[i][nodes[k].at()] || after[k][nodes[i].at()]) {
        ++survey.counts[static_cast<std::size_t>(Reason::Dependency)];
        continue;
      }
      Pair pair = search_->explain(nodes[i], nodes[k], true);
      ++survey.counts[static_cast<std::size_t>(pair.reason)];
      if (pair.reason == Reason::Overlap)
        survey.overlapping.push_back(std::move(pair));
      else if (search_->is_worth_naming(pair))
        gaining.emplace_back(-search_->gain_us(pair.a, pair.b), std::move(pair));
    }
  std::sort(gaining.begin(), gaining.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first, a.second.a, a.second.b) <
           std::tuple(b.first, b.second.a, b.second.b);
  });
  for (auto& [gain, pair] : gaining) survey.pairs.push_back(std::move(pair));
  std::sort(survey.overlapping.begin(), survey.overlapping.end(), [](const Pair& a, const Pair& b) {
    return std::tuple(-a.overlap_us, a.a, a.b) < std::tuple(-b.overlap_us, b.a, b.b);
  });
  if (survey.pairs.size() > most) survey.pairs.resize(most);
  if (survey.overlapping.size() > most) survey.overlapping.resize(most);
  return survey;
}

}  // namespace braid
