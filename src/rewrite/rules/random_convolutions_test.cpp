#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rewrite/testing/searched.h"

namespace braid {
namespace {

/// Writes graphs of convolutions and what stands around them, at random, in which all numbers stay
/// so small that sums of them are exact.
class RandomText {
 public:
  explicit RandomText(std::uint32_t seed) : random_(seed) {
    const std::int64_t batch = 1 + below(2);
    values_.push_back({{batch, 4, 5 + below(2), 6}, 3});
    text_ = fmt::format("v0: f32{}\n", to_string(values_[0].dims));
  }

  std::string write(int nodes) {
    while (std::ssize(values_) <= nodes) add_node();
    return text_;
  }

 private:
  struct Known {
    Dims dims;
    double largest = 0;
  };
  static constexpr double kLargest = 1 << 20;

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(limit));
  }
  /// Any of the last four, half of the time.
  std::size_t any_late() {
    const std::int64_t from =
        below(2) == 0 ? 0 : std::max<std::int64_t>(0, std::ssize(values_) - 4);
    return static_cast<std::size_t>(from + below(std::ssize(values_) - from));
  }
  /// A value like the given one but for the length along an axis; it may be the value itself.
  std::size_t any_like(std::size_t value, std::size_t axis) {
    for (int i = 0; i < 8; ++i) {
      const std::size_t other = any_late();
      Dims dims = values_[other].dims;
      dims[axis] = values_[value].dims[axis];
      if (dims == values_[value].dims) return other;
    }
    return value;
  }

  void put(const std::string& what, Dims dims, double largest) {
    text_ += fmt::format("v{} = {}\n", values_.size(), what);
    values_.push_back({std::move(dims), largest});
  }

  void add_node() {
    const std::size_t x = any_late();
    const Known of = values_[x];
    switch (below(9)) {
      case 0:
        return put(fmt::format("Relu(v{})", x), of.dims, of.largest);
      case 1:
      case 2:
      case 3: {
        const std::size_t y = any_like(x, 0);
        if (values_[y].dims == of.dims && x != y)
          put(fmt::format("Add(v{}, v{})", x, y), of.dims, of.largest + values_[y].largest);
        return;
      }
      case 4: {
        const std::size_t y = any_like(x, 1);
        Dims dims = of.dims;
        dims[1] += values_[y].dims[1];
        if (dims[1] <= 8)
          put(fmt::format("Concat(v{}, v{}) axis=1", x, y), dims,
              std::max(of.largest, values_[y].largest));
        return;
      }
      default:
        return add_convolution(x, of);
    }
  }

  void add_convolution(std::size_t x, const Known& of) {
    struct Form {
      Dims kernel;
      std::string_view attributes;
      Dims less;  // what it takes off the extents
    };
    static const std::vector<Form> forms = {
        {{1, 1}, "pads=[0,0,0,0]", {0, 0}},
        {{3, 3}, "pads=[1,1,1,1]", {0, 0}},
        {{1, 3}, "pads=[0,1,0,1]", {0, 0}},
        {{3, 1}, "pads=[2,0,0,0]", {0, 0}},
        {{3, 3}, "pads=[2,1,2,0] dilations=[2,1]", {0, 1}},
        {{1, 2}, "pads=[0,0,0,0]", {0, 1}},
    };
    const Form& form = forms[static_cast<std::size_t>(below(std::ssize(forms)))];
    const std::int64_t channels = of.dims[1];
    const std::int64_t groups = below(3) == 0 ? (below(2) == 0 ? channels : 2) : 1;
    const std::int64_t outputs = below(3) == 0 ? 2 * channels : channels;
    const std::int64_t taps = channels / groups * form.kernel[0] * form.kernel[1];
    const double largest = of.largest * static_cast<double>(taps) * 3 + 3;
    if (largest > kLargest || outputs > 8 || of.dims[2] < 4 || of.dims[3] < 4) return;
    const bool shared = !weights_.empty() && below(4) == 0;
    const Dims dims = {outputs, channels / groups, form.kernel[0], form.kernel[1]};
    std::string weights = fmt::format("w{}: f32{}", values_.size(), to_string(dims));
    if (const auto known = weights_.find(dims); shared && known != weights_.end())
      weights = known->second;
    else
      weights_[dims] = fmt::format("w{}", values_.size());
    const std::string bias =
        below(2) == 0 ? "" : fmt::format(", b{}: f32[{}]", values_.size(), outputs);
    put(fmt::format("Conv(v{}, {}{}) group={} {}{}", x, weights, bias, groups, form.attributes,
                    below(3) == 0 ? " activation=\"relu\"" : ""),
        {of.dims[0], outputs, of.dims[2] - form.less[0], of.dims[3] - form.less[1]}, largest);
  }

  std::mt19937 random_;
  std::vector<Known> values_;
  std::map<Dims, std::string> weights_;  // the last of each shape
  std::string text_;
};

/// rewritings() proves each.
TEST(SearchedRules, KeepTheNumbersOfRandomConvolutions) {
  std::map<std::string_view, std::size_t> matches;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const std::string text = RandomText(seed).write(14);
    SCOPED_TRACE(text);
    const Graph graph = canonical_graph(text);
    for (const SearchedRule& row : searched_rules())
      matches[row.rule.name] += rewritings(row.rule.name, graph).size();
    if (::testing::Test::HasFailure()) return;
  }
  for (const std::string_view often :
       {"merge-groups", "late-pieces", "merge-siblings", "enlarge-siblings",
        "merge-grouped-siblings", "join-shortcut", "join-parallel"})
    EXPECT_GT(matches[often], 0U) << often;
}

}  // namespace
}  // namespace braid
