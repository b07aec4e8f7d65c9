#include "onnx/importer.h"

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/attribute_reader.h"
#include "onnx/constant_node.h"
#include "onnx/element_types.h"
#include "onnx/frame.h"
#include "onnx/functions.h"
#include "onnx/import_table.h"
#include "onnx/inlined_size.h"
#include "onnx/inputs.h"
#include "onnx/names.h"
#include "onnx/node_order.h"
#include "onnx/opsets.h"
#include "onnx/refused_nodes.h"
#include "onnx/unsupported.h"
#include "ops/builder.h"
#include "ops/catalog.h"

namespace braid::onnx {
namespace {

void check_declared(const proto::ValueInfoProto& output, const TensorType& type) {
  const auto& declared = output.type().tensor_type();
  if (declared.elem_type() == proto::TensorProto::UNDEFINED) return;
  const std::string what = "output " + quote(output.name());
  if (require_element(declared.elem_type(), what) != type.element)
    raise(ErrorKind::Model, fmt::format("{} is declared with another element type than it has, {}",
                                        what, to_string(type)));
}

/// Sizes that are declared are not believed, but a reader of the model may have.
void tell_other_shape(const proto::ValueInfoProto& output, const TensorType& type,
                      const Warn& warn) {
  const auto& declared = output.type().tensor_type();
  if (!warn || !declared.has_shape()) return;
  bool fits = declared.shape().dim_size() == static_cast<int>(type.dims.size());
  std::string shape;
  for (int i = 0; i < declared.shape().dim_size(); ++i) {
    const auto& dim = declared.shape().dim(i);
    fits =
        fits && (!dim.has_dim_value() || dim.dim_value() == type.dims[static_cast<std::size_t>(i)]);
    shape += fmt::format("{}{}", i == 0 ? "" : ",",
                         dim.has_dim_value()   ? std::to_string(dim.dim_value())
                         : dim.has_dim_param() ? printable(dim.dim_param())
                                               : "?");
  }
  if (!fits)
    warn(fmt::format("the output {} is declared with the shape [{}] and comes out as {}",
                     quote(output.name()), shape, to_string(type)));
}

class Importer {
 public:
  Importer(const proto::ModelProto& model, TensorReader& tensors, const LoadOptions& options)
      : model_(model), tensors_(tensors), options_(options), functions_(model) {}

  Graph import();
  std::string find_refusals(Refusals& refusals);

 private:
  // The frames.
  void open_model();
  void run();
  void step();
  void close();
  void open_function(const proto::NodeProto& node, const proto::FunctionProto& function);
  void open_branch(const proto::NodeProto& node);
  void push(std::unique_ptr<Frame> frame, const proto::NodeProto& call);
  void add_notes(Error& error) const;

  // One node.
  void read_node(const proto::NodeProto& node);
  void read_operator(const proto::NodeProto& node);
  std::vector<ValueId> read_inputs(const proto::NodeProto& node) const;
  void define_outputs(const proto::NodeProto& node, NodeId id);
  const proto::GraphProto& branch_of(const proto::NodeProto& node) const;

  // What is refused; `refused_` is null where the first refusal ends the import.
  bool allowed(const std::function<void()>& check, std::string what, const std::string& advice);
  void check_versions();
  std::vector<ModelInput> inputs_of(std::unordered_set<std::string_view> not_read);
  void survey(const proto::NodeProto& node);
  void define_unknown(const proto::NodeProto& node);
  int opset() const;

  // Values.
  void read_initialisers(const proto::GraphProto& graph);
  void define_outputs_of_model();
  std::string name_for(std::string_view name);
  std::string fresh_name(const std::string& wish);

  Frame& top() { return *frames_.back(); }
  const Frame& top() const { return *frames_.back(); }

