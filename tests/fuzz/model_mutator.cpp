#include "tests/fuzz/model_mutator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "ops/catalog.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace braid::fuzz {
namespace {

namespace proto = onnx::proto;
using proto::AttributeProto;
using proto::GraphProto;
using proto::ModelProto;
using proto::NodeProto;
using proto::TensorProto;

constexpr std::array<std::int64_t, 16> kIntegers = {0,
                                                    1,
                                                    -1,
                                                    2,
                                                    -2,
                                                    3,
                                                    4,
                                                    5,
                                                    7,
                                                    8,
                                                    16,
                                                    255,
                                                    1 << 20,
                                                    std::int64_t{1} << 40,
                                                    std::numeric_limits<std::int64_t>::max(),
                                                    std::numeric_limits<std::int64_t>::min()};
constexpr std::array<float, 10> kReals = {0,
                                          1,
                                          -1,
                                          0.5F,
                                          1e-5F,
                                          1e30F,
                                          -2,
                                          3,
                                          std::numeric_limits<float>::quiet_NaN(),
                                          std::numeric_limits<float>::infinity()};
constexpr std::array kTypes = {TensorProto::FLOAT,    TensorProto::DOUBLE, TensorProto::FLOAT16,
                               TensorProto::BFLOAT16, TensorProto::INT64,  TensorProto::INT32,
                               TensorProto::INT8,     TensorProto::UINT8,  TensorProto::UINT64,
                               TensorProto::BOOL,     TensorProto::STRING, TensorProto::INT4};
constexpr std::array<const char*, 14> kTexts = {
    "SAME_UPPER", "VALID",   "nearest", "linear",        "cubic", "constant",  "reflect",
    "edge",       "forward", "reverse", "bidirectional", "Relu",  "ij,jk->ik", "half_pixel"};

/// The draws that a mutation is made of.
class Mutation {
 public:
  Mutation(ModelProto& model, std::mt19937& random)
      : model_(model), graph_(*model.mutable_graph()), random_(random) {}

  void run() {
    switch (below(14)) {
      case 0:
        return change_operator();
      case 1:
      case 2:
        return change_edge();
      case 3:
      case 4:
        return change_attribute();
      case 5:
        return add_attribute();
      case 6:
      case 7:
        return change_shape();
      case 8:
        return change_elements();
      case 9:
        return copy_node();
      case 10:
        return add_node();
      case 11:
        return remove_something();
      case 12:
        return change_type();
      default:
        return change_outputs();
    }
  }

  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  template <class Row>
  const auto& one_of(const Row& row) {
    return row[below(std::size(row))];
  }

  NodeProto* some_node() {
    return graph_.node_size() == 0
               ? nullptr
               : graph_.mutable_node(static_cast<int>(below(graph_.node_size())));
  }

  /// Any name that stands for a value, or none.
  std::string some_value() {
    std::vector<std::string> names = {""};
    for (const auto& input : graph_.input()) names.push_back(input.name());
    for (const auto& constant : graph_.initializer()) names.push_back(constant.name());
    for (const auto& node : graph_.node())
      names.insert(names.end(), node.output().begin(), node.output().end());
    return one_of(names);
  }

  std::int64_t some_integer(std::int64_t old) {
    return below(2) == 0
               ? one_of(kIntegers)
               : static_cast<std::int64_t>(static_cast<std::uint64_t>(old) + below(5) - 2);
  }

 private:
  const OpDef& some_operator() { return one_of(catalog()); }

  void change_operator() {
    NodeProto* node = some_node();
    if (node == nullptr) return;
    node->set_op_type(std::string(some_operator().name));
    if (below(2) == 0) node->clear_attribute();
  }

  void change_edge() {
    NodeProto* node = some_node();
    if (node == nullptr) return;
    if (node->input_size() == 0 || below(4) == 0)
      node->add_input(some_value());
    else if (below(5) == 0)
      node->mutable_input()->RemoveLast();
    else
      node->set_input(static_cast<int>(below(node->input_size())), some_value());
  }

  void randomise(AttributeProto& attribute) {
    switch (attribute.type()) {
      case AttributeProto::INT:
        return attribute.set_i(some_integer(attribute.i()));
      case AttributeProto::FLOAT:
        return attribute.set_f(one_of(kReals));
      case AttributeProto::STRING:
        return attribute.set_s(one_of(kTexts));
      case AttributeProto::INTS:
        return change_list(*attribute.mutable_ints(),
                           [&](std::int64_t old) { return some_integer(old); });
      case AttributeProto::FLOATS:
        return change_list(*attribute.mutable_floats(), [&](float) { return one_of(kReals); });
      case AttributeProto::TENSOR:
        return change_tensor(*attribute.mutable_t());
      case AttributeProto::GRAPH:
        return;
      default:
        return attribute.set_type(static_cast<AttributeProto::AttributeType>(1 + below(8)));
    }
  }

