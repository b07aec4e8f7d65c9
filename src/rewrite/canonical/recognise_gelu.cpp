#include <array>

#include <fmt/format.h>

#include "rewrite/canonical/rules.h"
#include "rewrite/pattern.h"

namespace braid {
namespace {

// Gelu(x) = 0.5 x (1 + erf(x / sqrt(2))), or 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
constexpr std::array kErf = {"Add(Erf(Mul(x, 0.7071067811865476)), 1)"};
constexpr std::array kTanh = {
    "Add(Tanh(Mul(Add(x, Mul(Pow(x, 3), 0.044715)), 0.7978845608028654)), 1)",
    "Add(Tanh(Mul(Add(x, Mul(Mul(x, Pow(x, 2)), 0.044715)), 0.7978845608028654)), 1)",
    "Add(Tanh(Mul(Add(x, Mul(Mul(x, Mul(x, x)), 0.044715)), 0.7978845608028654)), 1)"};

/// The formulas with the factor 0.5 in each of its three places.
template <std::size_t N>
std::vector<Pattern> half_of_product(const std::array<const char*, N>& sums) {
  std::vector<Pattern> patterns;
  for (std::string_view sum : sums) {
    patterns.emplace_back(fmt::format("Mul(Mul(x, 0.5), {})", sum));
    patterns.emplace_back(fmt::format("Mul(Mul(x, {}), 0.5)", sum));
    patterns.emplace_back(fmt::format("Mul(x, Mul({}, 0.5))", sum));
  }
  return patterns;
}

enum Form : std::int64_t { kWithErf, kWithTanh };

/// Finds a Gelu; the parameter says which form it is.
std::vector<Match> find_gelu(const Site& site) {
  static const std::array forms = {half_of_product(kErf), half_of_product(kTanh)};
  const TensorType& type = site.graph.value(site.node().outputs[0]).type;
  for (Form form : {kWithErf, kWithTanh})
    for (const Pattern& pattern : forms[static_cast<std::size_t>(form)])
      if (const auto found = pattern.find(site.graph, site.anchor))
        if (site.graph.value((*found)[0]).type == type)
          return {{.anchor = site.anchor, .values = *found, .parameters = {form}}};
  return {};
}

bool make_gelu(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& last = graph.node(match.anchor);
  Node gelu;
  gelu.op = "Gelu";
  gelu.name = last.name;
  gelu.inputs = match.values;
  if (match.parameters[0] == kWithTanh) gelu.attributes.set("approximate", std::string("tanh"));
  edit.replace(last.outputs[0],
               edit.add_node(std::move(gelu), {graph.value(last.outputs[0]).type})[0]);
  return true;
}

}  // namespace

Rule recognise_gelu() {
  return {"recognise-gelu", "find Gelu in its parts", {"Mul", "Div"}, find_gelu, make_gelu};
}

}  // namespace braid