  const proto::ModelProto& model_;
  TensorReader& tensors_;
  const LoadOptions& options_;
  Functions functions_;
  Graph graph_;
  Builder builder_{graph_};
  std::vector<std::unique_ptr<Frame>> frames_;
  std::unordered_set<std::string_view> reserved_;  ///< the names of the model's own graph
  std::unordered_map<std::string, int> suffixes_;
  InlinedSize size_{options_.quotas};
  Refusals* refusals_ = nullptr;
  std::optional<RefusedNodes> refused_;
  bool names_only_ = false;  ///< the versions are refused, so that no node can be read
  std::string open_;
};

Graph Importer::import() {
  open_model();
  try {
    run();
  } catch (Error& error) {
    add_notes(error);
    throw;
  }
  return std::move(graph_);
}

std::string Importer::find_refusals(Refusals& refusals) {
  refusals_ = &refusals;
  refused_.emplace(functions_, refusals);
  import();
  return open_;
}

void Importer::open_model() {
  const proto::GraphProto& graph = model_.graph();
  check_name(graph.name(), options_.quotas);
  graph_.name = graph.name();
  auto frame = std::make_unique<Frame>(nullptr);
  frame->opsets = std::make_shared<Opsets>(model_.opset_import());
  frame->nodes = &graph.node();
  size_.check_room_for(functions_.inlined_nodes(graph.node(), options_.quotas.nesting));
  frame->order = execution_order(graph.node());
  std::unordered_set<std::string_view> initialisers;
  for (const auto& tensor : graph.initializer()) initialisers.insert(tensor.name());
  for (const auto& input : graph.input()) reserved_.insert(input.name());
  for (const auto& node : graph.node())
    for (const auto& output : node.output()) reserved_.insert(output);
  reserved_.insert(initialisers.begin(), initialisers.end());
  frames_.push_back(std::move(frame));
  check_versions();
  graph_.opset = opset();
  for (const ModelInput& input : inputs_of(std::move(initialisers))) {
    check_name(input.name, options_.quotas);
    const std::string name(input.name);
    top().scope.define(input.name, input.fixed.defined() ? graph_.add_constant(name, input.fixed)
                                                         : graph_.add_input(name, input.type));
  }
  read_initialisers(graph);
}

void Importer::run() {
  const auto total = static_cast<std::int64_t>(frames_.front()->order.size());
  while (!frames_.empty()) {
    constexpr std::size_t kReportEvery = 1024;
    if (frames_.size() == 1 && top().next % kReportEvery == 0)
      report(options_.progress, "reading nodes", static_cast<std::int64_t>(top().next), total);
    if (top().next < top().order.size())
      step();
    else
      close();
  }
}

void Importer::step() {
  const proto::NodeProto& node = (*top().nodes)[top().order[top().next]];
  ++top().next;
  if (refused_)
    survey(node);
  else
    read_node(node);
}

/// Names the node being read, then the calls that led to it.
void Importer::add_notes(Error& error) const {
  constexpr std::size_t kMostNotes = 8;
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = *frames_[i];
    if (error.notes().size() >= kMostNotes) return;
    const bool known = i + 1 == frames_.size() && !error.notes().empty();
    if (frame.next > 0 && !known)
      error.add_note("while reading node " + describe((*frame.nodes)[frame.order[frame.next - 1]]));
  }
}

void Importer::read_node(const proto::NodeProto& node) {
  size_.add(node, frames_.size() > 1);
  check_name(node.name(), options_.quotas);
  for (const auto& output : node.output()) check_name(output, options_.quotas);
  if (const auto* function = functions_.find(node)) return open_function(node, *function);
  if (!plain_domain(node.domain()).empty())
    raise(ErrorKind::Unsupported,
          fmt::format("operator {} of domain {} ({}) is not supported{}", quote(node.op_type()),
                      quote(node.domain()), top().opsets->version_text(node.domain()),
                      explained(why_unsupported(node.domain(), node.op_type(), opset()))));
  if (node.op_type() == "If") return open_branch(node);
  if (node.op_type() == "Constant") {
    const Attributes attributes = read_attributes(node, top().bindings.get(), tensors_);
    const Tensor tensor = constant_of(attributes);
    if (node.output_size() != 1 || node.input_size() != 0)
      raise(ErrorKind::Model, "Constant has no inputs and one output");
    if (node.output(0).empty()) return;
    top().scope.define(node.output(0), graph_.add_constant(name_for(node.output(0)), tensor));
    return;
  }
  read_operator(node);
}

void Importer::read_operator(const proto::NodeProto& node) {
  Translation translation{
      .node = {},
      .outputs = {},
      .opset = top().opsets->standard(),
      .builder = builder_,
      .fresh_name = [this](const std::string& wish) { return fresh_name(wish); }};
  translation.node.name = node.name();
  translation.node.op = node.op_type();
  translation.node.attributes = read_attributes(node, top().bindings.get(), tensors_);
  translation.node.inputs = read_inputs(node);
  for (const auto& output : node.output())
    translation.outputs.push_back(output.empty() ? std::string() : name_for(output));
  while (!translation.outputs.empty() && translation.outputs.back().empty())
    translation.outputs.pop_back();
  if (translation.outputs.empty()) return;
  translate(translation);
  define_outputs(node, builder_.add_node(std::move(translation.node), translation.outputs));
}

std::vector<ValueId> Importer::read_inputs(const proto::NodeProto& node) const {
  std::vector<ValueId> inputs;
  for (const auto& input : node.input())
    inputs.push_back(input.empty() ? ValueId() : top().scope.get(input));
  while (!inputs.empty() && !inputs.back().valid()) inputs.pop_back();
  return inputs;
}

void Importer::define_outputs(const proto::NodeProto& node, NodeId id) {
  const std::vector<ValueId>& outputs = graph_.node(id).outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].valid()) continue;
    const TensorType& type = graph_.value(outputs[i]).type;
    check_dims(type.dims, options_.quotas, "output " + quote(node.output(static_cast<int>(i))));
    top().scope.define(node.output(static_cast<int>(i)), outputs[i]);
  }
}