  template <class List, class Draw>
  void change_list(List& list, Draw draw) {
    if (list.empty() || below(5) == 0)
      list.Add(draw(0));
    else if (below(6) == 0)
      list.RemoveLast();
    else {
      auto& element = list.at(static_cast<int>(below(list.size())));
      element = draw(element);
    }
  }

  void change_attribute() {
    NodeProto* node = some_node();
    if (node == nullptr) return;
    if (node->attribute_size() == 0) return add_attribute();
    const auto at = static_cast<int>(below(node->attribute_size()));
    if (below(6) == 0)
      node->mutable_attribute()->DeleteSubrange(at, 1);
    else
      randomise(*node->mutable_attribute(at));
  }

  /// Adds an attribute that the operator knows.
  void add_attribute() {
    NodeProto* node = some_node();
    const OpDef* def = node == nullptr ? nullptr : find_op(node->op_type());
    if (def == nullptr || def->attributes.empty()) return;
    const AttributeDef& wanted = one_of(def->attributes);
    AttributeProto& attribute = *node->add_attribute();
    attribute.set_name(std::string(wanted.name));
    constexpr std::array kinds = {AttributeProto::INT,    AttributeProto::FLOAT,
                                  AttributeProto::STRING, AttributeProto::INTS,
                                  AttributeProto::FLOATS, AttributeProto::STRINGS,
                                  AttributeProto::TENSOR};
    attribute.set_type(kinds.at(static_cast<std::size_t>(wanted.kind)));
    for (std::size_t i = below(4) + 1; i-- > 0;) randomise(attribute);
  }

  void change_shape() {
    const std::size_t inputs = graph_.input_size();
    const std::size_t all = inputs + graph_.initializer_size();
    if (all == 0) return;
    const std::size_t at = below(all);
    if (at >= inputs)
      return change_tensor(*graph_.mutable_initializer(static_cast<int>(at - inputs)));
    auto& dims = *graph_.mutable_input(static_cast<int>(at))
                      ->mutable_type()
                      ->mutable_tensor_type()
                      ->mutable_shape()
                      ->mutable_dim();
    if (dims.empty() || below(6) == 0)
      dims.Add()->set_dim_value(static_cast<std::int64_t>(below(4)));
    else if (below(6) == 0)
      dims.RemoveLast();
    else {
      auto& dim = dims.at(static_cast<int>(below(dims.size())));
      dim.set_dim_value(below(8) == 0 ? some_integer(dim.dim_value())
                                      : static_cast<std::int64_t>(below(9)));
    }
  }

  /// Gives a tensor another shape, mostly with as many bytes as that takes.
  void change_tensor(TensorProto& tensor) {
    if (below(3) == 0) return change_elements_of(tensor);
    change_list(*tensor.mutable_dims(), [&](std::int64_t old) {
      return below(8) == 0 ? some_integer(old) : static_cast<std::int64_t>(below(6));
    });
    if (below(8) == 0) return;
    std::uint64_t bytes = tensor.data_type() == TensorProto::FLOAT ? 4 : 8;
    for (std::int64_t d : tensor.dims())
      bytes *= static_cast<std::uint64_t>(std::clamp<std::int64_t>(d, 0, 64));
    if (tensor.has_raw_data() && bytes < 4096) tensor.mutable_raw_data()->resize(bytes);
  }

  void change_elements_of(TensorProto& tensor) {
    if (tensor.int64_data_size() > 0)
      return change_list(*tensor.mutable_int64_data(),
                         [&](std::int64_t old) { return some_integer(old); });
    if (tensor.float_data_size() > 0)
      return change_list(*tensor.mutable_float_data(), [&](float) { return one_of(kReals); });
    std::string& raw = *tensor.mutable_raw_data();
    if (raw.size() < 8) return;
    const std::size_t width = tensor.data_type() == TensorProto::INT64 ? 8 : 4;
    const std::size_t at = below(raw.size() / width) * width;
    const std::int64_t integer = some_integer(1);
    const float real = one_of(kReals);
    raw.replace(at, width,
                width == 8 ? std::string(reinterpret_cast<const char*>(&integer), 8)
                           : std::string(reinterpret_cast<const char*>(&real), 4));
  }

  void change_elements() {
    if (graph_.initializer_size() == 0) return;
    change_elements_of(
        *graph_.mutable_initializer(static_cast<int>(below(graph_.initializer_size()))));
  }

