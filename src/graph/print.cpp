#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.h"
#include "graph/order.h"
#include "graph/text.h"
#include "tensor/element.h"

namespace braid {
namespace {

bool is_word(std::string_view text) {
  if (text.empty() || text == "return" || text == "graph") return false;
  const auto first = static_cast<unsigned char>(text[0]);
  if (std::isalpha(first) == 0 && text[0] != '_') return false;
  for (char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.' && c != '/')
      return false;
  return true;
}

std::string in_quotes(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return "\"" + printable(escaped, std::string::npos) + "\"";
}

std::string word(std::string_view text) {
  return is_word(text) ? std::string(text) : in_quotes(text);
}

template <class F>
std::string real(F x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class T>
std::string element(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return x ? "true" : "false";
  else if constexpr (is_small_float<T>)
    return real(to_float(x));
  else if constexpr (std::is_floating_point_v<T>)
    return real(x);
  else
    return fmt::format("{}", x);
}

std::string elements(const Tensor& tensor) {
  std::string out = "{";
  const Tensor readable = tensor.aligned();
  dispatch(tensor.element(), [&](auto tag) {
    bool first = true;
    for (auto x : readable.data<typename decltype(tag)::type>()) {
      if (!first) out += ",";
      out += element(x);
      first = false;
    }
  });
  return out + "}";
}

struct AttributeText {
  std::string operator()(std::int64_t x) const { return fmt::format("{}", x); }
  std::string operator()(float x) const { return real(x); }
  std::string operator()(const std::string& x) const { return in_quotes(x); }
  std::string operator()(const Tensor& x) const { return to_string(x.type()) + elements(x); }
  std::string operator()(const std::vector<std::int64_t>& list) const { return listed(list, ""); }
  std::string operator()(const std::vector<float>& list) const { return listed(list, "reals"); }
  std::string operator()(const std::vector<std::string>& list) const {
    return listed(list, "texts");
  }

  template <class T>
  std::string listed(const std::vector<T>& list, std::string_view empty_prefix) const {
    if (list.empty()) return fmt::format("{}[]", empty_prefix);
    std::string out = "[";
    for (std::size_t i = 0; i < list.size(); ++i) out += (i > 0 ? "," : "") + (*this)(list[i]);
    return out + "]";
  }
};

class Printer {
 public:
  Printer(const Graph& graph, const PrintOptions& options) : graph_(graph), options_(options) {}

  std::string run() {
    if (!graph_.name.empty() || graph_.opset > 0) {
      out_ += fmt::format("graph {}", in_quotes(graph_.name));
      if (graph_.opset > 0) out_ += fmt::format(" opset={}", graph_.opset);
      out_ += "\n";
    }
    for (ValueId id : graph_.inputs())
      out_ +=
          fmt::format("{}: {}\n", word(graph_.value(id).name), to_string(graph_.value(id).type));
    const std::vector<NodeId> order = topological_order(graph_);
    for (NodeId id : order) print_node(id);
    print_return(order);
    return std::move(out_);
  }

 private:
  std::string constant(ValueId id) {
    const Value& value = graph_.value(id);
    std::string text = fmt::format("{}: {}", word(value.name), to_string(value.type));
    if (options_.elements_in_full < 0 || value.constant.elements() <= options_.elements_in_full)
      text += " = " + elements(value.constant);
    declared_.insert(id);
    return text;
  }

  std::string reference(ValueId id) {
    if (!id.valid()) return "-";
    if (graph_.is_constant(id) && !declared_.contains(id)) return constant(id);
    return word(graph_.value(id).name);
  }

  void print_node(NodeId id) {
    const Node& node = graph_.node(id);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      out_ += i > 0 ? ", " : "";
      if (!node.outputs[i].valid()) {
        out_ += "-";
        continue;
      }
      const Value& value = graph_.value(node.outputs[i]);
      out_ += word(value.name);
      if (options_.types) out_ += ": " + to_string(value.type);
      if (!value.layout.empty()) out_ += fmt::format(" <{}>", word(value.layout));
    }
    out_ += fmt::format(" = {}(", word(node.op));
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      out_ += (i > 0 ? ", " : "") + reference(node.inputs[i]);
    out_ += ")";
    for (const auto& [name, value] : node.attributes)
      out_ += fmt::format(" {}={}", word(name), print(value));
    if (!node.lowering.implementation.empty()) {
      out_ += fmt::format(" <{}", word(node.lowering.implementation));
      if (node.lowering.scratch_bytes > 0)
        out_ += fmt::format(" scratch={}", node.lowering.scratch_bytes);
      for (const Cut& cut : node.lowering.cuts)
        out_ += fmt::format(" cut={}/{}", cut.axis, cut.grain);
      out_ += ">";
    }
    if (!node.name.empty()) out_ += " @" + in_quotes(node.name);
    if (const auto comment = options_.comments.find(id); comment != options_.comments.end())
      out_ += "  # " + printable(comment->second);
    out_ += "\n";
  }

  void print_return(const std::vector<NodeId>& order) {
    std::vector<GraphOutput> unread;
    for (NodeId id : order)
      for (ValueId output : graph_.node(id).outputs)
        if (output.valid() && graph_.value(output).consumers.empty())
          unread.push_back({graph_.value(output).name, output});
    if (unread == graph_.outputs()) return;
    out_ += "return";
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const GraphOutput& output = graph_.outputs()[i];
      out_ += (i > 0 ? ", " : " ") + reference(output.value);
      if (output.name != graph_.value(output.value).name) out_ += " as " + in_quotes(output.name);
    }
    out_ += "\n";
  }

  const Graph& graph_;
  const PrintOptions& options_;
  std::string out_;
  std::unordered_set<ValueId> declared_;
};

}  // namespace

std::string print(const Attribute& attribute) { return std::visit(AttributeText{}, attribute); }

std::string print(const Graph& graph, const PrintOptions& options) {
  return Printer(graph, options).run();
}

}  // namespace braid