void Importer::read_initialisers(const proto::GraphProto& graph) {
  for (const auto& sparse : graph.sparse_initializer()) {
    const std::string& label = sparse.values().name();
    if (refusals_ == nullptr)
      raise(ErrorKind::Unsupported, fmt::format("initialiser {} is a sparse tensor", quote(label)));
    refusals_->add({Refusal::Kind::Type, "sparse tensor", "", 1, label,
                    "sparse tensors are not supported", "write its elements densely"});
    top().scope.define_unknown(label);
  }
  for (const auto& tensor : graph.initializer()) {
    check_name(tensor.name(), options_.quotas);
    if (refused_ && refused_->refuse_type(tensor.data_type(), tensor.name())) {
      top().scope.define_unknown(tensor.name());
      continue;
    }
    // An initialiser that is also an input may have been fixed to other elements.
    if (frames_.size() == 1 && options_.fixed_inputs.contains(tensor.name())) continue;
    Tensor elements = tensors_.read(tensor, "initialiser " + quote(tensor.name()));
    top().scope.define(tensor.name(),
                       graph_.add_constant(name_for(tensor.name()), std::move(elements)));
  }
}

/// The name of a value in the graph: its own if it is in the model's graph; inside functions and
/// branches one that tells where it comes from.
std::string Importer::name_for(std::string_view name) {
  if (frames_.size() == 1) return std::string(name);
  const auto given = top().given_names.find(name);
  if (given != top().given_names.end()) {
    std::string outside = std::move(given->second);
    top().given_names.erase(given);
    return outside;
  }
  return fresh_name(fmt::format("{}/{}", top().prefix, shortened(name)));
}

std::string Importer::fresh_name(const std::string& wish) {
  std::string name = graph_.fresh_name(wish);
  while (reserved_.contains(name))
    name = graph_.fresh_name(fmt::format("{}.{}", wish, ++suffixes_[wish]));
  return name;
}

void Importer::push(std::unique_ptr<Frame> frame, const proto::NodeProto& call) {
  if (static_cast<std::int64_t>(frames_.size()) > options_.quotas.nesting)
    raise(ErrorKind::Quota, fmt::format("functions and branches are nested more than {} deep "
                                        "(quota 'nesting')",
                                        options_.quotas.nesting));
  frame->call = &call;
  frame->prefix = top().prefix + (top().prefix.empty() ? "" : "/") +
                  std::string(shortened(call.name().empty() ? call.op_type() : call.name()));
  if (frame->prefix.size() > 200) frame->prefix = shortened(call.op_type());
  frame->order = execution_order(*frame->nodes);
  for (const auto& [inside, outside] : frame->results)
    if (!outside.empty() && !frame->given_names.contains(inside))
      frame->given_names.emplace(inside, name_for(outside));
  frames_.push_back(std::move(frame));
}