  void copy_node() {
    NodeProto* node = some_node();
    if (node == nullptr) return;
    NodeProto copy = *node;
    for (std::string& output : *copy.mutable_output()) output = fresh();
    if (copy.output_size() > 0) graph_.add_output()->set_name(copy.output(0));
    *graph_.add_node() = std::move(copy);
  }

  /// A new node between a node and one of its inputs.
  void add_node() {
    NodeProto* reader = some_node();
    if (reader == nullptr || reader->input_size() == 0) return;
    const auto at = static_cast<int>(below(reader->input_size()));
    NodeProto made;
    const OpDef& def = some_operator();
    made.set_op_type(std::string(def.name));
    made.add_input(reader->input(at));
    for (std::size_t i = 1; i < std::min<std::size_t>(def.min_inputs, 4); ++i)
      made.add_input(some_value());
    made.add_output(fresh());
    reader->set_input(at, made.output(0));
    *graph_.add_node() = std::move(made);
  }

  void remove_something() {
    if (graph_.node_size() > 1)
      graph_.mutable_node()->DeleteSubrange(static_cast<int>(below(graph_.node_size())), 1);
  }

  void change_type() {
    if (below(4) == 0 && model_.opset_import_size() > 0)
      return model_.mutable_opset_import(0)->set_version(static_cast<std::int64_t>(7 + below(22)));
    if (graph_.initializer_size() > 0 && below(3) == 0)
      return graph_.mutable_initializer(static_cast<int>(below(graph_.initializer_size())))
          ->set_data_type(one_of(kTypes));
    const auto type = one_of(kTypes);
    const bool all = below(2) == 0;
    for (auto& input : *graph_.mutable_input())
      if (all || below(2) == 0) input.mutable_type()->mutable_tensor_type()->set_elem_type(type);
  }

  void change_outputs() {
    if (graph_.output_size() > 1 && below(2) == 0)
      graph_.mutable_output()->RemoveLast();
    else
      graph_.add_output()->set_name(some_value());
  }

  std::string fresh() { return "v" + std::to_string(below(1'000'000)); }

  ModelProto& model_;
  GraphProto& graph_;
  std::mt19937& random_;
};

std::size_t store(const ModelProto& model, std::span<std::uint8_t> out) {
  const std::size_t size = model.ByteSizeLong();
  if (size > out.size() || !model.SerializeToArray(out.data(), static_cast<int>(size))) return 0;
  return size;
}

}  // namespace

void mutate(ModelProto& model, std::mt19937& random) {
  Mutation mutation(model, random);
  for (std::size_t i = mutation.below(4) + 1; i-- > 0;) mutation.run();
}

void join(ModelProto& model, const ModelProto& other, std::mt19937& random) {
  Mutation mutation(model, random);
  const std::string bridge = mutation.some_value();
  const std::string suffix = "_" + std::to_string(mutation.below(1000));
  GraphProto& graph = *model.mutable_graph();
  const auto renamed = [&](const std::string& name) { return name.empty() ? name : name + suffix; };
  const int first = graph.node_size();
  for (const NodeProto& node : other.graph().node()) {
    NodeProto& copy = *graph.add_node();
    copy = node;
    for (std::string& name : *copy.mutable_input()) name = renamed(name);
    for (std::string& name : *copy.mutable_output()) name = renamed(name);
  }
  for (auto input : other.graph().input()) {
    input.set_name(renamed(input.name()));
    *graph.add_input() = std::move(input);
  }
  for (auto constant : other.graph().initializer()) {
    constant.set_name(renamed(constant.name()));
    *graph.add_initializer() = std::move(constant);
  }
  for (const auto& output : other.graph().output())
    graph.add_output()->set_name(renamed(output.name()));
  if (graph.node_size() > first && !bridge.empty()) {
    NodeProto& reader = *graph.mutable_node(first);
    if (reader.input_size() > 0)
      reader.set_input(static_cast<int>(mutation.below(reader.input_size())), bridge);
  }
}

std::size_t mutate_model_bytes(std::uint8_t* data, std::size_t size, std::size_t most,
                               unsigned seed) {
  std::mt19937 random(seed);
  ModelProto model;
  if (random() % 16 != 0 && model.ParseFromArray(data, static_cast<int>(size))) {
    mutate(model, random);
    if (const std::size_t stored = store(model, {data, most}); stored > 0) return stored;
  }
  return LLVMFuzzerMutate(data, size, most);
}

std::size_t join_model_bytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                             std::span<std::uint8_t> out, unsigned seed) {
  std::mt19937 random(seed);
  ModelProto model;
  ModelProto other;
  if (!model.ParseFromArray(a.data(), static_cast<int>(a.size())) ||
      !other.ParseFromArray(b.data(), static_cast<int>(b.size())))
    return 0;
  join(model, other, random);
  return store(model, out);
}

}  // namespace braid::fuzz
