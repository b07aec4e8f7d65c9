#include "rewrite/pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/query.h"
#include "ops/catalog.h"

namespace braid {
namespace {

bool equal_to_six_digits(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

bool commutes(std::string_view op) {
  const OpDef* def = find_op(op);
  return def != nullptr && def->commutes;
}

}  // namespace

class Pattern::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Term whole() {
    Term term = this->term();
    if (!rest().empty()) fail("the end");
    return term;
  }
  std::size_t variables() const { return names_.size(); }

 private:
  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }

  [[noreturn]] void fail(std::string_view expected) {
    raise(ErrorKind::Internal, fmt::format("pattern {} has {} at {}, expected {}", quote(text_),
                                           quote(rest()), at_, expected));
  }

  bool take(char c) {
    if (rest().empty() || rest()[0] != c) return false;
    ++at_;
    return true;
  }

  Term term() {
    const std::string_view rest = this->rest();
    double number = 0;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (parsed.ec == std::errc()) {
      at_ += static_cast<std::size_t>(parsed.ptr - rest.data());
      return {.kind = Term::Kind::Number, .op = {}, .number = number};
    }
    const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_letter);
    const std::string word(rest.begin(), end);
    if (word.empty()) fail("an operator, a variable or a number");
    at_ += word.size();
    return std::isupper(static_cast<unsigned char>(word[0])) != 0 ? operation(word)
                                                                  : variable(word);
  }

  Term operation(const std::string& op) {
    Term term{.kind = Term::Kind::Operator, .op = op};
    if (!take('(')) fail("(");
    do term.operands.push_back(this->term());
    while (take(','));
    if (!take(')')) fail(")");
    return term;
  }

  Term variable(const std::string& name) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    const auto index = static_cast<std::size_t>(known - names_.begin());
    if (known == names_.end()) names_.push_back(name);
    return {.kind = Term::Kind::Variable, .op = {}, .variable = index};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> names_;
};

/// Goes through the ways to read a graph as the formula until one fits.
class Pattern::Search {
 public:
  Search(const Graph& graph, std::size_t variables) : bound(variables), graph_(graph) {}

  bool fits(const Term& term, NodeId node) { return any_way(term, node, {}); }

  std::vector<ValueId> bound;

 private:
  /// A value that must be found to be the term.
  struct Goal {
    const Term* term;
    ValueId value;
  };
  using Goals = std::vector<Goal>;

  bool reach(Goals goals) {
    if (goals.empty()) return true;
    const auto [term, value] = goals.back();
    goals.pop_back();
    if (!value.valid()) return false;
    switch (term->kind) {
      case Term::Kind::Variable: {
        ValueId& known = bound[term->variable];
        if (known.valid()) return known == value && reach(std::move(goals));
        known = value;
        if (reach(std::move(goals))) return true;
        known = {};
        return false;
      }
      case Term::Kind::Number:
        return is_number(value, term->number) && reach(std::move(goals));
      case Term::Kind::Operator:
        break;
    }
    const NodeId node = graph_.value(value).producer;
    return node.valid() && has_single_use(graph_, value) && any_way(*term, node, goals);
  }

  /// Whether the node can be the operation, and the goals be reached as well.
  bool any_way(const Term& term, NodeId id, const Goals& goals) {
    const Node& node = graph_.node(id);
    const auto& operands = term.operands;
    if (node.inputs.size() != operands.size()) return false;
    const auto with = [&](ValueId first, ValueId second) {
      Goals more = goals;
      more.push_back({&operands[1], second});
      more.push_back({&operands[0], first});
      return reach(std::move(more));
    };
    if (node.op == term.op) {
      if (operands.size() == 2)
        return with(node.inputs[0], node.inputs[1]) ||
               (commutes(term.op) && with(node.inputs[1], node.inputs[0]));
      Goals more = goals;
      for (std::size_t i = 0; i < operands.size(); ++i)
        more.push_back({&operands[i], node.inputs[i]});
      return reach(std::move(more));
    }
    const bool divides = term.op == "Mul" && node.op == "Div" &&
                         operands[1].kind == Term::Kind::Number &&
                         is_number(node.inputs[1], 1 / operands[1].number);
    if (!divides) return false;
    Goals more = goals;
    more.push_back({operands.data(), node.inputs[0]});
    return reach(std::move(more));
  }

  bool is_number(ValueId value, double number) const {
    if (!graph_.is_constant(value)) return false;
    const auto found = uniform_number(graph_.value(value).constant);
    return found && equal_to_six_digits(*found, number);
  }

  const Graph& graph_;
};

Pattern::Pattern(std::string_view text) : root_{.kind = Term::Kind::Number, .op = {}} {
  Parser parser(text);
  root_ = parser.whole();
  variables_ = parser.variables();
  if (root_.kind != Term::Kind::Operator)
    raise(ErrorKind::Internal, fmt::format("pattern {} is no operation", quote(text)));
}

std::optional<std::vector<ValueId>> Pattern::find(const Graph& graph, NodeId node) const {
  Search search(graph, variables_);
  if (!search.fits(root_, node)) return std::nullopt;
  return std::move(search.bound);
}

}  // namespace braid