void Importer::open_function(const proto::NodeProto& node, const proto::FunctionProto& function) {
  for (const auto& frame : frames_)
    if (frame->function == &function)
      raise(ErrorKind::Model, fmt::format("function {} calls itself", quote(function.name())));
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size())
    raise(
        ErrorKind::Model,
        fmt::format("function {} takes {} inputs and gives {} outputs, but the call has {} and {}",
                    quote(function.name()), function.input_size(), function.output_size(),
                    node.input_size(), node.output_size()));
  auto frame = std::make_unique<Frame>(nullptr);
  frame->nodes = &function.node();
  frame->function = &function;
  frame->opsets = functions_.opsets(function);
  frame->bindings = functions_.bind(function, node, top().bindings.get());
  for (int i = 0; i < node.input_size(); ++i)
    if (!node.input(i).empty())
      frame->scope.define_as(function.input(i), top().scope, node.input(i));
  for (int i = 0; i < node.output_size(); ++i)
    frame->results.emplace_back(function.output(i), node.output(i));
  push(std::move(frame), node);
}

const proto::GraphProto& Importer::branch_of(const proto::NodeProto& node) const {
  if (node.input_size() != 1 || node.input(0).empty())
    raise(ErrorKind::Model, "If needs its condition");
  const ValueId condition = top().scope.get(node.input(0));
  const auto followed = builder_.known().find(condition);
  const Tensor* known = graph_.is_constant(condition)        ? &graph_.value(condition).constant
                        : followed != builder_.known().end() ? &followed->second
                                                             : nullptr;
  if (known == nullptr) {
    ValueNeeded needed(
        fmt::format("If on {}, which depends on the model's inputs, is not supported",
                    quote(node.input(0))),
        0);
    needed.set_graph_inputs(deciding_inputs(graph_, condition));
    throw needed;
  }
  if (known->element() != ElementType::Bool || known->elements() != 1)
    raise(ErrorKind::Model,
          fmt::format("If needs one boolean as its condition, got {}", to_string(known->type())));
  const std::string_view wanted = known->data<bool>()[0] ? "then_branch" : "else_branch";
  for (const auto& attribute : node.attribute())
    if (attribute.name() == wanted && attribute.has_g()) return attribute.g();
  raise(ErrorKind::Model, fmt::format("If has no {}", wanted));
}

void Importer::open_branch(const proto::NodeProto& node) {
  const proto::GraphProto& branch = branch_of(node);
  if (branch.input_size() > 0 || branch.output_size() < node.output_size())
    raise(ErrorKind::Model,
          fmt::format("a branch of If has {} inputs and {} outputs, expected 0 and {}",
                      branch.input_size(), branch.output_size(), node.output_size()));
  auto frame = std::make_unique<Frame>(&top().scope);
  frame->nodes = &branch.node();
  frame->opsets = top().opsets;
  frame->bindings = top().bindings;
  for (int i = 0; i < node.output_size(); ++i)
    frame->results.emplace_back(branch.output(i).name(), node.output(i));
  push(std::move(frame), node);
  read_initialisers(branch);
}

/// Hands the outputs of the innermost frame to the one around it.
void Importer::close() {
  if (frames_.size() == 1) {
    if (!refused_) define_outputs_of_model();
    frames_.pop_back();
    return;
  }
  std::vector<ValueId> values;
  std::vector<std::string_view> unknown;
  for (const auto& [inside, outside] : top().results) {
    const bool is_unknown = !outside.empty() && top().scope.is_unknown(inside);
    if (is_unknown) unknown.push_back(outside);
    values.push_back(outside.empty() || is_unknown ? ValueId() : top().scope.get(inside));
  }
  const std::unique_ptr<Frame> frame = std::move(frames_.back());
  frames_.pop_back();
  for (const std::string_view outside : unknown) top().scope.define_unknown(outside);
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].valid()) continue;
    const auto& [inside, outside] = frame->results[i];
    // An Identity is needed for a value that no node made under the caller's name, or that has two.
    const auto unused = frame->given_names.find(inside);
    const bool first = seen.insert(inside).second;
    if (unused != frame->given_names.end() && first)
      values[i] = builder_.add("Identity", {values[i]}, {}, unused->second);
    else if (!first)
      values[i] = builder_.add("Identity", {values[i]}, {}, name_for(outside));
    top().scope.define(outside, values[i]);
  }
}

