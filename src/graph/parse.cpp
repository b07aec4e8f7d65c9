#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "graph/text.h"
#include "graph/token_reader.h"
#include "tensor/element.h"

namespace braid {
namespace {

/// Small whole numbers, so that sums and products of elided constants are exact.
Tensor placeholder(const std::string& name, const TensorType& type) {
  Tensor tensor = Tensor::uninitialised(type);
  Hash128 state = hash_bytes(std::as_bytes(std::span(name.data(), name.size())));
  dispatch(type.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& x : tensor.mutable_data<T>()) {
      state.low = state.low * 6364136223846793005U + 1442695040888963407U;
      const auto number = static_cast<int>(state.low >> 33) % 4;
      x = store<T>(std::is_unsigned_v<T> ? (number < 0 ? -number : number) : number);
    }
  });
  return tensor;
}

class Parser : TokenReader {
 public:
  Parser(std::string_view text, const InferTypes& infer, const Quotas& quotas)
      : TokenReader(text), infer_(infer), room_(memory_limit(quotas)) {}

  Graph run() {
    if (at_word("graph")) header();
    while (token_.kind != Token::End) {
      if (accept_end_of_line()) continue;
      if (at_word("return"))
        returned();
      else
        statement();
      if (token_.kind != Token::End && !accept_end_of_line()) fail("the end of the line");
    }
    if (!returned_)
      for (ValueId id : defined_)
        if (graph_.value(id).consumers.empty()) graph_.add_output(id);
    return std::move(graph_);
  }

 private:
  TensorType type() {
    TensorType result;
    const auto element = element_named(token_.text);
    if (!element) fail("an element type such as f32 or i64");
    result.element = *element;
    advance();
    expect('[');
    list(']', [&] { result.dims.push_back(number<std::int64_t>()); });
    element_count(result);
    return result;
  }

  /// Claims the bytes of a constant before memory is taken for it.
  void make_room(const TensorType& type) {
    const std::int64_t bytes = byte_size(type);
    if (bytes > room_)
      raise(ErrorKind::Quota,
            fmt::format(
                "line {}: a constant of type {} is more than memory allows (quota 'memory_bytes')",
                token_.line, to_string(type)));
    room_ -= bytes;
  }

