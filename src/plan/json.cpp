#include "plan/json.h"

#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "graph/hash.h"
#include "plan/memory.h"
#include "plan/verify.h"

namespace braid {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kFormat = "braid-plan";
constexpr int kVersion = 1;
constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMost64 = std::numeric_limits<std::int64_t>::max();

ValueId first_output(const Node& node) {
  for (ValueId output : node.outputs)
    if (output.valid()) return output;
  return {};
}

bool is_utf8(const std::string& text) {
  try {
    return !ordered_json(text).dump().empty();
  } catch (const ordered_json::exception&) {
    return false;
  }
}

std::string key_of(const Graph& graph, ValueId value) {
  const std::string& name = graph.value(value).name;
  return name[0] != '#' && is_utf8(name) ? name : fmt::format("#{}", value.index);
}

std::string key_of(const Graph& graph, NodeId node) {
  const ValueId output = first_output(graph.node(node));
  if (!output.valid())
    raise(ErrorKind::Unsupported,
          fmt::format("{} has no output by which a Plan could name it: remove dead nodes first",
                      describe(graph, node)));
  return key_of(graph, output);
}

ordered_json wait_to_json(const Graph& graph, const Step& awaited) {
  if (awaited.parts == 1) return key_of(graph, awaited.node);
  return {{"node", key_of(graph, awaited.node)}, {"part", awaited.part}};
}

ordered_json step_to_json(const Graph& graph, const Plan& plan, const Step& step) {
  ordered_json json = {{"node", key_of(graph, step.node)}};
  if (step.parts > 1) {
    json["part"] = step.part;
    json["parts"] = step.parts;
    json["axis"] = step.cut.axis;
    json["grain"] = step.cut.grain;
  }
  if (!step.waits.empty()) {
    json["waits"] = ordered_json::array();
    for (StepRef wait : step.waits)
      json["waits"].push_back(wait_to_json(graph, step_at(plan, wait)));
  }
  if (step.scratch_offset >= 0) json["scratch"] = step.scratch_offset;
  if (step.launch > 0) json["launch"] = step.launch;
  if (step.priority > 0) json["priority"] = step.priority;
  if (step.way > 0) json["variant"] = step.way;
  const std::string& implementation = graph.node(step.node).lowering.implementation;
  if (step.part == 0 && !implementation.empty()) json["by"] = implementation;
  return json;
}

/// A JSON object or list, one line per entry.
class Block {
 public:
  Block(char open, std::size_t indent) : text_(1, open), indent_(indent) {}
  void add(std::string_view line) {
    text_ += text_.size() > 1 ? ",\n" : "\n";
    text_.append(indent_ + 2, ' ');
    text_ += line;
  }
  std::string close(char bracket) { return text_ + "\n" + std::string(indent_, ' ') + bracket; }

 private:
  std::string text_;
  std::size_t indent_;
};

std::string field(std::string_view name, std::string_view json) {
  return fmt::format("\"{}\": {}", name, json);
}

/// "sim:./my.json" is "sim:my.json": what stands behind the kind may be the path of a file.
std::string normal_device(std::string_view name) {
  const std::size_t which = name.find(':') + 1;  // 0 if there is none
  if (which == 0 || name.find_first_of("/.", which) == std::string_view::npos)
    return std::string(name);
  const std::filesystem::path file(name.substr(which));
  return std::string(name.substr(0, which)) +
         std::filesystem::absolute(file).lexically_normal().string();
}

bool is_same_device(std::string_view one, std::string_view other) {
  return one == other || normal_device(one) == normal_device(other);
}

class Reader {
 public:
  Reader(const Graph& graph, const JsonPlace& root) : graph_(graph), root_(root) {}

  Plan run(std::string_view device) {
    read_head();
    if (!device.empty() && !is_same_device(plan_.device, device))
      raise(ErrorKind::Model, fmt::format("the Plan was made for the device {}, this is {}; plan "
                                          "for this device, or choose that one with --device",
                                          quote(plan_.device), quote(device)));
    if (plan_.graph != braid::hash(graph_, HashWeights::TypesOnly)) check_ways(root_["streams"]);
    check_belongs(graph_, plan_);
    read_streams();
    read_values();
    return std::move(plan_);
  }

  /// How nodes are run, scratch and places are the other device's, and not looked at.
  Plan run_for_another(std::string_view device) {
    read_head();
    is_for_another_ = true;
    plan_.device = device;
    plan_.graph = braid::hash(graph_, HashWeights::TypesOnly);
    read_streams();
    braid::place(graph_, plan_);
    return std::move(plan_);
  }

 private:
  void read_head() {
    if (root_["format"].text() != kFormat)
      root_["format"].fail(
          fmt::format("expected '{}', got {}", kFormat, quote(root_["format"].text())));
    if (root_["version"].integer(0, kMost32) != kVersion)
      root_["version"].fail(fmt::format("this Braid reads version {} only", kVersion));
    root_.expect_keys({"format", "version", "graph", "inputs", "device", "scheduler", "arena_bytes",
                       "streams", "values"});
    plan_.graph = hash(root_["graph"]);
    plan_.device = root_["device"].text();
    plan_.scheduler = root_["scheduler"].text();
    plan_.arena_bytes = root_["arena_bytes"].integer(0, kMost64);
    if (root_.has("inputs")) check_inputs(root_["inputs"]);
  }