void Importer::define_outputs_of_model() {
  std::unordered_set<std::string> labels;
  for (const auto& output : model_.graph().output()) {
    const ValueId value = top().scope.get(output.name());
    check_declared(output, graph_.value(value).type);
    // A batch that is asked for changes outputs, too.
    if (options_.batch == 0) tell_other_shape(output, graph_.value(value).type, options_.warn);
    // An output that is listed twice is one value under two names.
    std::string label = output.name();
    for (int i = 1; !labels.insert(label).second; ++i)
      label = graph_.fresh_name(fmt::format("{}_{}", output.name(), i));
    graph_.add_output(value, label);
  }
}

/// Runs a check; whether it passes. Where refusals are collected, one that does not is noted.
bool Importer::allowed(const std::function<void()>& check, std::string what,
                       const std::string& advice) {
  try {
    check();
    return true;
  } catch (const Error& error) {
    if (!refused_ || error.kind() != ErrorKind::Unsupported) throw;
    refusals_->add({Refusal::Kind::Version, std::move(what), "", 1, "", error.message(), advice});
    return false;
  }
}

void Importer::check_versions() {
  const bool known_file =
      allowed([&] { check_ir_version(model_); }, fmt::format("IR version {}", model_.ir_version()),
              "export it with an older onnx package");
  const bool known_opset =
      allowed([&] { top().opsets->check_standard(); }, fmt::format("opset {}", opset()),
              "onnx.version_converter.convert_version, or export it to another opset");
  names_only_ = !known_file || !known_opset;
}

int Importer::opset() const {
  return top().opsets->states_standard() ? top().opsets->standard() : 0;
}

/// The inputs that can be read; those that are refused, or all if a dimension is open, are unknown.
std::vector<ModelInput> Importer::inputs_of(std::unordered_set<std::string_view> not_read) {
  const auto& graph = model_.graph();
  if (!refused_) return bind_inputs(graph, not_read, options_);
  const auto is_read = [&](const proto::ValueInfoProto& input) {
    return !not_read.contains(input.name()) || options_.fixed_inputs.contains(input.name());
  };
  for (const auto& output : graph.output()) refused_->refuse(output);
  for (const auto& input : graph.input()) {
    if (!is_read(input) || !refused_->refuse(input)) continue;
    top().scope.define_unknown(input.name());
    not_read.insert(input.name());
  }
  try {
    return bind_inputs(graph, not_read, options_);
  } catch (const OpenDimension& open) {
    open_ = open.message();
    for (const auto& input : graph.input())
      if (is_read(input)) top().scope.define_unknown(input.name());
    return {};
  }
}

/// Reads a node if it can be read, else notes why it cannot; then what it makes is unknown.
void Importer::survey(const proto::NodeProto& node) {
  const bool is_refused = refused_->refuse(node, opset());
  if (is_refused || names_only_) {
    refused_->refuse_inside(node, opset());
    return define_unknown(node);
  }
  const std::size_t depth = frames_.size();
  try {
    return read_node(node);
  } catch (const UnknownValue&) {
    // With open dimensions the condition of an If may yet be known.
    if (open_.empty()) refused_->refuse_inside(node, opset());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Unsupported) throw;
    refused_->refuse(node, error);
    refused_->refuse_inside(node, opset());
  }
  frames_.resize(depth);
  define_unknown(node);
}

void Importer::define_unknown(const proto::NodeProto& node) {
  for (const auto& output : node.output())
    if (!output.empty()) top().scope.define_unknown(output);
}

}  // namespace

Graph import_model(const proto::ModelProto& model, TensorReader& tensors,
                   const LoadOptions& options) {
  return Importer(model, tensors, options).import();
}

std::string find_refusals(const proto::ModelProto& model, TensorReader& tensors,
                          const LoadOptions& options, Refusals& refusals) {
  return Importer(model, tensors, options).find_refusals(refusals);
}

}  // namespace braid::onnx