  /// The elements after "{".
  Tensor tensor(TensorType type) {
    make_room(type);
    Tensor result = Tensor::uninitialised(std::move(type));
    std::int64_t count = 0;
    dispatch(result.element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::span<T> data = result.mutable_data<T>();
      list('}', [&] {
        if (count == static_cast<std::int64_t>(data.size()))
          fail("as many elements as the shape has");
        data[static_cast<std::size_t>(count++)] = one_element<T>();
      });
    });
    if (count != result.elements())
      fail(fmt::format("{} elements, not {}", result.elements(), count));
    return result;
  }

  template <class T>
  T one_element() {
    if constexpr (std::is_same_v<T, bool>) {
      if (!at_word("true") && !at_word("false")) fail("true or false");
      const bool x = token_.text == "true";
      advance();
      return x;
    } else if constexpr (is_small_float<T>) {
      return store<T>(number<float>());
    } else {
      return number<T>();
    }
  }

  void header() {
    advance();
    graph_.name = take_word("the graph's name");
    if (at_word("opset")) {
      advance();
      expect('=');
      graph_.opset = number<int>();
    }
  }

  ValueId known(const std::string& name) const {
    const ValueId id = graph_.find(name);
    if (!id.valid())
      raise(ErrorKind::Model, fmt::format("line {}: value {} is not defined before it is read",
                                          token_.line, quote(name)));
    return id;
  }

  void require_new(const std::string& name) const {
    if (graph_.find(name).valid())
      raise(ErrorKind::Model,
            fmt::format("line {}: value {} is defined twice", token_.line, quote(name)));
  }

  /// A name, "-", or a constant declared in place.
  ValueId argument() {
    if (accept('-')) return {};
    const std::string name = take_word("a value");
    if (!accept(':')) return known(name);
    const TensorType constant_type = type();
    require_new(name);
    if (!accept('=')) {
      make_room(constant_type);
      return graph_.add_constant(name, placeholder(name, constant_type));
    }
    expect('{');
    return graph_.add_constant(name, tensor(constant_type));
  }

  struct Target {
    std::string name;  // empty: "-"
    std::optional<TensorType> type;
    std::string layout;
  };

  Target target() {
    Target result;
    if (accept('-')) return result;
    result.name = take_word("a value's name");
    if (accept(':')) result.type = type();
    if (accept('<')) {
      result.layout = take_word("a layout");
      expect('>');
    }
    return result;
  }

  void statement() {
    std::vector<Target> targets;
    do targets.push_back(target());
    while (accept(','));
    for (const Target& t : targets) require_new(t.name);
    if (targets.size() == 1 && targets[0].type && !at_symbol('=')) {
      graph_.add_input(targets[0].name, *targets[0].type);
    } else {
      expect('=');
      if (targets.size() == 1 && targets[0].type && accept('{'))
        graph_.add_constant(targets[0].name, tensor(*targets[0].type));
      else
        node(targets);
    }
  }

  void node(const std::vector<Target>& targets) {
    Node node;
    const std::size_t line = token_.line;
    node.op = take_word("an operator");
    expect('(');
    list(')', [&] { node.inputs.push_back(argument()); });
    while (token_.kind == Token::Word || token_.kind == Token::Text) attribute(node);
    if (accept('<')) lowering(node.lowering);
    if (accept('@')) node.name = take_word("the node's name");
    std::vector<std::string> names;
    for (const Target& t : targets) {
      names.push_back(t.name);
      node.outputs.push_back(t.name.empty() ? ValueId() : ValueId(0));
    }
    const std::vector<TensorType> types = output_types(node, targets, line);
    const NodeId id = graph_.add_node(std::move(node), types, names);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const ValueId output = graph_.node(id).outputs[i];
      if (!output.valid()) continue;
      if (!targets[i].layout.empty()) graph_.set_layout(output, targets[i].layout);
      defined_.push_back(output);
    }
  }

  std::vector<TensorType> output_types(const Node& node, const std::vector<Target>& targets,
                                       std::size_t line) const {
    const auto where = [&] { return fmt::format("in line {}", line); };
    return with_note(where, [&] {
      std::vector<TensorType> types;
      if (infer_) types = infer_(graph_, node);
      if (infer_ && types.size() < targets.size())
        raise(ErrorKind::Model,
              fmt::format("{} has {} outputs, not {}", node.op, types.size(), targets.size()));
      types.resize(targets.size());
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto& stated = targets[i].type;
        if (!infer_ && !targets[i].name.empty() && !stated)
          raise(ErrorKind::Model,
                fmt::format("the type of {} is not stated", quote(targets[i].name)));
        if (infer_ && stated && *stated != types[i])
          raise(ErrorKind::Model,
                fmt::format("{} is stated as {} but inferred as {}", quote(targets[i].name),
                            to_string(*stated), to_string(types[i])));
        if (!infer_ && stated) types[i] = *stated;
      }
      return types;
    });
  }

  void attribute(Node& node) {
    const std::string name = take_word("an attribute");
    expect('=');
    node.attributes.set(name, attribute_value());
  }

  Attribute attribute_value() {
    if (token_.kind == Token::Number) return scalar();
    if (token_.kind == Token::Text) return take_word("a text");
    if (accept('[')) return attribute_list();
    if (at_word("inf") || at_word("nan")) return number<float>();
    if (at_word("reals") || at_word("texts")) {
      const bool reals = token_.text == "reals";
      advance();
      expect('[');
      expect(']');
      if (reals) return std::vector<float>{};
      return std::vector<std::string>{};
    }
    if (token_.kind != Token::Word) fail("an attribute's value");
    if (element_named(token_.text)) {
      const TensorType tensor_type = type();
      expect('{');
      return tensor(tensor_type);
    }
    return take_word("an attribute's value");
  }

  Attribute scalar() {
    if (token_.text.find_first_of(".en") != std::string::npos) return number<float>();
    return number<std::int64_t>();
  }

  Attribute attribute_list() {
    std::vector<Attribute> items;
    list(']', [&] { items.push_back(attribute_value()); });
    if (items.empty() || std::holds_alternative<std::int64_t>(items[0]))
      return collect<std::int64_t>(items);
    if (std::holds_alternative<float>(items[0])) return collect<float>(items);
    return collect<std::string>(items);
  }
  template <class T>
  std::vector<T> collect(const std::vector<Attribute>& items) const {
    std::vector<T> out;
    for (const Attribute& item : items) {
      if (!std::holds_alternative<T>(item)) fail("a list of one kind before this");
      out.push_back(std::get<T>(item));
    }
    return out;
  }

  void lowering(Lowering& result) {
    result.implementation = take_word("an implementation");
    while (!accept('>')) {
      const std::string key = take_word("scratch, cut or '>'");
      expect('=');
      if (key == "scratch") {
        result.scratch_bytes = number_from<std::int64_t>(0);
      } else if (key == "cut") {
        Cut cut;
        cut.axis = number_from<int>(0);
        expect('/');
        cut.grain = number_from<std::int64_t>(1);
        result.cuts.push_back(cut);
      } else {
        fail("scratch or cut");
      }
    }
  }

  void returned() {
    advance();
    returned_ = true;
    if (token_.kind == Token::EndOfLine || token_.kind == Token::End) return;
    do {
      const ValueId id = argument();
      if (!id.valid()) fail("a value to return");
      std::string label;
      if (at_word("as")) {
        advance();
        label = take_word("the output's name");
      }
      graph_.add_output(id, label);
    } while (accept(','));
  }

  const InferTypes& infer_;
  std::int64_t room_;  // bytes that constants may still take
  Graph graph_;
  std::vector<ValueId> defined_;
  bool returned_ = false;
};

}  // namespace

Graph parse_graph(std::string_view text, const InferTypes& infer, const Quotas& quotas) {
  return Parser(text, infer, quotas).run();
}

}  // namespace braid