  void check_inputs(const JsonPlace& inputs) const {
    for (ValueId id : graph_.inputs()) {
      const std::string key = key_of(graph_, id);
      const std::string type = to_string(graph_.value(id).type);
      if (!inputs.has(key))
        raise(ErrorKind::Model,
              fmt::format("the Plan was made for a model without the input {}", quote(key)));
      if (const std::string planned = inputs[key].text(); planned != type)
        raise(ErrorKind::Model,
              fmt::format("the Plan was made for the input {} as {}, here it is {}; plan again for "
                          "these sizes, or bind them as they were",
                          quote(key), printable(planned), type));
    }
  }

  /// Tells which node is run otherwise here, if the Plan's nodes are those of the graph.
  void check_ways(const JsonPlace& streams) const {
    std::string differs;
    for (std::size_t s = 0; s < streams.size(); ++s)
      for (std::size_t i = 0; i < streams.at(s).size(); ++i) {
        const JsonPlace step = streams.at(s).at(i);
        const ValueId output = graph_.find(step["node"].text());
        if (!output.valid() || !graph_.value(output).producer.valid()) return;
        const NodeId id = graph_.value(output).producer;
        const std::string& here = graph_.node(id).lowering.implementation;
        if (differs.empty() && step.has("by") && step["by"].text() != here)
          differs = fmt::format("the Plan runs {} by {}, here it is run by {}",
                                describe(graph_, id), quote(step["by"].text()), quote(here));
      }
    if (differs.empty()) return;
    raise(ErrorKind::Model, differs +
                                ": the machine, --exact, --disable, --isa or the version of "
                                "Braid is another; plan again");
  }

  static Hash128 hash(const JsonPlace& place) {
    const auto read = parse_hash(place.text());
    if (!read) place.fail("expected 32 hexadecimal digits");
    return *read;
  }

  ValueId value(const JsonPlace& place, const std::string& key) const {
    ValueId id = graph_.find(key);
    if (!key.empty() && key[0] == '#') {
      std::int32_t number = -1;
      const auto [end, error] = std::from_chars(key.data() + 1, key.data() + key.size(), number);
      id = error == std::errc() && end == key.data() + key.size() ? ValueId(number) : ValueId();
    }
    if (!graph_.alive(id)) place.fail(fmt::format("the graph has no value {}", quote(key)));
    return id;
  }

  NodeId node(const JsonPlace& place) const {
    const ValueId output = value(place, place.text());
    const NodeId id = graph_.value(output).producer;
    if (!id.valid() || first_output(graph_.node(id)) != output)
      place.fail(fmt::format("{} is not the first output of a node", quote(place.text())));
    return id;
  }

  void read_streams() {
    const JsonPlace streams = root_["streams"];
    plan_.streams.resize(streams.size());
    for (std::size_t s = 0; s < streams.size(); ++s)
      for (std::size_t i = 0; i < streams.at(s).size(); ++i) read_step(streams.at(s).at(i), s, i);
    for (std::size_t s = 0; s < streams.size(); ++s)
      for (std::size_t i = 0; i < streams.at(s).size(); ++i)
        read_waits(streams.at(s).at(i), plan_.streams[s][i]);
  }

  void read_step(const JsonPlace& place, std::size_t s, std::size_t i) {
    place.expect_keys({"node", "part", "parts", "axis", "grain", "waits", "scratch", "launch",
                       "priority", "variant", "by"});
    Step step;
    step.node = node(place["node"]);
    const std::string& implementation = graph_.node(step.node).lowering.implementation;
    if (!is_for_another_ && place.has("by") && place["by"].text() != implementation)
      place["by"].fail(fmt::format("the node is run by {}, got {}", quote(implementation),
                                   quote(place["by"].text())));
    step.parts = static_cast<std::int32_t>(place.integer("parts", 2, kMost32, 1));
    if (step.parts > 1) {
      step.part = static_cast<std::int32_t>(place["part"].integer(0, step.parts - 1));
      step.cut.axis = static_cast<int>(place["axis"].integer(0, kMost32));
      step.cut.grain = place["grain"].integer(1, kMost64);
    } else {
      for (std::string_view key : {"part", "axis", "grain"})
        if (place.has(key)) place.fail(fmt::format("'{}' needs 'parts'", key));
    }
    if (!is_for_another_) step.scratch_offset = place.integer("scratch", 0, kMost64, -1);
    step.launch = static_cast<std::int32_t>(place.integer("launch", 0, kMost32, 0));
    step.priority = static_cast<std::int32_t>(place.integer("priority", 0, kMost32, 0));
    step.way = static_cast<std::int32_t>(place.integer("variant", 0, kMost32, 0));
    const StepRef here{StreamId(static_cast<std::int64_t>(s)), static_cast<std::int32_t>(i)};
    const auto [other, fresh] = steps_.emplace(std::pair(step.node, step.part), here);
    if (!fresh)
      place.fail(fmt::format("this step already stands at streams[{}][{}]",
                             other->second.stream.index, other->second.index));
    plan_.streams[s].push_back(std::move(step));
  }

  void read_waits(const JsonPlace& place, Step& step) {
    if (!place.has("waits")) return;
    const JsonPlace waits = place["waits"];
    for (std::size_t i = 0; i < waits.size(); ++i) step.waits.push_back(read_wait(waits.at(i)));
  }

  StepRef read_wait(const JsonPlace& place) const {
    NodeId id;
    std::int32_t part = 0;
    if (place.is_text()) {
      id = node(place);
    } else {
      place.expect_keys({"node", "part"});
      id = node(place["node"]);
      part = static_cast<std::int32_t>(place["part"].integer(0, kMost32));
    }
    const auto found = steps_.find({id, part});
    if (found == steps_.end())
      place.fail(fmt::format("no stream has part {} of {}", part, describe(graph_, id)));
    if (place.is_text() && step_at(plan_, found->second).parts > 1)
      place.fail(fmt::format("{} is cut: say which part as {{\"node\": …, \"part\": …}}",
                             describe(graph_, id)));
    return found->second;
  }

  void read_values() {
    const JsonPlace values = root_["values"];
    plan_.placements.resize(graph_.value_limit());
    for (const std::string& key : values.keys()) {
      const JsonPlace place = values[key];
      Placement& placement = plan_.placements[value(values, key).at()];
      if (placement.offset >= 0) place.fail("the value has a place already");
      place.expect_keys({"offset", "strides"});
      placement.offset = place["offset"].integer(0, kMost64);
      if (!place.has("strides")) continue;
      const JsonPlace strides = place["strides"];
      for (std::size_t i = 0; i < strides.size(); ++i)
        placement.strides.push_back(strides.at(i).integer(0, kMost64));
    }
  }

  const Graph& graph_;
  const JsonPlace& root_;
  bool is_for_another_ = false;
  Plan plan_;
  std::map<std::pair<NodeId, std::int32_t>, StepRef> steps_;
};

}  // namespace

std::string to_json(const Graph& graph, const Plan& plan) {
  Block streams('[', 2);
  for (const auto& stream : plan.streams) {
    Block steps('[', 4);
    for (const Step& step : stream) steps.add(one_line(step_to_json(graph, plan, step)));
    streams.add(steps.close(']'));
  }
  Block values('{', 2);
  for (ValueId value : graph.value_ids()) {
    const Placement& placement = plan.placements[value.at()];
    if (placement.offset < 0) continue;
    ordered_json json = {{"offset", placement.offset}};
    if (!placement.strides.empty()) json["strides"] = placement.strides;
    values.add(fmt::format("{}: {}", one_line(key_of(graph, value)), one_line(json)));
  }
  Block all('{', 0);
  all.add(field("format", one_line(kFormat)));
  all.add(field("version", std::to_string(kVersion)));
  all.add(field("graph", one_line(to_string(plan.graph))));
  ordered_json inputs = ordered_json::object();
  for (ValueId id : graph.inputs()) inputs[key_of(graph, id)] = to_string(graph.value(id).type);
  all.add(field("inputs", one_line(inputs)));
  all.add(field("device", one_line(plan.device)));
  all.add(field("scheduler", one_line(plan.scheduler)));
  all.add(field("arena_bytes", std::to_string(plan.arena_bytes)));
  all.add(field("streams", streams.close(']')));
  all.add(field("values", values.close('}')));
  return all.close('}') + "\n";
}

std::map<std::string, std::string> implementations_in_plan(std::string_view text) {
  return with_note([] { return "while reading a Plan"; },
                   [&] {
                     std::map<std::string, std::string> found;
                     const nlohmann::json json = parse_json(text);
                     const JsonPlace streams = JsonPlace(json)["streams"];
                     for (std::size_t s = 0; s < streams.size(); ++s)
                       for (std::size_t i = 0; i < streams.at(s).size(); ++i)
                         if (const JsonPlace step = streams.at(s).at(i); step.has("by"))
                           found[step["node"].text()] = step["by"].text();
                     return found;
                   });
}

Plan plan_for_another_device(const Graph& graph, std::string_view text, std::string_view device) {
  return with_note([] { return "while reading a Plan for another device"; },
                   [&] {
                     const nlohmann::json json = parse_json(text);
                     const JsonPlace root(json);
                     Plan plan = Reader(graph, root).run_for_another(device);
                     verify(graph, plan);
                     return plan;
                   });
}

Plan plan_from_json(const Graph& graph, std::string_view text, std::string_view device) {
  return with_note([] { return "while reading a Plan"; },
                   [&] {
                     const nlohmann::json json = parse_json(text);
                     const JsonPlace root(json);
                     Plan plan = Reader(graph, root).run(device);
                     verify(graph, plan);
                     return plan;
                   });
}

}  // namespace braid
